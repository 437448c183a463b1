import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaWebRTCTransport

/// Servers that are reached through a proxy, and no other way: their names are unknown here.
@Suite struct HTTPTunnelTests {
  private final class Answers: @unchecked Sendable {
    var list: [HTTPRequester.Answer] = []
  }

  private let house = WebRTCHouse()
  private let server: EmulatedWebServer
  private let proxy: EmulatedProxy
  private let host: EmulatedHost
  private let answers = Answers()

  init() throws {
    server = try EmulatedWebServer(house.network, "10.0.8.1")
    proxy = try EmulatedProxy(house.network, "10.0.7.1")
    host = try house.network.addHost("10.0.0.1")
    server.answer = { request, _ in .response(HTTPResponse(200, text: request.target)) }
    host.setVariable("https_proxy", "http://robot:secret@proxy.example:3128")
    proxy.places["media.example:443"] = SocketAddress("10.0.8.1", port: 443)
    house.network.setNames { question in
      question.name.description == "proxy.example"
        ? .success([SocketAddress("10.0.7.1", port: question.port)].compactMap(\.self)) : .failure(MediaError(.notFound, "no such name"))
    }
  }

  private func ask(_ requester: HTTPRequester, _ url: String) throws -> HTTPRequester.Answer? {
    let target = try HTTPURL(url, argument: "url")
    let (answers, count) = (answers, answers.list.count)
    requester.send(HTTPRequest("GET", target.target, ["Host": target.hostField]), to: target) { answers.list.append($0) }
    _ = try house.run(for: 60 * second) { answers.list.count > count }
    return answers.list.count > count ? answers.list.last : nil
  }

  private func requester() throws -> HTTPRequester {
    let requester = HTTPRequester(network: host, thread: host, fingerprint: server.certificate.fingerprint)
    try requester.start()
    return requester
  }

  private func error(_ answer: HTTPRequester.Answer?) -> MediaError? { if case .failure(let error) = answer { error } else { nil } }

  @Test func requestsOverTLSGoThroughIt() throws {
    let requester = try requester()
    for path in ["a", "b"] {
      #expect(try ask(requester, "https://media.example/\(path)")?.get().body == Array("/\(path)\n".utf8))
    }
    // One connection serves both, and the server's certificate was looked at, and its name said.
    #expect(proxy.requests.map(\.target) == ["media.example:443"] && proxy.requests[0].fields["Host"] == "media.example:443")
    #expect(proxy.requests[0].fields["Proxy-Authorization"] == "Basic cm9ib3Q6c2VjcmV0" && server.accepted == 1)
    #expect(server.requests.allSatisfy { $0.fields["Proxy-Authorization"] == nil })
    let other = HTTPRequester(network: host, thread: host, fingerprint: try TLSCertificate.make(name: "other").fingerprint)
    try other.start()
    #expect(error(try ask(other, "https://media.example/"))?.status == .untrusted)
  }

  @Test func othersDoNot() throws {
    let requester = try requester()
    #expect(try ask(requester, "http://10.0.8.1/plain")?.get().status == 200 && proxy.requests.isEmpty)
    host.setVariable("no_proxy", "10.0.8.1")
    #expect(try ask(requester, "https://10.0.8.1/near")?.get().status == 200 && proxy.requests.isEmpty)
  }

  @Test func whatGoesWrongNamesTheProxy() throws {
    let requester = try requester()
    proxy.answer = { _ in 407 }
    let unknown = error(try ask(requester, "https://media.example/"))
    #expect(unknown?.status == .permission && unknown?.text.contains("proxy.example:3128") == true, "\(String(describing: unknown))")
    #expect(unknown?.text.contains("secret") == false)
    proxy.answer = { _ in 403 }
    let forbidden = error(try ask(requester, "https://media.example/"))
    #expect(forbidden?.status == .io && forbidden?.text.contains("403") == true, "\(String(describing: forbidden))")
    proxy.answer = { _ in 0 }
    #expect(error(try ask(requester, "https://media.example/"))?.status == .timeout)
    // There is none.
    proxy.answer = { _ in 200 }
    host.setVariable("https_proxy", "http://10.0.7.99:3128")
    #expect([.timeout, .io].contains(error(try ask(requester, "https://media.example/"))?.status))
    host.setVariable("https_proxy", "http://gone.example:3128")
    let gone = error(try ask(requester, "https://media.example/"))
    #expect(gone?.status == .notFound && gone?.text.contains("gone.example") == true, "\(String(describing: gone))")
    host.setVariable("https_proxy", "http://under_score:3128")
    #expect(error(try ask(requester, "https://media.example/"))?.status == .invalid)
    host.setVariable("https_proxy", "socks5://10.0.7.1:1080")
    #expect(error(try ask(requester, "https://media.example/"))?.status == .unsupported)
    host.setVariable("https_proxy", "http://10.0.7.1:3128")
    #expect(try ask(requester, "https://media.example/")?.get().status == 200)
  }

  @Test func whileItsNameIsLookedUpItMayBeClosed() throws {
    house.network.setNames { _ in nil }
    let requester = try requester()
    let (target, answers) = (try HTTPURL("https://media.example/", argument: "url"), answers)
    requester.send(HTTPRequest("GET", "/", ["Host": "media.example"]), to: target) { answers.list.append($0) }
    try house.run(for: second)
    requester.close()
    try house.run(for: 60 * second)
    #expect(answers.list.isEmpty && proxy.requests.isEmpty)
    // Nobody answers for the name.
    #expect(error(try ask(try self.requester(), "https://media.example/"))?.status == .timeout)
  }
}
