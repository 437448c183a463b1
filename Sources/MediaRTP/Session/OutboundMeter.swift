/// What is counted of a stream that goes out, beside its packets.
struct OutboundMeter {
  /// A picture until its last packet has left.
  private struct Leaving {
    let last: Int64
    let size: Int
    let isKeyFrame: Bool
    var isWhole = true
  }

  var nackCount: UInt64 = 0
  var pliCount: UInt64 = 0
  var firCount: UInt64 = 0
  var targetBitrate: Int?
  private(set) var framesSent: UInt64 = 0
  private(set) var keyFramesSent: UInt64 = 0
  private(set) var hugeFramesSent: UInt64 = 0
  private(set) var totalPacketSendDelay: Int64 = 0
  private(set) var remote: RemoteInboundStats?
  /// By reports, since the first: packets that were to come there, and that did not.
  private(set) var reported = (expected: 0 as UInt64, lost: 0 as Int64)
  private var lastReported: (sequence: UInt32, lost: Int32)?
  private var roundTrip = RoundTrip()
  private var bytes = 0.0
  /// No more than packets in the ring.
  private var leaving: [Leaving] = []

  init() {
    leaving.reserveCapacity(64)
  }

  mutating func enqueued(size: Int, isKeyFrame: Bool, last: Int64) {
    leaving.append(Leaving(last: last, size: size, isKeyFrame: isKeyFrame))
  }

  /// A packet left, after so long; without a time, with nothing in it.
  mutating func left(_ number: Int64, after delay: Int64?) {
    if let delay { totalPacketSendDelay &+= max(0, delay) }
    guard let first = leaving.first else { return }
    if delay == nil { leaving[0].isWhole = false }
    guard number >= first.last else { return }
    let isWhole = leaving.removeFirst().isWhole
    guard isWhole else { return }
    if framesSent > 0, Double(first.size) >= 2.5 * bytes / Double(framesSent) { hugeFramesSent &+= 1 }
    framesSent &+= 1
    bytes += Double(first.size)
    if first.isKeyFrame { keyFramesSent &+= 1 }
  }

  /// How many packets the block is about: those that were to come since the one before; nil: it is the first.
  @discardableResult
  mutating func received(_ block: ReportBlock, clockRate: UInt32, at time: NTPTimestamp, now: Int64) -> UInt64? {
    roundTrip.received(block, at: time)
    var count: UInt64?
    if let last = lastReported {
      // Reports may overtake one another.
      let expected = Int32(bitPattern: block.highestSequence &- last.sequence)
      guard expected >= 0 else { return 0 }
      count = UInt64(expected)
      reported.expected &+= UInt64(expected)
      reported.lost &+= Int64(block.cumulativeLost) &- Int64(last.lost)
    }
    lastReported = (block.highestSequence, block.cumulativeLost)
    var stats = RemoteInboundStats()
    stats.packetsLost = Int64(block.cumulativeLost)
    stats.fractionLost = Double(block.fractionLost) / 256
    stats.jitter = Int64(block.jitter) * 1_000_000_000 / Int64(max(1, clockRate))
    stats.roundTripTime = roundTrip.latest
    (stats.totalRoundTripTime, stats.roundTripTimeMeasurements) = (roundTrip.total, roundTrip.measurements)
    stats.timestamp = now
    remote = stats
    return count
  }
}
