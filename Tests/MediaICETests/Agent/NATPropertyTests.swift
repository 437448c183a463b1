import Glibc
import MediaCore
import Testing

@testable import MediaICE

/// Two agents in sites of every kind, with every kind of help: a route at both ends, and data in both directions, in every seed in which a
/// path exists, and no route at all in the others. MSDK_TEST_ICE_SEEDS: how many seeds; MSDK_TEST_SEED: where they begin.
@Suite struct NATPropertyTests {
  private struct Side {
    var kind: NATKind
    var blocksUDP: Bool
    let relay: ICERelay.Transport?
    let hasIPv6: Bool
    let isMultihomed: Bool
    let policy: ICESettings.Policy

    init(_ random: inout SeededRandom) {
      kind = NATKind.allCases.randomElement(using: &random) ?? .open
      blocksUDP = Int.random(in: 0..<10, using: &random) == 0
      relay = [nil, nil, nil, .udp, .tcp, .tls].randomElement(using: &random) ?? nil
      hasIPv6 = Int.random(in: 0..<8, using: &random) == 0
      isMultihomed = Int.random(in: 0..<4, using: &random) == 0
      policy = relay != nil && Int.random(in: 0..<8, using: &random) == 0 ? .relay : .all
    }

    var hasUsableRelay: Bool { relay.map { $0 != .udp || !blocksUDP } ?? false }
    /// It gets to what is public.
    var reaches: Bool { policy == .all && !blocksUDP || hasUsableRelay }
    var text: String { "\(kind)\(blocksUDP ? " without UDP" : ""), \(relay?.rawValue ?? "no") relay, \(hasIPv6 ? "IPv6, " : "")\(policy)" }
  }

  /// Where the second one is: in a site of its own, or in that of the first, which lets them meet, does not, or does so at the router only.
  private enum Place: CaseIterable {
    case apart, together, isolated, hairpin
  }

  /// What the emulated network allows.
  private static func hasPath(_ a: Side, _ b: Side, _ place: Place) -> Bool {
    if a.hasUsableRelay && b.reaches || b.hasUsableRelay && a.reaches { return true }
    guard a.policy == .all, b.policy == .all else { return false }
    if place == .together { return true }
    if a.blocksUDP || b.blocksUDP { return false }
    if a.hasIPv6 && b.hasIPv6 { return true }
    if place == .isolated { return a.kind == .open }
    return !(a.kind.isHard && (b.kind.isHard || b.kind == .portRestricted) || b.kind.isHard && a.kind == .portRestricted)
  }

  /// nil: as it is to be.
  private static func run(seed: UInt64, _ connected: inout Int) throws -> String? {
    let network = TestNetwork(seed: seed)
    _ = TestServer(network)
    var random = network.random
    var sides = [Side(&random), Side(&random)]
    let place = Int.random(in: 0..<5, using: &random) > 0 ? .apart : Place.allCases.randomElement(using: &random) ?? .apart
    if place != .apart { (sides[1].kind, sides[1].blocksUDP) = (sides[0].kind, sides[0].blocksUDP) }
    network.delay = Int64.random(in: 100_000...(150 * millisecond), using: &random)
    network.jitter = Int64.random(in: 0...(100 * millisecond), using: &random)
    network.loss = [0, 0, 20, 100].randomElement(using: &random) ?? 0
    let near = TestSite(sides[0].kind, host: "203.0.113.1")
    near.blocksUDP = sides[0].blocksUDP
    near.isIsolated = place == .isolated || place == .hairpin
    near.nat.hasHairpin = place == .hairpin
    let far = place == .apart ? TestSite(sides[1].kind, host: "203.0.113.2") : near
    far.blocksUDP = sides[1].blocksUDP
    let a = try makePeer(sides[0], near, 0, &random)
    let b = try makePeer(sides[1], far, 1, &random)
    a.connect(b)
    let pair = TestPair(network, a, b)
    pair.start()
    let what = "seed \(seed): \(place); \(sides[0].text); \(sides[1].text); \(network.delay / millisecond) ms, loss \(network.loss)"
    guard hasPath(sides[0], sides[1], place) else {
      network.run(for: 70 * second)
      let isRight = a.routes.isEmpty && b.routes.isEmpty && a.agent.state == .failed && b.agent.state == .failed
      return isRight ? nil : "\(what): \(a.agent.state), \(b.agent.state) where there is no path"
    }
    connected += 1
    network.run(for: 60 * second) { pair.isCompleted }
    guard pair.isCompleted else { return "\(what): \(a.agent.state), \(b.agent.state)" }
    for _ in 0..<30 where pair.carriesData() { return nil }
    return "\(what): no data"

    func makePeer(_ side: Side, _ site: TestSite, _ index: Int, _ random: inout SeededRandom) throws -> TestPeer {
      // Now and then both believe to be controlling, or none.
      var settings = ICESettings(isControlling: (index == 0) != (Int.random(in: 0..<10, using: &random) == 0))
      settings.stunServers = [TestServer.stun]
      settings.policy = side.policy
      if let relay = side.relay { settings.relays = [TestServer.relay(relay)] }
      let peer = TestPeer(network, site, settings)
      peer.trickles = Int.random(in: 0..<3, using: &random) > 0
      peer.signalDelay = Int64.random(in: 0...500, using: &random) * millisecond
      if Int.random(in: 0..<10, using: &random) == 0 { peer.signalDelay += 4 * second }
      let net = site.nat.kind == .open ? "192.0.2" : "10.0.\(index)"
      try peer.add("\(net).\(10 + index)", 5000)
      if side.isMultihomed { try peer.add("\(net).\(20 + index)", 5000) }
      if side.hasIPv6 { try peer.add("2001:db8:\(index + 1)::1", 5000) }
      return peer
    }
  }

  @Test func endsConnectWhereverAPathExists() throws {
    let count = getenv("MSDK_TEST_ICE_SEEDS").flatMap { UInt64(String(cString: $0)) } ?? 300
    var (wrong, connected): ([String], Int) = ([], 0)
    for seed in 0..<count {
      if let what = try NATPropertyTests.run(seed: seed, &connected) { wrong.append(what) }
    }
    // Of both there are enough.
    #expect(connected > Int(count) / 2 && connected < Int(count) * 19 / 20, "\(connected) of \(count) have a path")
    #expect(wrong.isEmpty, "\(wrong.count) of \(count)\n\(wrong.prefix(20).joined(separator: "\n"))")
  }
}
