import MediaCore

@testable import MediaWebRTC

/// A network between virtual peers, in virtual time: loss, delay, disorder, NATs. The same seed is the same run.
final class PeerNetwork {
  private struct Item {
    let time: Int64
    let number: Int
    let body: () -> Void

    func isBefore(_ other: Item) -> Bool { time == other.time ? number < other.number : time < other.time }
  }

  private(set) var now: Int64 = second
  var random: SeededRandom
  var delay: Int64 = 20 * millisecond
  var jitter: Int64 = 0
  /// Of a thousand.
  var loss = 0
  var isDown = false
  var peers: [VirtualPeer] = []
  private(set) var sent = 0
  /// Is shown each datagram before it travels.
  var watch: (([UInt8], VirtualPeer) -> Void)?
  /// Which datagrams are lost, besides those that chance takes.
  var drops: (([UInt8], VirtualPeer) -> Bool)?
  private var heap: [Item] = []
  private var count = 0

  init(seed: UInt64) { random = SeededRandom(seed: seed &+ seedOffset) }

  func after(_ time: Int64, _ body: @escaping () -> Void) {
    count += 1
    heap.append(Item(time: now + time, number: count, body: body))
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

  /// For so long, or until it is so.
  func run(for time: Int64, until isDone: () -> Bool = { false }) {
    let end = now + time
    for peer in peers { peer.settle() }
    var steps = (time: now, count: 0)
    while !isDone() {
      steps = steps.time == now ? (now, steps.count + 1) : (now, 0)
      precondition(steps.count < 100_000, "time does not pass")
      let due = peers.map(\.deadline).min() ?? .max
      let next = min(heap.first?.time ?? .max, due)
      guard next <= end else {
        now = end
        return
      }
      now = max(now, next)
      if let first = heap.first, first.time <= now { pop().body() }
      for peer in peers where peer.deadline <= now { peer.settle() }
    }
  }

  /// A datagram to an address, if anybody has it.
  func send(_ bytes: [UInt8], from source: SocketAddress, of sender: VirtualPeer, to destination: SocketAddress) {
    sent += 1
    watch?(bytes, sender)
    if let drops, drops(bytes, sender) { return }
    guard !isDown, Int.random(in: 0..<1000, using: &random) >= loss else { return }
    let outside = sender.leave(source, to: destination)
    let time = delay + (jitter > 0 ? Int64.random(in: 0..<jitter, using: &random) : 0)
    after(time) { [self] in
      for peer in peers {
        if let inside = peer.enter(outside, destination) { return peer.receive(bytes, from: outside, at: inside) }
      }
    }
  }
}
