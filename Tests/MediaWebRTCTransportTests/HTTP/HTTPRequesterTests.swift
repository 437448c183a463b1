import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaWebRTCTransport

@Suite struct HTTPRequesterTests {
  private final class Answers: @unchecked Sendable {
    var list: [HTTPRequester.Answer] = []
  }

  private let house = WebRTCHouse()
  private let server: EmulatedWebServer
  private let host: EmulatedHost
  private let answers = Answers()

  init() throws {
    server = try EmulatedWebServer(house.network, "10.0.8.1")
    host = try house.network.addHost("10.0.0.1")
    server.answer = { request, _ in .response(HTTPResponse(200, text: request.target)) }
  }

  private func requester(_ fingerprint: TLSFingerprint? = nil) throws -> HTTPRequester {
    let requester = HTTPRequester(network: host, thread: host, fingerprint: fingerprint)
    try requester.start()
    return requester
  }

  /// The answer, and after how long it came.
  private func ask(
    _ requester: HTTPRequester, _ url: String, _ method: String = "GET", within patience: Int64 = 120 * second
  ) throws -> (answer: HTTPRequester.Answer?, time: Int64) {
    let target = try HTTPURL(url, argument: "url")
    let (answers, count, begin) = (answers, answers.list.count, house.clock.now())
    requester.send(HTTPRequest(method, target.target, ["Host": target.hostField]), to: target) { answers.list.append($0) }
    _ = try house.run(for: patience) { answers.list.count > count }
    return (answers.list.count > count ? answers.list.last : nil, house.clock.now() - begin)
  }

  private func status(_ answer: HTTPRequester.Answer?) -> Int? { try? answer?.get().status }
  private func error(_ answer: HTTPRequester.Answer?) -> MediaError? { if case .failure(let error) = answer { error } else { nil } }

  @Test func aConnectionIsKeptForTheNextRequest() throws {
    let requester = try requester()
    for path in ["a", "b", "c"] {
      let answer = try ask(requester, "http://10.0.8.1/\(path)").answer
      #expect(try answer?.get().body == Array("/\(path)\n".utf8))
    }
    #expect(server.accepted == 1 && server.requests.count == 3 && server.requests[0].fields["Host"] == "10.0.8.1")
    // Idle for long, it is not trusted any more.
    try house.run(for: 60 * second)
    #expect(server.connectionCount == 0)
    #expect(status(try ask(requester, "http://10.0.8.1/d").answer) == 200 && server.accepted == 2)
    requester.close()
    try house.run(for: second)
    #expect(server.connectionCount == 0)
  }

  @Test func aRequestThatHasNoRoomFailsAtOnce() throws {
    let requester = try requester()
    let target = try HTTPURL("http://10.0.8.1/a", argument: "url")
    let body = [UInt8](repeating: 1, count: TCPLink.mostWaiting)
    let answers = answers
    requester.send(HTTPRequest("POST", target.target, ["Host": target.hostField], body: body), to: target) { answers.list.append($0) }
    #expect(try house.run(for: second) { !answers.list.isEmpty })
    #expect(error(answers.list.last)?.status == .io && server.requests.isEmpty)
    // The next one has a connection of its own.
    #expect(status(try ask(requester, "http://10.0.8.1/b").answer) == 200 && server.accepted == 2)
    requester.close()
  }

  @Test func overTLSWithThatCertificateOnly() throws {
    let requester = try requester(server.certificate.fingerprint)
    #expect(status(try ask(requester, "https://10.0.8.1/a").answer) == 200)
    #expect(status(try ask(requester, "https://10.0.8.1/b").answer) == 200 && server.accepted == 1)
    // Plain text is another origin.
    #expect(status(try ask(requester, "http://10.0.8.1/c").answer) == 200 && server.accepted == 2)
    let other = try self.requester(try TLSCertificate.make(name: "other").fingerprint)
    let refusal = error(try ask(other, "https://10.0.8.1/a").answer)
    #expect(refusal?.status == .untrusted && refusal?.text.contains("https://10.0.8.1/a") == true, "\(String(describing: refusal))")
    // No authority has signed it.
    #expect(error(try ask(try self.requester(), "https://10.0.8.1/a").answer)?.status == .untrusted)
    #expect(server.requests.count == 3)
  }

  /// Where the body ends with the connection, TLS says that it is whole (RFC 9112, section 9.8).
  @Test func aBodyThatIsCutOffIsNoResponse() throws {
    server.answer = { _, _ in .bytes("HTTP/1.1 200 OK\r\n\r\nall of it, or not", closes: true) }
    let requester = try requester(server.certificate.fingerprint)
    #expect(status(try ask(requester, "https://10.0.8.1/").answer) == 200)
    server.saysGoodbye = false
    #expect(error(try ask(requester, "https://10.0.8.1/").answer) != nil)
  }

  @Test func aServerOfSeveralNamesHearsWhichIsMeant() throws {
    let address = try #require(SocketAddress("10.0.8.1", port: 443))
    house.network.setNames { _ in .success([address]) }
    var called: [String?] = []
    server.answer = { _, connection in
      called.append(connection.tls?.calledName)
      return .response(HTTPResponse(204))
    }
    let requester = try requester(server.certificate.fingerprint)
    #expect(status(try ask(requester, "https://One.example.org/").answer) == 204)
    #expect(status(try ask(requester, "https://10.0.8.1/").answer) == 204)
    #expect(called == ["one.example.org", nil])
  }

  @Test func namesAndTheirAddressesAreTried() throws {
    let (dead, good) = (try #require(SocketAddress("10.0.8.99", port: 0)), try #require(SocketAddress("10.0.8.1", port: 0)))
    house.network.setNames { question in
      switch question.name.description {
      case "two.example.org": .success([dead.with(port: question.port), good.with(port: question.port)])
      case "gone.example.org": .failure(MediaError(.notFound, "no such name"))
      case "empty.example.org": .success([])
      default: nil
      }
    }
    let requester = try requester()
    let (answer, time) = try ask(requester, "http://two.example.org/")
    #expect(status(answer) == 200 && (0..<4 * second).contains(time))
    #expect(error(try ask(requester, "http://gone.example.org/").answer)?.status == .notFound)
    #expect(error(try ask(requester, "http://empty.example.org/").answer)?.status == .notFound)
    let silent = try ask(requester, "http://silent.example.org/")
    #expect(error(silent.answer)?.status == .timeout && (5 * second..<6 * second).contains(silent.time))
    #expect(error(try ask(requester, "http://a_b/").answer)?.status == .invalid)
  }

  @Test func whoIsNotThereIsGivenUpInTime() throws {
    let requester = try requester()
    server.stop()
    let refused = try ask(requester, "http://10.0.8.1/")
    #expect(error(refused.answer)?.status == .io && refused.time < second)
    server.host.setDisconnected(true)
    let silent = try ask(requester, "http://10.0.8.1/")
    #expect(error(silent.answer)?.status == .timeout && (10 * second..<11 * second).contains(silent.time))
  }

  @Test func aServerThatAnswersNeverIsGivenUpInTime() throws {
    let requester = try requester()
    server.answer = { _, _ in .nothing }
    let silent = try ask(requester, "http://10.0.8.1/")
    #expect(error(silent.answer)?.status == .timeout && (30 * second..<31 * second).contains(silent.time))
    // And one whose body ends never.
    server.answer = { _, _ in .bytes("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", closes: false) }
    let half = try ask(requester, "http://10.0.8.1/")
    #expect(error(half.answer)?.status == .timeout && (30 * second..<31 * second).contains(half.time))
    #expect(!requester.isBusy)
  }

  @Test(arguments: [
    ("HTTP/1.1 200 OK\r\nContent-Length: 9\r\n\r\nhalf", Status.corrupt), ("HTTP/1.1 200 OK\r\nContent-Length: 999999\r\n\r\n", .limit),
    ("nonsense\r\n\r\n", .corrupt), ("", .closed), ("HTTP/1.1 101 Switching Protocols\r\nUpgrade: x\r\n\r\n", .corrupt)
  ])
  func whatIsNoWholeResponseIsAnError(_ text: String, _ status: Status) throws {
    let requester = try requester()
    server.answer = { _, _ in .bytes(text, closes: true) }
    let refusal = error(try ask(requester, "http://10.0.8.1/").answer)
    #expect(refusal?.status == status && refusal?.text.contains("10.0.8.1") == true, "\(String(describing: refusal))")
    // It is of use again.
    server.answer = { _, _ in .response(HTTPResponse(204)) }
    #expect(self.status(try ask(requester, "http://10.0.8.1/").answer) == 204)
  }

  @Test func aConnectionThatTheServerHasClosedIsReplaced() throws {
    let requester = try requester()
    _ = try ask(requester, "http://10.0.8.1/a")
    server.closeConnections()
    try house.run(for: second)
    #expect(status(try ask(requester, "http://10.0.8.1/b", "POST").answer) == 200 && server.accepted == 2)
    // Closed as the request comes: what may be sent twice is.
    var isFirst = true
    server.answer = { _, _ in
      defer { isFirst = false }
      return isFirst ? .bytes("", closes: true) : .response(HTTPResponse(204))
    }
    #expect(status(try ask(requester, "http://10.0.8.1/c", "PATCH").answer) == 204 && server.accepted == 3)
    isFirst = true
    #expect(error(try ask(requester, "http://10.0.8.1/d", "POST").answer)?.status == .closed && server.accepted == 3)
  }

  @Test func nobodyIsToldAfterTheEnd() throws {
    let requester = try requester()
    server.answer = { _, _ in .nothing }
    #expect(try ask(requester, "http://10.0.8.1/", within: second).answer == nil)
    requester.close()
    try house.run(for: 60 * second)
    #expect(answers.list.isEmpty && server.connectionCount == 0)
    #expect(try ask(requester, "http://10.0.8.1/", within: second).answer == nil)
  }
}
