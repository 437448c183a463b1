import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

/// Two agents on public machines.
struct TestPair {
  let network: TestNetwork
  let a: TestPeer
  let b: TestPeer

  init(_ network: TestNetwork, _ a: TestPeer, _ b: TestPeer) {
    (self.network, self.a, self.b) = (network, a, b)
  }

  init(seed: UInt64 = 1, _ first: ICESettings = ICESettings(isControlling: true), _ second: ICESettings = ICESettings(isControlling: false))
  {
    network = TestNetwork(seed: seed)
    a = TestPeer(network, TestSite(.open, host: "192.0.2.10"), first)
    b = TestPeer(network, TestSite(.open, host: "192.0.2.20"), second)
    a.connect(b)
  }

  /// With one address each.
  static func plain(
    seed: UInt64 = 1, delay: Int64 = 20 * millisecond, _ first: ICESettings = ICESettings(isControlling: true),
    _ second: ICESettings = ICESettings(isControlling: false)
  ) throws -> TestPair {
    let pair = TestPair(seed: seed, first, second)
    pair.network.delay = delay
    try pair.a.add("192.0.2.10", 1000)
    try pair.b.add("192.0.2.20", 2000)
    pair.start()
    return pair
  }

  func start() {
    for peer in [a, b] {
      peer.agent.endOfHosts(now: network.now)
      peer.settle()
      if peer.trickles { peer.signal() }
    }
  }

  var isConnected: Bool { a.agent.route != nil && b.agent.route != nil }
  var isCompleted: Bool { a.agent.state == .completed && b.agent.state == .completed }

  /// Data arrive in both directions, as they were sent.
  func carriesData(_ size: Int = 77) -> Bool {
    let (there, back) = ([UInt8](repeating: 0x80, count: size), [UInt8](repeating: 0x90, count: size + 1))
    let (countA, countB) = (a.received.count, b.received.count)
    guard a.send(there), b.send(back) else { return false }
    network.run(for: 5 * network.delay + 3 * network.jitter + 100 * millisecond)
    return b.received.dropFirst(countB).contains(there) && a.received.dropFirst(countA).contains(back)
  }
}

@Suite struct ICEAgentTests {
  /// A check that is sent again while its answer is on the way does not make the path look shorter.
  @Test(arguments: [5, 30, 100, 300] as [Int64], [0, 50]) func aRoundTripIsAsLongAsThePath(delay: Int64, loss: Int) throws {
    for seed in 1...(loss > 0 ? 20 : 1) as ClosedRange<UInt64> {
      let pair = try TestPair.plain(seed: seed, delay: delay * millisecond)
      pair.network.loss = loss
      pair.network.run(for: 20 * second) { pair.isCompleted }
      for peer in [pair.a, pair.b] {
        let least = try #require(peer.agent.leastRoundTrip)
        #expect(least >= 2 * delay * millisecond, "\(least / millisecond)")
        if loss == 0 { #expect(least <= (2 * delay + 1) * millisecond, "\(least / millisecond)") }
      }
    }
  }

  @Test func twoEndsConnectWithinAFewRoundTrips() throws {
    let pair = try TestPair.plain(delay: 100_000)
    let begin = pair.network.now
    pair.a.signalDelay = 1_000_000
    pair.network.run(for: 10 * second) { pair.isCompleted }
    #expect(pair.isCompleted)
    // Signalling took 30 ms; the checks 20 ms at most.
    #expect(pair.network.now - begin < 50 * millisecond)
    #expect(pair.carriesData())
    #expect(pair.a.states == [.checking, .connected, .completed])
    #expect(pair.a.agent.route?.remote == address("192.0.2.20", 2000) && pair.b.agent.route?.remote == address("192.0.2.10", 1000))
    #expect(pair.a.agent.refused == 0 && pair.b.agent.refused == 0)
  }

  /// What ends know of each other comes at different times: the first check of the earlier one is lost, and costs 50 ms and not 500.
  @Test func aLostFirstCheckCostsLittle() throws {
    let pair = try TestPair.plain(delay: 100_000)
    var isFirst = true
    pair.network.watch = { _, _, _ in
      defer { isFirst = false }
      return !isFirst
    }
    let begin = pair.network.now
    pair.network.run(for: 10 * second) { pair.isConnected }
    #expect(pair.isConnected && pair.network.now - begin < 90 * millisecond)
  }

  @Test func credentialsAreLongAndDiffer() {
    let settings = ICESettings(isControlling: true)
    let agents = (0..<50).map { ICEAgent(settings, random: SeededRandom(seed: $0)) }
    #expect(Set(agents.map(\.local.password)).count == 50 && Set(agents.map(\.local.user)).count == 50)
    #expect(agents.allSatisfy { $0.local.user.utf8.count == 8 && $0.local.password.utf8.count == 24 })
  }

  @Test func descriptionsThatCannotBeAreRefused() throws {
    let agent = ICEAgent(ICESettings(isControlling: true), random: SeededRandom(seed: 1))
    let password = String(repeating: "p", count: 22)
    #expect(throws: MediaError.self) { try agent.setRemote(.init(user: "abc", password: password), now: 0) }
    #expect(throws: MediaError.self) { try agent.setRemote(.init(user: "abcd", password: "short"), now: 0) }
    try agent.setRemote(.init(user: "abcd", password: password), now: 0)
    try agent.setRemote(.init(user: "abcd", password: password), now: 0)
    #expect(throws: MediaError.self) { try agent.setRemote(.init(user: "other", password: password), now: 0) }
    #expect(throws: MediaError.self) { try agent.addHost(address("0.0.0.0", 5), now: 0) }
    #expect(throws: MediaError.self) { try agent.addHost(address("192.0.2.1", 0), now: 0) }
    for port in 1...16 { _ = try agent.addHost(address("192.0.2.1", UInt16(port)), now: 0) }
    #expect(throws: MediaError.self) { try agent.addHost(address("192.0.2.1", 17), now: 0) }
  }

  @Test func candidatesThatAreOfNoUseDoNoHarm() throws {
    let agent = ICEAgent(ICESettings(isControlling: true), random: SeededRandom(seed: 1))
    for text in [
      "1 1 udp 1 4f1a2b3c-aaaa-bbbb-cccc-123456789abc.local 5000 typ host", "1 1 udp 1 example.org 5000 typ host",
      "1 2 udp 1 192.0.2.9 5000 typ host", "1 1 tcp 1 192.0.2.9 9 typ host tcptype active", "1 1 udp 1 192.0.2.9 0 typ host",
      "1 1 udp 1 224.0.0.1 5000 typ host", "1 1 udp 1 0.0.0.0 5000 typ host", "1 1 udp 1 fe80::1 5000 typ host",
      "1 1 udp 1 fe80::1%lo 5000 typ host", "1 1 udp 1 192.0.2.9 5000 typ magic"
    ] {
      #expect(try !agent.addRemote(text, now: 0), "\(text)")
    }
    #expect(throws: MediaError.self) { try agent.addRemote("candidate:1 1 udp", now: 0) }
    #expect(try agent.addRemote("candidate:1 1 UDP 1 192.0.2.9 5000 typ host generation 0", now: 0))
    #expect(try !agent.addRemote("1 1 udp 1 192.0.2.9 5000 typ host", now: 0))
    try agent.setRemote(.init(user: "abcd", password: String(repeating: "p", count: 22)), now: 0)
    #expect(try !agent.addRemote("1 1 udp 1 192.0.2.9 5001 typ host ufrag old1", now: 0))
    #expect(try agent.addRemote("1 1 udp 1 192.0.2.9 5001 typ host ufrag abcd", now: 0))
  }

  /// A browser that hides its addresses: they are learnt from its checks.
  @Test func anEndThatNamesNoAddressIsFoundByItsChecks() throws {
    let pair = TestPair()
    try pair.a.add("192.0.2.10", 1000)
    try pair.b.add("192.0.2.20", 2000)
    try pair.b.agent.setRemote(pair.a.agent.local, now: pair.network.now)
    _ = try pair.a.agent.addRemote("1 1 udp 2122260223 0b1e.local 2000 typ host", now: pair.network.now)
    pair.a.settle()
    for candidate in pair.a.candidates { _ = pair.b.agent.addRemote(candidate, now: pair.network.now) }
    // Its checks come before its description does.
    pair.network.run(for: 300 * millisecond)
    #expect(pair.a.agent.route == nil && pair.a.agent.state == .new)
    try pair.a.agent.setRemote(pair.b.agent.local, now: pair.network.now)
    let begin = pair.network.now
    pair.network.run(for: second) { pair.isCompleted }
    #expect(pair.isCompleted && pair.network.now - begin < 300 * millisecond && pair.carriesData())
  }

  /// A candidate that comes late, while the others are still hoped for, or when they have failed.
  @Test(arguments: [(20, 0), (70, 0), (70, 9)] as [(Int64, Int64)]) func aLateCandidateIsChecked(seconds: Int64, outage: Int64) throws {
    let pair = TestPair()
    (pair.a.trickles, pair.b.trickles) = (false, false)
    try pair.a.add("192.0.2.10", 1000)
    try pair.b.add("192.0.2.20", 2000)
    for (one, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
      one.other = nil
      try one.agent.setRemote(other.agent.local, now: pair.network.now)
      _ = try one.agent.addRemote("1 1 udp 99 203.0.113.77 9 typ host", now: pair.network.now)
    }
    pair.network.run(for: seconds * second)
    #expect(pair.a.agent.state == (seconds > 60 ? .failed : .checking))
    let begin = pair.network.now
    for (one, other) in [(pair.a, pair.b), (pair.b, pair.a)] {
      for candidate in other.candidates { _ = one.agent.addRemote(candidate, now: begin) }
    }
    // It is hoped for ten seconds.
    pair.network.isDown = outage > 0
    pair.network.run(for: outage * second)
    pair.network.isDown = false
    pair.network.run(for: 5 * second) { pair.isCompleted }
    #expect(pair.isCompleted && pair.carriesData())
    if outage == 0 { #expect(pair.network.now - begin < 500 * millisecond) }
  }

  @Test func nothingComesAfterClosing() throws {
    let pair = try TestPair.plain()
    pair.network.run(for: second)
    #expect(pair.isCompleted)
    pair.a.agent.close(now: pair.network.now)
    #expect(pair.a.agent.poll(now: pair.network.now) == .max && pair.a.agent.route == nil && pair.a.agent.state == .closed)
    pair.a.settle()
    #expect(pair.a.states.last == .closed)
    pair.network.run(for: 60 * second)
    #expect(pair.a.states.last == .closed && pair.b.agent.state == .failed && pair.b.agent.route == nil)
  }

  @Test func withoutAnyPathItFailsAndNotTooEarly() throws {
    let pair = TestPair()
    pair.network.isDown = true
    try pair.a.add("192.0.2.10", 1000)
    try pair.b.add("192.0.2.20", 2000)
    pair.start()
    pair.network.run(for: 35 * second)
    #expect(pair.a.agent.state == .checking)
    pair.network.run(for: 30 * second)
    #expect(pair.a.agent.state == .failed && pair.b.agent.state == .failed && pair.a.routes.isEmpty)
    // And nothing is sent any longer.
    let sent = pair.network.sent
    pair.network.run(for: 600 * second)
    #expect(pair.network.sent == sent)
  }
}
