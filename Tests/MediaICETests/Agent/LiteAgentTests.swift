import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

@Suite struct LiteAgentTests {
  private func pair() throws -> TestPair {
    var lite = ICESettings(isControlling: true)
    lite.isLite = true
    lite.stunServers = [TestServer.stun]
    // The other end does not know at first, and believes to be controlled.
    return try TestPair.plain(ICESettings(isControlling: false), lite)
  }

  @Test func aLiteEndAnswersAndSendsNoChecks() throws {
    let pair = try pair()
    var requests = 0
    pair.network.watch = { bytes, source, _ in
      if source == address("192.0.2.20", 2000), withMessage(bytes, { $0.kind == .request }) == true { requests += 1 }
      return true
    }
    pair.network.run(for: 60 * second)
    #expect(pair.isCompleted && pair.carriesData() && requests == 0)
    #expect(pair.a.agent.isControlling && !pair.b.agent.isControlling && pair.b.failures.isEmpty)
    #expect(pair.b.candidates.map(\.kind) == [.host] && pair.b.isGathered)
  }

  @Test func itLosesAnEndThatIsGone() throws {
    let pair = try pair()
    pair.network.run(for: 5 * second)
    pair.a.agent.close(now: pair.network.now)
    pair.network.run(for: 16 * second)
    #expect(pair.b.agent.state == .disconnected)
    pair.network.run(for: 20 * second)
    #expect(pair.b.agent.state == .failed && pair.b.agent.route == nil)
  }

  @Test func itRestarts() throws {
    let pair = try pair()
    pair.network.run(for: 5 * second)
    for peer in [pair.a, pair.b] { peer.restart() }
    for peer in [pair.a, pair.b] { peer.signal() }
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.carriesData())
  }

  @Test func twoOfThemAreRefused() throws {
    var settings = ICESettings(isControlling: true)
    settings.isLite = true
    let agent = ICEAgent(settings, random: SeededRandom(seed: 1))
    #expect(throws: MediaError.self) {
      try agent.setRemote(.init(user: "abcd", password: String(repeating: "p", count: 22)), isLite: true, now: 0)
    }
  }

  /// It checks nothing itself: a copy of a nomination, sent from elsewhere, must not move what it sends.
  @Test func copiesOfANominationMoveNothing() throws {
    let pair = try pair()
    var copies: [[UInt8]] = []
    pair.network.watch = { bytes, _, destination in
      if destination == address("192.0.2.20", 2000) { copies.append(bytes) }
      return true
    }
    // So many that the first are forgotten.
    pair.network.run(for: 600 * second)
    pair.network.watch = nil
    #expect(copies.count > CheckList.mostRecent)
    let route = pair.b.agent.route
    for copy in copies { pair.b.receive(copy, from: address("192.0.2.66", 6), at: address("192.0.2.20", 2000)) }
    #expect(pair.b.agent.route == route && pair.carriesData())
  }
}
