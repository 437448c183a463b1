import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

@Suite struct GatheringTests {
  private func peer(_ settings: ICESettings, _ kind: NATKind = .fullCone) -> (TestNetwork, TestPeer, TestServer) {
    let network = TestNetwork(seed: 1)
    let server = TestServer(network)
    return (network, TestPeer(network, TestSite(kind, host: "203.0.113.1"), settings), server)
  }

  @Test func everyKindIsOfferedOnceWithItsBase() throws {
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun, TestServer.stun]
    settings.relays = [TestServer.relay(), TestServer.relay(.tls)]
    let (network, peer, _) = peer(settings)
    try peer.add("10.0.0.1", 5000)
    try peer.add("10.0.0.2", 5000)
    try peer.add("2001:db8::1", 5000)
    #expect(peer.candidates.isEmpty)
    peer.agent.endOfHosts(now: network.now)
    network.run(for: 5 * second) { peer.isGathered }
    #expect(peer.isGathered && peer.failures.isEmpty)
    let kinds = peer.candidates.map(\.kind)
    #expect(kinds.count { $0 == .host } == 3 && kinds.count { $0 == .serverReflexive } == 2 && kinds.count { $0 == .relayed } == 3)
    #expect(Set(peer.candidates.map(\.text)).count == 8 && Set(peer.candidates.map(\.priority)).count == 8)
    let reflexive = try #require(peer.candidates.first { $0.kind == .serverReflexive })
    #expect(reflexive.address == "203.0.113.1" && reflexive.related == .init("10.0.0.1", port: 5000))
    // Each can be read by the other end.
    for candidate in peer.candidates { #expect(try Candidate(parsing: candidate.text) == candidate) }
  }

  /// Without a NAT what the server says is the host itself, and no candidate.
  @Test func whatIsTheHostItselfIsNotOffered() throws {
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun]
    let (network, peer, _) = peer(settings, .open)
    try peer.add("192.0.2.1", 5000)
    peer.agent.endOfHosts(now: network.now)
    network.run(for: 5 * second) { peer.isGathered }
    #expect(peer.isGathered && peer.candidates.map(\.kind) == [.host])
  }

  /// As if their names had been resolved late: before the end of hosts, or after everything was gathered.
  @Test(arguments: [false, true]) func serversMayBeAddedLater(isGathered: Bool) throws {
    let (network, peer, _) = peer(ICESettings(isControlling: true))
    try peer.add("10.0.0.1", 5000)
    if isGathered {
      peer.agent.endOfHosts(now: network.now)
      network.run(for: second) { peer.isGathered }
      #expect(peer.isGathered && peer.candidates.count == 1)
    }
    #expect(peer.agent.addServer(TestServer.stun, now: network.now) && !peer.agent.addServer(TestServer.stun, now: network.now))
    for relay in [TestServer.relay(), TestServer.relay(.tls)] {
      #expect(peer.agent.addRelay(relay, now: network.now) && !peer.agent.addRelay(relay, now: network.now))
    }
    peer.agent.endOfHosts(now: network.now)
    network.run(for: 5 * second)
    #expect(peer.isGathered && peer.failures.isEmpty)
    let kinds = peer.candidates.map(\.kind)
    #expect(kinds.count { $0 == .host } == 1 && kinds.count { $0 == .serverReflexive } == 1 && kinds.count { $0 == .relayed } == 2)
    // After a restart they are asked again.
    peer.restart()
    network.run(for: 5 * second) { peer.isGathered }
    #expect(peer.isGathered && peer.candidates.count == 4)
  }

  @Test func serversThatAreOfNoUseAreNotAdded() throws {
    let (network, peer, _) = peer(ICESettings(isControlling: true))
    #expect(!peer.agent.addServer(address("0.0.0.0", 3478), now: network.now))
    for port in 1...4 { #expect(peer.agent.addServer(address("198.51.100.9", UInt16(port)), now: network.now)) }
    #expect(!peer.agent.addServer(address("198.51.100.9", 5), now: network.now))
    var settings = ICESettings(isControlling: true)
    settings.policy = .relay
    let hidden = ICEAgent(settings, random: SeededRandom(seed: 1))
    #expect(!hidden.addServer(TestServer.stun, now: 0) && hidden.addRelay(TestServer.relay(), now: 0))
    hidden.close(now: 0)
    #expect(!hidden.addRelay(TestServer.relay(.tcp), now: 0))
  }

  @Test func serversThatDoNotAnswerAreSaidAndEndInTime() throws {
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun]
    let (network, peer, server) = peer(settings)
    server.isSilent = true
    try peer.add("10.0.0.1", 5000)
    peer.agent.endOfHosts(now: network.now)
    let begin = network.now
    network.run(for: 20 * second) { peer.isGathered }
    #expect(peer.isGathered && peer.failures.count == 1 && network.now - begin < 6 * second)
  }

  /// A NAT forgets a path after 40 s; candidates of a minute ago still work.
  @Test func candidatesAreKeptOpenUntilThereIsARoute() throws {
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun]
    let network = TestNetwork(seed: 1)
    _ = TestServer(network)
    let a = TestPeer(network, TestSite(.fullCone, host: "203.0.113.1"), settings)
    let b = TestPeer(network, TestSite(.fullCone, host: "203.0.113.2"), settings)
    a.connect(b)
    try a.add("10.0.0.1", 5000)
    try b.add("10.0.1.1", 5000)
    let pair = TestPair(network, a, b)
    for peer in [a, b] { peer.agent.endOfHosts(now: network.now) }
    network.run(for: 90 * second)
    for peer in [a, b] { peer.signal() }
    network.run(for: 10 * second)
    #expect(pair.isCompleted && pair.carriesData())
    #expect(a.agent.route?.remote == address("203.0.113.2", 20_000))
  }

  /// And so is what a relay was reached by.
  @Test func relaysAreKeptReachableUntilThereIsARoute() throws {
    let test = try RelayedPair()
    for peer in [test.pair.a, test.pair.b] { peer.agent.endOfHosts(now: test.pair.network.now) }
    test.pair.network.run(for: 90 * second)
    for peer in [test.pair.a, test.pair.b] { peer.signal() }
    test.pair.network.run(for: 10 * second)
    #expect(test.pair.isCompleted && test.pair.carriesData() && test.server.allocationCount == 1)
  }

  @Test func loopbackAsksNoServerOutside() throws {
    var settings = ICESettings(isControlling: true)
    settings.stunServers = [TestServer.stun]
    settings.relays = [TestServer.relay()]
    let (network, peer, _) = peer(settings)
    try peer.add("127.0.0.1", 5000)
    peer.agent.endOfHosts(now: network.now)
    network.run(for: millisecond)
    #expect(peer.isGathered && peer.failures.isEmpty && network.sent == 0)
  }
}
