import MediaCore

/// The link of one member under a script: a sending queue that drains at the bandwidth. Pure: time in, time out.
package struct NetworkLink {
  /// When the queue will be empty.
  private var freeAt: Int64 = .min

  package init() {}

  static let packetSize = 1200

  package static func packets(bytes: Int) -> Int {
    max(1, (bytes + packetSize - 1) / packetSize)
  }

  /// Of each packet the header of RTP with its extensions, and the payload's own.
  private static let headers = 40

  /// Bytes of the packets of an encoded frame, about.
  package static func packetBytes(of frame: EncodedFrame) -> Int { frame.byteCount + headers * packets(bytes: frame.byteCount) }

  /// How long what is sent now would wait.
  func backlog(at now: Int64) -> Int64 { max(now, freeAt) - now }

  /// When the last bit has left; nil when the queue is too long already.
  package mutating func departure(bytes: Int, now: Int64, step: NetworkScript.Step) -> Int64? {
    guard step.bandwidth > 0 else { return max(now, freeAt) }
    let start = max(now, freeAt)
    guard start - now <= step.queue else { return nil }
    let bits = UInt64(clamping: bytes) &* 8
    let (high, low) = bits.multipliedFullWidth(by: 1_000_000_000)
    let duration = high < step.bandwidth ? step.bandwidth.dividingFullWidth((high, low)).quotient : UInt64(Int64.max / 2)
    freeAt = start + Int64(min(duration, UInt64(Int64.max / 4)))
    return freeAt
  }
}

/// The way from one member to another: delay, jitter in order, loss by packet.
package struct NetworkPath {
  private var random: SeededRandom
  /// When the last that went arrives.
  private(set) var latest: Int64 = .min

  package init(seed: UInt64, from: String, to: String) {
    random = SeededRandom(seed: seed, name: "\(from.utf8.count):\(from)>\(to)")
  }

  /// When it arrives, and how many of its packets were lost on the way: one is enough to lose the picture.
  package mutating func arrival(departure: Int64, packets: Int, step: NetworkScript.Step) -> (time: Int64, lost: Int) {
    var lost = 0
    if step.loss > 0 {
      for _ in 0..<packets where UInt32.random(in: 0..<1_000_000, using: &random) < step.loss { lost += 1 }
    }
    let jitter = step.jitter > 0 ? Int64.random(in: 0...step.jitter, using: &random) : 0
    let time = max(departure + step.delay + jitter, latest)
    if lost == 0 { latest = time }
    return (time, lost)
  }

  /// Nothing arrives before that any more.
  mutating func hold(until time: Int64) {
    latest = max(latest, time)
  }
}
