import MediaCore
import Testing

@testable import MediaICE

@Suite struct ConsentTests {
  @Test func itIsAskedForEveryFourToSixSeconds() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 5 * second) { pair.isCompleted }
    pair.network.run(for: 2 * second)
    let network = pair.network
    var times: [Int64] = []
    network.watch = { bytes, source, _ in
      if source == address("192.0.2.10", 1000), withMessage(bytes, { $0.kind == .request }) == true { times.append(network.now) }
      return true
    }
    pair.network.run(for: 600 * second)
    let pauses = zip(times.dropFirst(), times).map { $0 - $1 }
    #expect((100...150).contains(times.count) && pauses.allSatisfy { (4 * second...6 * second).contains($0) })
    #expect(Set(pauses).count > 50 && pair.a.states == [.checking, .connected, .completed])
  }

  @Test func withoutAnswersDataStopAfterThirtySeconds() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted)
    pair.network.isDown = true
    pair.network.run(for: 20 * second)
    #expect(pair.a.agent.state == .disconnected && pair.a.agent.route != nil)
    pair.network.run(for: 11 * second)
    #expect(pair.a.agent.state == .failed && pair.a.agent.route == nil && !pair.a.send([1]))
    #expect(pair.a.routes.count == 2 && pair.a.routes.last == .some(nil))
    let sent = pair.network.sent
    pair.network.run(for: 300 * second)
    #expect(pair.network.sent == sent)
  }

  /// Four seconds of nothing are no loss, and after twenty it comes back by itself.
  @Test func anOutageIsSurvived() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: 10 * second)
    for (outage, states) in [(4, [ICEState.completed]), (20, [.completed, .disconnected, .completed])] {
      pair.network.isDown = true
      pair.network.run(for: Int64(outage) * second)
      pair.network.isDown = false
      pair.network.run(for: 7 * second)
      #expect(pair.isCompleted && pair.carriesData())
      #expect(Array(pair.a.states.dropFirst(2)) == states)
    }
  }

  /// Where data came and come no longer, it is asked at once, and again each second: an outage is noticed in 7.5 s, its end in 1.
  @Test func silenceIsNoticed() throws {
    for seed: UInt64 in 1...20 {
      let pair = try TestPair.plain(seed: seed)
      let network = pair.network
      func carry(for time: Int64) {
        let end = network.now + time
        while network.now < end {
          #expect(pair.a.send([9]) && pair.b.send([9]))
          network.run(for: 50 * millisecond)
        }
      }
      network.run(for: 5 * second) { pair.isCompleted }
      carry(for: Int64(seed) * 300 * millisecond)
      network.isDown = true
      carry(for: 4_900 * millisecond)
      #expect(pair.a.agent.state == .completed && pair.b.agent.state == .completed)
      carry(for: 2_800 * millisecond)
      #expect(pair.a.agent.state == .disconnected && pair.b.agent.state == .disconnected)
      carry(for: 4 * second)
      network.isDown = false
      carry(for: 1_200 * millisecond)
      #expect(pair.a.agent.state == .completed && pair.b.agent.state == .completed)
      carry(for: 20 * second)
      #expect(pair.a.states.suffix(2) == [.disconnected, .completed] && pair.b.states.suffix(2) == [.disconnected, .completed])
    }
  }

  /// Requests that get lost say nothing where data come.
  @Test func aLossyPathIsNotSuspect() throws {
    let pair = try TestPair.plain()
    let network = pair.network
    network.run(for: 5 * second) { pair.isCompleted }
    network.loss = 100
    for _ in 0..<36_000 {
      #expect(pair.a.send([9]) && pair.b.send([9]))
      network.run(for: 100 * millisecond)
    }
    #expect(pair.a.states.last == .completed && !pair.a.states.contains(.disconnected) && !pair.b.states.contains(.disconnected))
  }

  /// Anybody can send what looks like data. What only the other end can give is an answer.
  @Test func dataWithoutAnswersAreNotEnough() throws {
    let pair = try TestPair.plain()
    let network = pair.network
    network.run(for: 5 * second) { pair.isCompleted }
    network.watch = { bytes, _, _ in withMessage(bytes, { _ in true }) != true }
    for _ in 0..<260 {
      _ = pair.b.send([9])
      network.run(for: 50 * millisecond)
    }
    #expect(pair.a.agent.state == .disconnected)
  }

  /// A router restarts in mid-call, again and again: its machines have other ports outside.
  @Test(arguments: [true, false]) func anotherMappingOfANATIsFound(isControlling: Bool) throws {
    let network = TestNetwork(seed: 5)
    _ = TestServer(network)
    var settings = ICESettings(isControlling: isControlling)
    settings.stunServers = [TestServer.stun]
    let a = TestPeer(network, TestSite(.portRestricted, host: "203.0.113.1"), settings)
    let b = TestPeer(network, TestSite(.open, host: "192.0.2.20"), ICESettings(isControlling: !isControlling))
    a.connect(b)
    try a.add("10.0.0.1", 5000)
    try b.add("192.0.2.20", 2000)
    let pair = TestPair(network, a, b)
    pair.start()
    network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.carriesData())
    for _ in 0..<50 {
      a.site.nat.forget()
      network.run(for: 20 * second)
      #expect(pair.isConnected && pair.carriesData())
      network.run(for: 10 * second)
    }
    #expect(b.agent.current.remotes.count <= CheckList.mostRemotes + CheckList.mostReflexive)
    #expect(!b.states.contains { $0 == .failed } && !a.states.contains { $0 == .failed })
  }

  /// What else was valid before the nomination takes over.
  @Test func whenItIsLostAnotherPathIsTaken() throws {
    let pair = TestPair()
    for port: UInt16 in [1, 2] {
      try pair.a.add("192.0.2.1\(port)", 1000)
      try pair.b.add("192.0.2.2\(port)", 2000)
    }
    pair.start()
    pair.network.run(for: 10 * second)
    #expect(pair.isCompleted)
    let broken = try #require(pair.a.agent.route?.remote)
    pair.network.watch = { _, source, destination in source != broken && destination != broken }
    pair.network.run(for: 60 * second)
    #expect(pair.isCompleted && pair.a.agent.route?.remote != broken && pair.carriesData())
  }
}
