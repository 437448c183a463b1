import MediaCore
import MediaTransport

/// One direction of a link: a queue that drains at the rate, then delay, jitter in order, and loss. Under the network's lock.
struct EmulatedLink {
  var conditions = EmulatedNetwork.Conditions()
  private var queue = NetworkLink()
  private var path: NetworkPath

  init(seed: UInt64, _ name: String) {
    path = NetworkPath(seed: seed, from: name, to: "")
  }

  /// Nothing happens to what passes.
  var isPlain: Bool {
    !conditions.isDisconnected && conditions.bandwidth == 0 && conditions.delay == 0 && conditions.jitter == 0 && conditions.loss == 0
  }

  /// When something of that size arrives at the other side; nil: it does not.
  mutating func carry(_ bytes: Int, at now: Int64) -> Int64? {
    guard !conditions.isDisconnected, let departure = queue.departure(bytes: bytes, now: now, step: conditions) else { return nil }
    let (time, lost) = path.arrival(departure: departure, packets: 1, step: conditions)
    return lost == 0 ? time : nil
  }
}
