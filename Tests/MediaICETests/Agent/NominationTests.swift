import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

@Suite struct NominationTests {
  /// The relayed pair is valid first, and data go over it; the direct one, whose path is longer, takes over before the nomination.
  @Test func aBetterPairTakesOverBeforeTheNomination() throws {
    let test = try RelayedPair(.udp, .fullCone, .fullCone)
    let network = test.pair.network
    // What is direct passes only after 450 ms.
    let begin = network.now
    network.watch = { _, source, destination in
      let isRelayed = source.host == TestServer.host || destination.host == TestServer.host
      return isRelayed || network.now - begin > 450 * millisecond
    }
    test.pair.start()
    network.run(for: 450 * millisecond) { test.pair.isConnected }
    #expect(test.pair.a.agent.route?.isRelayed == true && test.pair.a.agent.state == .connected && test.pair.a.send([0x80, 1]))
    network.run(for: 10 * second)
    #expect(test.pair.isCompleted && test.pair.a.agent.route?.isRelayed == false && test.pair.b.agent.route?.isRelayed == false)
    #expect(test.pair.a.agent.route?.remote == address("203.0.113.2", 20_000) && test.pair.b.received == [[0x80, 1]])
    #expect(test.pair.carriesData())
  }

  /// Nothing better is waited for longer than that.
  @Test func aRelayIsNominatedAfterASecond() throws {
    let test = try RelayedPair(.udp, .symmetric, .symmetric)
    test.pair.start()
    test.pair.network.run(for: 10 * second) { test.pair.isConnected }
    let first = test.pair.network.now
    test.pair.network.run(for: 10 * second) { test.pair.isCompleted }
    #expect((900 * millisecond...1_200 * millisecond).contains(test.pair.network.now - first))
  }

  @Test func afterTheNominationNothingElseIsChecked() throws {
    let pair = TestPair()
    for port: UInt16 in 1...4 {
      try pair.a.add("192.0.2.1\(port)", 1000)
      try pair.b.add("192.0.2.2\(port)", 2000)
    }
    pair.start()
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.a.agent.route?.remote == address("192.0.2.21", 2000))
    #expect(pair.b.agent.route?.remote == address("192.0.2.11", 1000))
    let sent = pair.network.sent
    pair.network.run(for: 60 * second)
    // Consent in both directions, with answers.
    #expect((40...64).contains(pair.network.sent - sent))
  }

  /// Other implementations name every pair that they check, and the best of them counts.
  @Test func aggressiveNominationIsFollowed() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let base = try agent.addHost(address("192.0.2.1", 1000), now: 0)
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    let peer = ForgedPeer(agent, base)
    peer.check(from: address("192.0.2.31", 1), priority: 100, isNominating: true, now: 0)
    peer.answerAll(now: 0)
    #expect(agent.state == .completed && agent.route?.remote == address("192.0.2.31", 1))
    peer.check(from: address("192.0.2.32", 1), priority: 200, isNominating: true, now: second)
    peer.answerAll(now: second)
    #expect(agent.route?.remote == address("192.0.2.32", 1))
    peer.check(from: address("192.0.2.33", 1), priority: 50, isNominating: true, now: second)
    peer.answerAll(now: second)
    #expect(agent.route?.remote == address("192.0.2.32", 1))
    // Later a better one counts no more, as long as the other is alive.
    for step in 2..<8 {
      peer.check(from: address("192.0.2.32", 1), priority: 200, now: Int64(step) * second)
      peer.answerAll(now: Int64(step) * second)
    }
    peer.check(from: address("192.0.2.34", 1), priority: 300, isNominating: true, now: 7 * second)
    peer.answerAll(now: 7 * second)
    #expect(agent.route?.remote == address("192.0.2.32", 1))
    // It has left that one.
    for step in 8..<12 { peer.answerAll(now: Int64(step) * second) }
    peer.check(from: address("192.0.2.33", 1), priority: 50, isNominating: true, now: 12 * second)
    peer.answerAll(now: 12 * second)
    #expect(agent.route?.remote == address("192.0.2.33", 1))
  }

  /// The other end names a pair that this end has not yet checked: that counts when its check has succeeded, and not before.
  @Test func aNominationCountsWhenTheOwnCheckHasSucceeded() throws {
    let agent = ICEAgent(ICESettings(isControlling: false), random: SeededRandom(seed: 1))
    let base = try agent.addHost(address("192.0.2.1", 1000), now: 0)
    try agent.setRemote(.init(user: "peer", password: ForgedPeer.password), now: 0)
    let peer = ForgedPeer(agent, base)
    peer.check(from: address("192.0.2.31", 1), priority: 100, isNominating: true, now: 0)
    _ = agent.poll(now: 0)
    #expect(agent.route == nil && agent.state == .checking)
    peer.answerAll(now: 0)
    #expect(agent.route != nil && agent.state == .completed)
  }
}
