import MediaCore
import MediaSDP
import Testing

@testable import MediaICE

/// A server behind a NAT that hands on each port with its number, and that is told the NAT's address.
@Suite struct PublicAddressTests {
  private func server(_ addresses: String...) -> ICESettings {
    var settings = ICESettings(isControlling: false)
    settings.publicAddresses = addresses.map { address($0, 0) }
    return settings
  }

  private func candidates(_ agent: ICEAgent) -> [Candidate] {
    var found: [Candidate] = []
    while let event = agent.takeEvent() {
      if case .candidate(let candidate) = event { found.append(candidate) }
    }
    return found
  }

  @Test func eachBaseOfTheFamilyIsAnnouncedThere() throws {
    let agent = ICEAgent(server("203.0.113.1", "2001:db8:9::1"), random: SeededRandom(seed: 1))
    _ = try agent.addHost(address("10.0.0.1", 5000), now: 0)
    _ = try agent.addHost(address("2001:db8::1", 6000), now: 0)
    _ = try agent.addHost(address("10.0.0.1", 443), .tcpPassive, now: 0)
    _ = try agent.addHost(address("127.0.0.1", 7000), now: 0)
    // It has the address itself: it is a host's.
    _ = try agent.addHost(address("203.0.113.1", 8000), now: 0)
    let all = candidates(agent)
    let reflexive = all.filter { $0.kind == .serverReflexive }
    #expect(all.count { $0.kind == .host } == 5 && all.count == 8)
    #expect(
      reflexive.map { "\($0.transport) \($0.address) \($0.port)" } == [
        "udp 203.0.113.1 5000", "udp 2001:db8:9::1 6000", "tcp 203.0.113.1 443"
      ])
    #expect(reflexive.map(\.related) == [.init("10.0.0.1", port: 5000), .init("2001:db8::1", port: 6000), .init("10.0.0.1", port: 443)])
    #expect(reflexive[2].extensions == [.init("tcptype", "passive")])
    // Whoever is beside it goes there directly, and by UDP before TCP.
    let ranks = [all[0], reflexive[0], try #require(all.first { $0.transport == "tcp" }), reflexive[2]].map(\.priority)
    #expect(ranks == ranks.sorted(by: >) && Set(ranks).count == 4)
    for candidate in all { #expect(try Candidate(parsing: candidate.text) == candidate) }
  }

  @Test func anotherGenerationIsAnnouncedThereToo() throws {
    let agent = ICEAgent(server("203.0.113.1"), random: SeededRandom(seed: 1))
    _ = try agent.addHost(address("10.0.0.1", 5000), now: 0)
    #expect(candidates(agent).map(\.kind) == [.host, .serverReflexive])
    agent.restart(now: 0)
    #expect(candidates(agent).map(\.kind) == [.host, .serverReflexive])
  }

  @Test func withRelaysOnlyItIsNot() throws {
    var settings = server("203.0.113.1")
    settings.policy = .relay
    let agent = ICEAgent(settings, random: SeededRandom(seed: 1))
    _ = try agent.addHost(address("10.0.0.1", 5000), now: 0)
    #expect(candidates(agent).isEmpty)
  }

  /// No server of STUN or TURN is there; clients are behind each kind of NAT.
  @Test(arguments: NATKind.allCases, [true, false]) func itIsReached(_ kind: NATKind, _ isAnnounced: Bool) throws {
    let network = TestNetwork(seed: 1)
    let site = TestSite(.symmetric, host: "203.0.113.1")
    site.nat.machine = address("10.0.0.1", 0)
    let served = TestPeer(network, site, isAnnounced ? server("203.0.113.1") : server())
    let client = TestPeer(network, TestSite(kind, host: "198.51.100.1"), ICESettings(isControlling: true))
    served.connect(client)
    try served.add("10.0.0.1", 5000)
    try client.add(kind == .open ? "198.51.100.1" : "10.1.0.1", 6000)
    let pair = TestPair(network, client, served)
    pair.start()
    network.run(for: 10 * second) { pair.isCompleted }
    // Where the client is reached from inside, the NAT lets the answers in.
    #expect(pair.isCompleted == (isAnnounced || kind == .open))
    if isAnnounced { #expect(pair.carriesData()) }
  }
}
