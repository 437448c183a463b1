import CMediaSDK
import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime
import MediaSDP
import Testing

@testable import MediaSignalling
@testable import MediaTLS
@testable import MediaTransport
@testable import MediaWebRTC
@testable import MediaWebRTCTransport

/// Servers that refuse, fail, or are lost.
@Suite struct WHIPTroubleTests {
  private let house = WebRTCHouse()
  private let server: EmulatedWHIPServer
  private let host: EmulatedHost
  private let vp8 = Int32(MSDK_CODEC_VP8)

  init() throws {
    server = try EmulatedWHIPServer(house, at: "10.0.8.1")
    host = try house.network.addHost("10.0.0.1")
  }

  private func end(
    _ kind: String = "whip", token: String = "", options: String = "", path: String? = nil, publishes: [Transceiver.Kind]? = nil
  ) throws -> WHIPEnd {
    let url = "\(kind)+https://10.0.8.1/\(path ?? "\(kind)/lobby")#fingerprint=\(server.web.certificate.fingerprint)\(options)"
    return try WHIPEnd(url, token: token, on: host, house, publishes: publishes ?? (kind == "whip" ? [.video, .audio] : []))
  }

  private func connect(_ a: WHIPEnd) throws -> Bool {
    try house.run(for: 10 * second) { a.isHere && (a.streams.isEmpty || a.count("receivers 1") >= a.streams.count) }
  }

  private func flows(_ a: WHIPEnd) throws -> Bool {
    let b = try #require(server.last)
    let before = b.received(vp8)
    try a.call(for: 2 * second, video: 0)
    return b.received(vp8) > before + 40
  }

  private func close(_ a: WHIPEnd) throws {
    a.whip.disconnect()
    try house.close()
    #expect(server.errors.isEmpty, "\(server.errors)")
  }

  // MARK: Refusals

  @Test(arguments: [
    (401, Status.permission, "token"), (403, .permission, "token"), (404, .notFound, "check the path"), (405, .unsupported, "WHIP"),
    (406, .format, "codecs"), (415, .unsupported, "type"), (422, .format, "codecs"), (200, .corrupt, "URL of WHIP"),
    (301, .unsupported, "307")
  ])
  func whatIsRefusedForGoodEndsItAtOnce(_ status: Int, _ expected: Status, _ words: String) throws {
    server.intercept = { _ in .response(HTTPResponse(status, text: "no")) }
    let a = try end()
    #expect(try house.run(for: 2 * second) { a.ending != nil })
    #expect(a.ending?.status == expected && a.ending?.text.contains(words) == true, "\(String(describing: a.ending))")
    #expect(a.ending?.text.contains("10.0.8.1") == true && server.methods == ["POST"] && !a.has("reconnecting"))
    try close(a)
  }

  @Test func anotherCertificateIsNotTrusted() throws {
    let url = "whip+https://10.0.8.1/whip/lobby#fingerprint=" + String(repeating: "AB", count: 32)
    let a = try WHIPEnd(url, token: "secret", on: host, house, publishes: [.video])
    #expect(try house.run(for: 2 * second) { a.ending != nil } && a.ending?.status == .untrusted && server.web.requests.isEmpty)
    try close(a)
  }

  @Test func aServerWithoutRoomIsTriedAgain() throws {
    let begin = house.clock.now()
    server.refuse = { [house] _ in house.clock.now() < begin + 9 * second ? MediaError(.full, "") : nil }
    let a = try end()
    #expect(try house.run(for: 20 * second) { a.isHere })
    // It asks for 2 s each time.
    #expect((3...6).contains(server.offers.count) && a.ending == nil && !a.has("reconnecting"), "\(server.offers.count)")
    #expect(try flows(a))
    try close(a)
  }

  @Test func afterHalfAMinuteItIsGivenUp() throws {
    server.refuse = { _ in MediaError(.full, "") }
    let a = try end()
    let begin = house.clock.now()
    #expect(try house.run(for: 60 * second) { a.ending != nil })
    #expect(a.ending?.status == .again && (27 * second...31 * second).contains(house.clock.now() - begin))
    // And at once where the server asks for more than that.
    server.intercept = { _ in .response(HTTPResponse(503, ["Retry-After": "600"])) }
    let b = try end()
    #expect(try house.run(for: 2 * second) { b.ending != nil } && b.ending?.status == .again)
    b.whip.disconnect()
    try close(a)
  }

  @Test func whoAnswersNeverIsGivenUp() throws {
    server.intercept = { _ in .nothing }
    let a = try end()
    #expect(try house.run(for: 60 * second) { a.ending != nil } && a.ending?.status == .timeout)
    try close(a)
  }

  @Test(arguments: [
    ("HTTP/1.1 201 Created\r\nContent-Length: 900\r\n\r\nv=0", Status.corrupt),
    ("HTTP/1.1 201 Created\r\nContent-Length: 300000\r\n\r\n", .limit), ("SMTP\r\n\r\n", .corrupt), ("", .closed)
  ])
  func whatIsNoResponseIsTriedAgain(_ text: String, _ status: Status) throws {
    server.intercept = { _ in .bytes(text, closes: true) }
    let a = try end()
    let begin = house.clock.now()
    #expect(try house.run(for: 60 * second) { a.ending != nil })
    #expect(a.ending?.status == status && server.methods.count > 3, "\(String(describing: a.ending)) \(server.methods.count)")
    #expect((30 * second...31 * second).contains(house.clock.now() - begin))
    try close(a)
  }

  @Test func anAnswerThatCannotBeUsedEndsTheSessionThere() throws {
    for tamper: (inout HTTPResponse) -> Void in [
      { $0.fields.set("Content-Type", "text/html") }, { $0.body = Array("nonsense".utf8) }, { $0.body = [] },
      { $0.body = Array("v=0\r\no=- 1 1 IN IP4 0\r\ns=-\r\nt=0 0\r\n".utf8) }, { $0.body = [UInt8](repeating: 0x61, count: 70_000) }
    ] {
      server.tamper = { response in
        var response = response
        tamper(&response)
        return response
      }
      let before = server.ended.count
      let a = try end()
      #expect(try house.run(for: 5 * second) { a.ending != nil })
      #expect([.corrupt, .invalid].contains(a.ending?.status), "\(String(describing: a.ending))")
      #expect(try house.run(for: 5 * second) { server.ended.count > before })
    }
    try house.close()
  }

  @Test(arguments: ["whip", "whep"]) func anAnswerThatTakesNothingEndsIt(_ kind: String) throws {
    server.tamper = { response in
      var response = response
      let text = String(decoding: response.body, as: UTF8.self)
      response.body = Array(text.replacing("m=video 9 ", with: "m=video 0 ").replacing("m=audio 9 ", with: "m=audio 0 ").utf8)
      return response
    }
    let a = try end(kind)
    #expect(try house.run(for: 2 * second) { a.ending != nil })
    #expect(a.ending?.status == .unsupported && server.offers.count == 1)
    try close(a)
    #expect(server.ended.count == 1)
  }

  // MARK: Redirects

  @Test func redirectsAreFollowed() throws {
    server.intercept = { request in
      request.path == "/here"
        ? .response(HTTPResponse(307, ["Location": "/there"]))
        : request.path == "/there" ? .response(HTTPResponse(308, ["Location": "/whip/lobby"])) : nil
    }
    let a = try end(token: "secret", path: "here")
    #expect(try connect(a) && server.offers.first?.token == "secret")
    #expect(try flows(a))
    try close(a)
    #expect(server.ended.count == 1)
  }

  @Test func redirectsInACircleEndIt() throws {
    server.intercept = { request in .response(HTTPResponse(307, ["Location": request.path == "/a" ? "/b" : "/a"])) }
    let a = try end(path: "a")
    #expect(try house.run(for: 2 * second) { a.ending != nil } && a.ending?.text.contains("a loop") == true)
    try close(a)
  }

  // MARK: ICE

  @Test func withoutTricklingTheSessionGoesOn() throws {
    server.intercept = { $0.method == "PATCH" ? .response(HTTPResponse(405)) : nil }
    let a = try end()
    #expect(try connect(a))
    #expect(try flows(a) && server.methods == ["POST", "PATCH"])
    try close(a)
  }

  @Test func theServerNamesRelays() throws {
    let relay = try EmulatedRelay(house.network, "10.0.9.1")
    server.iceServers = [
      try #require(ICEServer("turn:10.0.9.1", user: EmulatedRelay.user, password: EmulatedRelay.password)),
      try #require(ICEServer("stuns:10.0.9.1"))
    ]
    let a = try end(options: "&relay=1")
    #expect(try connect(a), "\(a.events) \(String(describing: a.ending))")
    #expect(try flows(a) && relay.relayed > 20)
    try close(a)
    #expect(relay.allocationCount == 0)
  }

  @Test(arguments: ["whip", "whep"]) func theCallGoesOnFromAnotherAddress(_ kind: String) throws {
    let a = try end(kind)
    #expect(try connect(a))
    try host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 20 * second) { server.changes.contains { $0.isRestart } })
    #expect(try house.run(for: 20 * second) { a.isHere && a.has("reconnected") }, "\(a.events)")
    #expect(server.offers.count == 1)
    if kind == "whip" {
      #expect(try flows(a))
    } else {
      let before = a.received(vp8)
      try #require(server.last).call(for: 2 * second, video: 0, audio: 1)
      #expect(a.received(vp8) > before + 40)
    }
    try close(a)
    #expect(server.ended.count == 1)
  }

  /// A restart from an address that is none would cost the session at the server.
  @Test(arguments: ["whip", "whep"]) func theCallGoesOnAfterATimeWithoutAnAddress(_ kind: String) throws {
    let a = try end(kind)
    #expect(try connect(a))
    try host.move(to: [try #require(SocketAddress("127.0.0.1", port: 0))])
    host.setDisconnected(true)
    try house.run(for: 15 * second)
    #expect(a.has("reconnecting") && server.changes.allSatisfy { !$0.isRestart })
    host.setDisconnected(false)
    try host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    // The path may be there before the server has heard of it: from checks of the generation before.
    #expect(
      try house.run(for: 10 * second) { a.isHere && a.has("reconnected") && server.changes.contains { $0.isRestart } }, "\(a.events)")
    try house.run(for: second)
    #expect(server.offers.count == 1 && server.changes.count { $0.isRestart } == 1)
    if kind == "whip" { #expect(try flows(a)) }
    try close(a)
  }

  /// The second one while the first restart waits for its answer, which is lost with its connection.
  @Test func theAddressChangesTwice() throws {
    let a = try end()
    #expect(try connect(a))
    try house.run(for: second)
    var lost = 0
    server.intercept = { request in
      guard request.method == "PATCH", lost == 0 else { return nil }
      lost += 1
      return .nothing
    }
    try host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 20 * second) { lost == 1 })
    try host.move(to: [try #require(SocketAddress("10.0.5.2", port: 0))])
    #expect(try house.run(for: 10 * second) { server.changes.count { $0.isRestart } == 2 })
    try house.run(for: 2 * second)
    #expect(server.offers.count == 1 && a.isHere, "\(a.events)")
    #expect(try flows(a), "\(a.events)")
    try close(a)
  }

  // MARK: Lost sessions

  @Test(arguments: ["whip", "whep"]) func aServerThatBeganAnewHasAnotherSession(_ kind: String) throws {
    let a = try end(kind)
    #expect(try connect(a))
    try house.run(for: second)
    if kind == "whip" { #expect(try flows(a)) } else { try #require(server.last).call(for: second, video: 0, audio: 1) }
    let wanted = a.keysWanted
    try server.restart()
    #expect(try house.run(for: 30 * second) { a.isHere && server.offers.count == 2 }, "\(a.events) \(String(describing: a.ending))")
    #expect(a.count("reconnecting") == 1 && a.count("reconnected") == 1 && a.count("connected") == 1)
    if kind == "whip" {
      #expect(try house.run(for: 2 * second) { a.count("receivers 1") == 4 } && a.count("receivers 0") == 2)
      // Of the video, whether the server asks for one or not.
      #expect(a.keysWanted - wanted == 1)
      #expect(try flows(a))
    } else {
      try #require(server.last).call(for: 2 * second, video: 0, audio: 1)
      #expect(a.count("removed") == 2 && a.count("added") == 4 && a.count("left peer") == 1 && a.received(vp8) > 60, "\(a.events)")
    }
    try close(a)
  }

  /// It answers a change with 404.
  @Test func aSessionThatIsGoneIsReplaced() throws {
    let a = try end(token: "first")
    #expect(try connect(a))
    a.whip.renew(AccessToken("second"))
    server.pure.ended(server.sessions[0].name)
    try host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 30 * second) { a.isHere && server.offers.count == 2 }, "\(a.events)")
    #expect(server.offers.map(\.token) == ["first", "second"] && a.has("accessRenewed(nil)"))
    #expect(try flows(a))
    try close(a)
  }

  @Test func aServerThatVanishesForAWhileIsFoundAgain() throws {
    let a = try end()
    #expect(try connect(a))
    server.web.host.setDisconnected(true)
    #expect(try house.run(for: 30 * second) { a.has("reconnecting") })
    try house.run(for: 60 * second)
    #expect(a.ending == nil && !a.has("reconnected"))
    server.web.host.setDisconnected(false)
    try server.restart()
    #expect(try house.run(for: 60 * second) { a.isHere }, "\(a.events)")
    #expect(a.has("reconnected"))
    #expect(try house.run(for: 5 * second) { a.count("receivers 1") == 4 })
    #expect(try flows(a))
    try close(a)
  }

  @Test func aServerThatVanishesForGoodIsGivenUp() throws {
    let a = try end()
    #expect(try connect(a))
    server.web.host.setDisconnected(true)
    #expect(try house.run(for: 30 * second) { a.has("reconnecting") })
    let begin = house.clock.now()
    #expect(try house.run(for: 400 * second) { a.ending != nil })
    // The last attempt begins after 300 s.
    let time = house.clock.now() - begin
    #expect(a.ending?.status == .timeout && (300 * second...301 * second + 2 * TCPLink.patience).contains(time), "\(time)")
    #expect(a.send() == .notConnected)
    try close(a)
  }

  // MARK: Streams

  @Test func withoutAStreamNothingIsOffered() throws {
    let a = try end(publishes: [])
    try house.run(for: 100 * second)
    #expect(server.web.requests.isEmpty && a.ending == nil)
    try a.publish(.audio)
    #expect(try connect(a) && server.offers.first?.sdp.contains("m=video") == false)
    // What was not offered cannot be added.
    let refusal = failure { try a.publish(.video) }
    #expect(refusal?.status == .state && refusal?.text.contains("agrees on media once") == true)
    #expect(failure { try a.publish(.audio) }?.status == .limit)
    try close(a)
  }

  @Test func aStreamTakesTheOthersPlace() throws {
    let a = try end(publishes: [.video])
    #expect(try connect(a))
    #expect(try flows(a))
    a.whip.unpublish(a.streams[0])
    // A restart of ICE meanwhile leaves it so.
    try host.move(to: [try #require(SocketAddress("10.0.5.1", port: 0))])
    #expect(try house.run(for: 20 * second) { a.has("reconnected") })
    try a.publish(.video)
    try house.run(for: second)
    let b = try #require(server.last)
    let before = b.received(vp8)
    try a.call(for: 2 * second, video: 1)
    #expect(b.received(vp8) > before + 40 && a.ending == nil, "\(a.events)")
    #expect(server.offers.count == 1 && server.changes.contains { $0.isRestart })
    try close(a)
  }

  @Test func allStreamsMayGoWhileTheServerIsAway() throws {
    let a = try end(publishes: [.video])
    #expect(try connect(a))
    server.web.stop()
    server.last?.transport.disconnect()
    #expect(try house.run(for: 10 * second) { a.has("reconnecting") })
    a.whip.unpublish(a.streams[0])
    try server.restart()
    try house.run(for: 60 * second)
    #expect(server.offers.count == 1 && a.ending == nil)
    try a.publish(.video)
    #expect(try house.run(for: 10 * second) { a.isHere })
    try a.call(for: 2 * second, video: 1)
    #expect(try #require(server.last).received(vp8) > 40)
    try close(a)
  }

  // MARK: Leaving

  @Test func whoLeavesBeforeTheAnswerLeavesNoSession() throws {
    let a = try end()
    #expect(try house.run(for: second) { !server.offers.isEmpty })
    a.whip.disconnect()
    try house.run(for: second)
    #expect(server.sessions.count == 1 && server.ended.count == 1 && server.web.connectionCount == 0)
    try close(a)
  }

  @Test func whoGetsNoAnswerToTheEndWaitsForAWhile() throws {
    server.intercept = { $0.method == "DELETE" ? .nothing : nil }
    let a = try end()
    #expect(try connect(a))
    a.whip.disconnect()
    try house.run(for: 4 * second)
    #expect(server.methods.last == "DELETE" && server.web.connectionCount == 1)
    try house.run(for: 2 * second)
    #expect(server.web.connectionCount == 0)
    try close(a)
  }

  @Test func whoLeavesAServerThatHasGoneWaitsForNothing() throws {
    let a = try end()
    #expect(try connect(a))
    let count = a.events.count
    server.web.host.setDisconnected(true)
    a.whip.disconnect()
    try house.run(for: 120 * second)
    #expect(a.events.count == count && a.ending == nil)
    try close(a)
  }

  // MARK: WHEP

  @Test func aCounterOfferIsAnswered() throws {
    let sender = Counter()
    server.intercept = { [house, server] request in
      do {
        return try sender.reply(to: request, house, server.web.host)
      } catch {
        Issue.record(error)
        return nil
      }
    }
    let a = try end("whep")
    #expect(try house.run(for: 5 * second) { a.isHere }, "\(a.events) \(String(describing: a.ending))")
    let b = try #require(sender.end)
    try house.run(for: second)
    try b.call(for: 2 * second, video: 0)
    #expect(a.received(vp8) > 40 && server.methods.prefix(2) == ["POST", "PATCH"])
    try close(a)
    #expect(server.methods.last == "DELETE")
  }

  /// A server of WHEP that offers what it has.
  private final class Counter: @unchecked Sendable {
    var end: WebRTCEnd?

    func reply(to request: HTTPRequest, _ house: WebRTCHouse, _ host: EmulatedHost) throws -> EmulatedWebServer.Reply? {
      switch request.method {
      case "POST":
        let end = try house.end("webrtc:?receive=none", on: host, publishes: [.video])
        (end.negotiates, end.restarts) = (false, false)
        self.end = end
        #expect(try end.target.describe() == .offer)
        let fields: HTTPFields = ["Content-Type": "application/sdp", "Location": "/sessions/1", "ETag": "\"1\""]
        return .response(HTTPResponse(406, fields, body: Array(try end.target.localDescription().utf8)))
      case "PATCH" where request.fields["Content-Type"] == "application/sdp":
        _ = try end?.target.setRemote(.answer, String(decoding: request.body, as: UTF8.self))
        return .response(HTTPResponse(204))
      case "DELETE": return .response(HTTPResponse(200))
      default: return .response(HTTPResponse(204))
      }
    }
  }
}
