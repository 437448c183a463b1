import MediaCore

/// The stamps of one stream on the sender's wall clock, from its sender reports (RFC 3550, section 6.4.1) and what its packets say themselves. Streams of one CNAME share that clock:
/// this is what keeps lips and voice together.
struct ClockMapping: Sendable {
  private struct Pair: Sendable {
    var ntp: NTPTimestamp
    var timestamp: RTPTimestamp
  }

  private let clockRate: UInt32
  private var pair: Pair?
  /// One that did not agree with it.
  private var doubtful: Pair?
  /// How often a pair that did not agree was confirmed by the next: the sender's clock was set, or its stamps began anew.
  private(set) var jumps = 0

  /// Beyond this a report does not agree with those before it.
  private static let tolerance: Int64 = 100_000_000

  init(clockRate: UInt32) {
    self.clockRate = max(1, clockRate)
  }

  /// One wrong report moves nothing; a second that agrees with it does. One that is older than the latest is ignored.
  mutating func received(_ ntp: NTPTimestamp, for timestamp: RTPTimestamp) {
    // No wall clock: RFC 3550 has such senders say 0.
    guard ntp.rawValue != 0 else { return }
    let new = Pair(ntp: ntp, timestamp: timestamp)
    guard let pair else {
      self.pair = new
      return
    }
    if agree(pair, new) {
      doubtful = nil
      if new.ntp.nanoseconds(since: pair.ntp) > 0 { self.pair = new }
    } else if let doubtful, agree(doubtful, new), new.ntp != doubtful.ntp {
      (self.pair, self.doubtful) = (new, nil)
      jumps &+= 1
    } else {
      doubtful = new
    }
  }

  private func agree(_ one: Pair, _ other: Pair) -> Bool {
    let error = other.ntp.nanoseconds(since: time(of: other.timestamp, by: one))
    return error.magnitude <= UInt64(ClockMapping.tolerance)
  }

  /// At the nominal rate: a clock that is off by 100 in a million is off by half a millisecond after five seconds, when the next report comes.
  private func time(of timestamp: RTPTimestamp, by pair: Pair) -> NTPTimestamp {
    pair.ntp.advanced(byNanoseconds: MediaTime.nanoseconds(fromUnits: timestamp.distance(from: pair.timestamp), rate: clockRate))
  }

  /// When that was sampled. Nothing before the first report.
  func time(of timestamp: RTPTimestamp) -> NTPTimestamp? {
    pair.map { time(of: timestamp, by: $0) }
  }
}
