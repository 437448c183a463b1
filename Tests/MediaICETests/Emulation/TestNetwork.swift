import MediaCore

@testable import MediaICE

/// A network in virtual time: machines in sites, routers between, one server of STUN and TURN, loss, delay and disorder. The same seed is
/// the same run.
final class TestNetwork {
  private enum Content {
    case datagram([UInt8], from: SocketAddress, to: SocketAddress, site: TestSite?)
    case call(() -> Void)
  }

  private struct Item {
    let time: Int64
    let number: Int
    let content: Content

    func isBefore(_ other: Item) -> Bool { time == other.time ? number < other.number : time < other.time }
  }

  private(set) var now: Int64 = second
  var random: SeededRandom
  var delay: Int64 = 20 * millisecond
  var jitter: Int64 = 0
  /// Of a thousand.
  var loss = 0
  var isDown = false
  var peers: [TestPeer] = []
  var server: TestServer?
  /// Datagrams that were sent.
  private(set) var sent = 0
  /// What is shown of each datagram before it travels; false: it does not.
  var watch: (([UInt8], SocketAddress, SocketAddress) -> Bool)?
  private var heap: [Item] = []
  private var count = 0

  init(seed: UInt64) {
    random = SeededRandom(seed: seed &+ seedOffset)
  }

  // MARK: Time

  private func push(_ content: Content, at time: Int64) {
    count += 1
    heap.append(Item(time: time, number: count, content: content))
    var child = heap.count - 1
    while child > 0, heap[child].isBefore(heap[(child - 1) / 2]) {
      heap.swapAt(child, (child - 1) / 2)
      child = (child - 1) / 2
    }
  }

  private func pop() -> Item {
    let first = heap[0]
    let last = heap.removeLast()
    guard !heap.isEmpty else { return first }
    heap[0] = last
    var parent = 0
    while true {
      var least = parent
      for child in [2 * parent + 1, 2 * parent + 2] where child < heap.count && heap[child].isBefore(heap[least]) { least = child }
      if least == parent { return first }
      heap.swapAt(parent, least)
      parent = least
    }
  }

  func after(_ time: Int64, _ body: @escaping () -> Void) { push(.call(body), at: now + time) }

  /// Up to that time, or until it is so.
  func run(for time: Int64, until isDone: () -> Bool = { false }) {
    let end = now + time
    for peer in peers { peer.settle() }
    var steps = (time: now, count: 0)
    while !isDone() {
      steps = steps.time == now ? (now, steps.count + 1) : (now, 0)
      precondition(steps.count < 100_000, "time does not pass")
      let due = peers.map(\.deadline).min() ?? .max
      let next = min(heap.first?.time ?? .max, due, server?.deadline ?? .max)
      guard next <= end else {
        now = end
        return
      }
      now = max(now, next)
      if let first = heap.first, first.time <= now {
        switch pop().content {
        case .datagram(let bytes, let source, let destination, let site): deliver(bytes, source, destination, site)
        case .call(let body): body()
        }
      }
      for peer in peers where peer.deadline <= now { peer.settle() }
    }
  }

  // MARK: Packets

  /// A datagram of a machine of a site, or, without one, of a public machine.
  func send(_ bytes: [UInt8], from source: SocketAddress, to destination: SocketAddress, site: TestSite?) {
    sent += 1
    if let watch, !watch(bytes, source, destination) { return }
    guard !isDown, Int.random(in: 0..<1000, using: &random) >= loss else { return }
    let time = now + delay + (jitter > 0 ? Int64.random(in: 0..<jitter, using: &random) : 0)
    if let site {
      // Of its own network.
      if peers.contains(where: { $0.site === site && $0.owns(destination) && ($0.owns(source) || !site.isIsolated) }) {
        push(.datagram(bytes, from: source, to: destination, site: site), at: now + min(time - now, millisecond))
        return
      }
      if site.blocksUDP { return }
      if site.nat.kind != .open, !source.isIPv6 {
        push(.datagram(bytes, from: site.nat.leave(source, to: destination, now: now), to: destination, site: nil), at: time)
        return
      }
    }
    push(.datagram(bytes, from: source, to: destination, site: nil), at: time)
  }

  private func deliver(_ bytes: [UInt8], _ source: SocketAddress, _ destination: SocketAddress, _ site: TestSite?) {
    if let server, server.owns(destination) {
      server.receive(bytes, from: source, at: destination, now: now)
      return
    }
    for peer in peers {
      let router = peer.site.nat
      if site === peer.site || site == nil && (router.kind == .open || destination.isIPv6) && !peer.site.blocksUDP, peer.owns(destination) {
        peer.receive(bytes, from: source, at: destination)
        return
      }
    }
    guard site == nil, let peer = peers.first(where: { $0.site.nat.kind != .open && $0.site.nat.host.isSameHost(as: destination) }) else {
      return
    }
    let router = peer.site.nat
    guard !peer.site.blocksUDP, router.hasHairpin || !router.host.isSameHost(as: source),
      let inside = router.enter(from: source, port: destination.port, now: now)
    else { return }
    peers.first { $0.owns(inside) && $0.site === peer.site }?.receive(bytes, from: source, at: inside)
  }
}
