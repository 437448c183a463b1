import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

@Suite struct RestartTests {
  private func restart(_ pair: TestPair) {
    pair.a.restart()
    pair.b.restart()
    for peer in [pair.a, pair.b] { peer.signal() }
  }

  @Test func dataFlowThroughARestart() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 10 * second)
    let (before, credentials) = (pair.a.agent.route, pair.a.agent.local)
    // One end restarts, the other learns of it later.
    pair.a.restart()
    #expect(pair.a.agent.local != credentials && pair.a.candidates.count == 1)
    pair.network.run(for: 8 * second)
    #expect(pair.a.agent.route == before && pair.b.agent.route != nil && pair.carriesData())
    pair.b.restart()
    for peer in [pair.a, pair.b] { peer.signal() }
    var lost = 0
    for _ in 0..<100 {
      if !pair.a.send([0x80]) || !pair.b.send([0x80]) { lost += 1 }
      pair.network.run(for: 10 * millisecond)
    }
    #expect(lost == 0 && pair.isCompleted)
    #expect(!pair.a.states.contains { $0 == .failed || $0 == .disconnected })
    pair.network.run(for: 5 * second)
    // All of them have come, whatever they came by.
    #expect(pair.a.received.count == 101 && pair.b.received.count == 101)
    #expect(pair.a.agent.former == nil && pair.b.agent.former == nil && pair.carriesData())
  }

  @Test func aRestartThatIsTakenBackLeavesEverythingAsItWas() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 10 * second)
    let (route, credentials) = (pair.a.agent.route, pair.a.agent.local)
    // A pair that nothing is proven of.
    let candidate = Candidate(.host, foundation: "9", priority: 1, address: "192.0.2.99", port: 9)
    #expect(pair.a.agent.addRemote(candidate, now: pair.network.now))
    let pairs = pair.a.agent.current.pairs.count
    for _ in 0..<3 {
      let announced = ICECredentials(using: &pair.network.random)
      pair.a.agent.restart(announced, now: pair.network.now)
      #expect(pair.a.agent.local == announced && pair.a.agent.route == route)
      pair.network.run(for: 8 * second)
      // And once more before it is taken back.
      pair.a.agent.restart(now: pair.network.now)
      pair.a.agent.cancelRestart(now: pair.network.now)
      #expect(pair.a.agent.local == credentials && pair.a.agent.former == nil && pair.a.agent.current.pairs.count == pairs)
      pair.network.run(for: 40 * second)
      #expect(pair.a.agent.route == route && pair.isCompleted && pair.carriesData())
    }
    #expect(!pair.a.states.contains { $0 == .failed || $0 == .disconnected })
    // A restart that was answered cannot be taken back.
    restart(pair)
    pair.network.run(for: 5 * second)
    let now = pair.a.agent.local
    pair.a.agent.cancelRestart(now: pair.network.now)
    #expect(pair.a.agent.local == now && now != credentials && pair.isCompleted)
  }

  @Test func aRestartBeforeAnythingIsKnownCanBeTakenBack() throws {
    let pair = try TestPair.plain()
    let credentials = pair.a.agent.local
    pair.a.agent.restart(now: pair.network.now)
    pair.a.agent.cancelRestart(now: pair.network.now)
    #expect(pair.a.agent.local == credentials)
    pair.network.run(for: 5 * second)
    #expect(pair.isCompleted)
  }

  /// The machine has moved: its old address is gone, and a new one is there.
  @Test func anAddressChangesInTheMiddle() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 10 * second)
    pair.a.remove(pair.a.bases[0].base)
    #expect(pair.a.agent.route == nil)
    try pair.a.add("192.0.2.11", 1001)
    let begin = pair.network.now
    restart(pair)
    pair.network.run(for: 5 * second) { pair.isCompleted && pair.b.agent.route?.remote == address("192.0.2.11", 1001) }
    let took = pair.network.now - begin
    #expect(pair.isCompleted && pair.carriesData() && took < 150 * millisecond)
  }

  /// A machine that moves all day.
  @Test func addressesMayChangeWithoutEnd() throws {
    let pair = try TestPair.plain()
    (pair.a.signalDelay, pair.b.signalDelay) = (millisecond, millisecond)
    for move in 1...100 {
      pair.network.run(for: 10 * second)
      #expect(pair.isCompleted && pair.carriesData())
      try pair.a.add("192.0.3.\(move)", 1000)
      pair.a.remove(pair.a.bases[0].base)
      restart(pair)
    }
    #expect(pair.a.agent.bases.count == 1 && pair.a.agent.paths.count == 1)
  }

  @Test func restartsMayFollowEachOther() throws {
    let pair = try TestPair.plain()
    // Descriptions do not cross: each is answered before the next.
    (pair.a.signalDelay, pair.b.signalDelay) = (millisecond, millisecond)
    for round in 0..<10 {
      restart(pair)
      pair.network.run(for: round % 2 == 0 ? 5 * millisecond : 10 * second)
    }
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.carriesData())
  }

  /// Candidates of before that nobody took are not mistaken for those of after.
  @Test func candidatesOfBeforeAreWithdrawn() throws {
    let agent = ICEAgent(ICESettings(isControlling: true), random: SeededRandom(seed: 1))
    _ = try agent.addHost(address("192.0.2.1", 1000), now: 0)
    agent.endOfHosts(now: 0)
    _ = agent.poll(now: 0)
    agent.restart(now: 0)
    _ = agent.poll(now: 0)
    var (candidates, ends) = (0, 0)
    while let event = agent.takeEvent() {
      if case .candidate = event { candidates += 1 }
      if case .gatheringComplete = event { ends += 1 }
    }
    #expect(candidates == 1 && ends == 1)
  }

  @Test func whatIsOfBeforeIsRefused() throws {
    let pair = try TestPair.plain()
    var old: [[UInt8]] = []
    pair.network.watch = { bytes, source, _ in
      if source == address("192.0.2.20", 2000) { old.append(bytes) }
      return true
    }
    pair.network.run(for: 10 * second)
    pair.network.watch = nil
    restart(pair)
    pair.network.run(for: 20 * second)
    #expect(pair.isCompleted && !old.isEmpty)
    let (refused, pairs) = (pair.a.agent.refused, pair.a.agent.current.pairs.count)
    for bytes in old { pair.a.receive(bytes, from: address("192.0.2.20", 2000), at: address("192.0.2.10", 1000)) }
    #expect(pair.a.agent.refused == refused + UInt64(old.count) && pair.a.agent.current.pairs.count == pairs)
  }
}
