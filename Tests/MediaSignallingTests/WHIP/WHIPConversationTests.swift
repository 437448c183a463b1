import MediaCore
import MediaSDP
import Testing

@testable import MediaSignalling

/// A client and a server over connections of HTTP, in pieces of any size.
@Suite struct WHIPConversationTests {
  /// Carries the client's requests to the server until there are none; a connection for each, as drivers may do.
  private func carry(_ client: WHIPClient, _ random: inout SeededRandom, _ answer: (HTTPRequest) throws -> HTTPResponse) throws {
    while let exchange = client.takeRequest() {
      let (one, other) = (HTTPClientConnection(), HTTPServerConnection(now: 0))
      try one.send(exchange.request, now: 0)
      inPieces(one.written(), &random) { other.receive($0, now: 0) }
      guard case .request(let request) = other.takeEvent() else { throw MediaError(.fail, "no request") }
      try other.respond(answer(request), now: 0)
      inPieces(other.written(), &random) { one.receive($0, now: 0) }
      guard case .response(let response) = one.takeEvent() else { throw MediaError(.fail, "no response") }
      client.receive(response, now: 0, wallClock: 0)
    }
  }

  @Test(arguments: 0..<30) func aWholeSession(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let server = WHIPServer(random: SeededRandom(seed: seed))
    let kind: WHIPClient.Kind = seed % 2 == 0 ? .whip : .whep
    let client = try WHIPClient(kind, HTTPURL("https://a:8443/\(kind)/lobby%20\(seed)", argument: "url"), token: "t\(seed)")
    let ice = try #require(ICEServer("turns:relay", user: "u;\"\(seed)", password: "p, \\"))
    let candidate = try #require(try Candidate(parsing: "1 1 udp 1 192.0.2.1 9 typ host"))
    let theirs = ICEFragment(user: "efgh", password: "ABCDEFGHIJKLMNOPQRSTUV", candidates: [candidate])
    var (changes, ends): ([WHIPServer.Change], Int) = ([], 0)
    func answer(_ request: HTTPRequest) throws -> HTTPResponse {
      switch server.receive(request) {
      case .other: throw MediaError(.fail, "not of WHIP")
      case .respond(let response): return response
      case .offer(let offer):
        #expect(offer.room == "lobby \(seed)" && offer.token == "t\(seed)" && offer.kind == kind && offer.sdp == "v=0\r\nm=audio 9 X 0\r\n")
        return try server.accept(offer, sdp: "answer é", iceServers: [ice]).response
      case .change(let change):
        changes.append(change)
        return server.accept(change, change.isRestart ? theirs : nil)
      case .end(_, let response):
        ends += 1
        return response
      }
    }
    try client.start(offer: "v=0\r\nm=audio 9 X 0\r\n", user: "abcd", password: "abcdefghijklmnopqrstuv", now: 0)
    try client.add(candidate, now: 0)
    try carry(client, &random, answer)
    #expect(client.takeEvent() == .answer(sdp: "answer é", iceServers: [ice]))
    client.endOfCandidates(now: 0)
    try carry(client, &random, answer)
    try client.restart(user: "wxyz", password: "zyxwvutsrqponmlkjihgfe", now: 0)
    try client.add(candidate, now: 0)
    try carry(client, &random, answer)
    #expect(client.takeEvent() == .restarted(theirs))
    #expect(changes.map(\.isRestart) == [false, false, true, false] && changes.map(\.fragment.isLast) == [false, true, false, false])
    #expect(changes.map(\.fragment.user) == ["abcd", "abcd", "wxyz", "wxyz"] && changes.map(\.fragment.candidates.count) == [1, 0, 0, 1])
    client.leave(now: 0)
    try carry(client, &random, answer)
    #expect(client.takeEvent() == .ended(nil) && client.isEnded && ends == 1)
  }

  /// A server that has no room at first, on the virtual clock.
  @Test(arguments: 0..<20) func aClientComesBack(seed: UInt64) throws {
    var random = SeededRandom(seed: seed)
    let server = WHIPServer(random: SeededRandom(seed: seed))
    var (policy, now, attempts) = (ReconnectPolicy(), Int64(0), 0)
    while true {
      attempts += 1
      let client = try WHIPClient(.whip, HTTPURL("https://a/whip/lobby", argument: "url"), token: nil)
      try client.start(offer: "v=0", user: "abcd", password: "abcdefghijklmnopqrstuv", now: now)
      try carry(client, &random) { request in
        guard case .offer(let offer) = server.receive(request) else { throw MediaError(.fail, "no offer") }
        guard now >= 60 * second else { return server.refuse(offer, MediaError(.full, "")) }
        return try server.accept(offer, sdp: "x").response
      }
      guard case .failed(let failure) = client.takeEvent() else { break }
      let delay = try #require(policy.delay(after: failure, random: &random))
      #expect(delay >= 2 * second)
      now += delay
    }
    #expect((60 * second...91 * second).contains(now) && (5...16).contains(attempts))
  }
}
