import MediaCore

/// The stamps of one stream on the sender's wall clock, from its sender reports (RFC 3550, section 6.4.1). Streams of one CNAME share that clock:
/// this is what keeps lips and voice together.
public struct ClockMapping: Sendable {
  private struct Pair: Sendable {
    var ntp: NTPTimestamp
    var timestamp: RTPTimestamp
  }

  private let clockRate: UInt32
  private var pair: Pair?
  /// One that did not agree with it.
  private var doubtful: Pair?
  /// How often a pair that did not agree was confirmed by the next: the sender's clock was set, or its stamps began anew.
  public private(set) var jumps = 0

  /// Beyond this a report does not agree with those before it.
  private static let tolerance: Int64 = 100_000_000

  public init(clockRate: UInt32) {
    self.clockRate = max(1, clockRate)
  }

  /// One wrong report moves nothing; a second that agrees with it does. One that is older than the latest is ignored.
  public mutating func received(_ report: SenderReport) {
    // No wall clock: RFC 3550 has such senders say 0.
    guard report.ntp.rawValue != 0 else { return }
    let new = Pair(ntp: report.ntp, timestamp: report.timestamp)
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
  public func time(of timestamp: RTPTimestamp) -> NTPTimestamp? {
    pair.map { time(of: timestamp, by: $0) }
  }
}

/// The wall clock of a remote sender on the local monotonic clock: one for all streams of a CNAME, so that whatever it is off by they are off by
/// together. The quickest reports of the last two minutes tell.
public struct RemoteClock: Sendable {
  /// What the local clock is ahead of the remote one, with the time that the way took: the least of each part of the window.
  private var parts: [Int64] = []
  private var partStart: Int64 = 0
  private var origin: NTPTimestamp?
  private var strange = 0
  public private(set) var jumps = 0

  private static let partLength: Int64 = 15_000_000_000
  private static let partCount = 8
  /// No path is slower by this at once: the clock was set.
  private static let leap: Int64 = 1_000_000_000

  public init() {
    parts.reserveCapacity(RemoteClock.partCount + 1)
  }

  public mutating func received(_ ntp: NTPTimestamp, at now: Int64) {
    guard ntp.rawValue != 0 else { return }
    let origin = self.origin ?? ntp
    self.origin = origin
    let sample = now &- ntp.nanoseconds(since: origin)
    guard let least = parts.min() else { return begin(sample, now) }
    if (sample &- least).magnitude > UInt64(RemoteClock.leap) {
      strange += 1
      // Three in a row are no accident.
      if strange >= 3 {
        jumps &+= 1
        begin(sample, now)
      }
      return
    }
    strange = 0
    // An interval without reports is one part, however long it was.
    if now &- partStart >= RemoteClock.partLength {
      parts.append(sample)
      partStart = now
      if parts.count > RemoteClock.partCount { parts.removeFirst() }
    } else {
      parts[parts.count - 1] = min(parts[parts.count - 1], sample)
    }
  }

  private mutating func begin(_ sample: Int64, _ now: Int64) {
    parts.removeAll(keepingCapacity: true)
    parts.append(sample)
    (partStart, strange) = (now, 0)
  }

  /// That instant on the local clock: too late by the time of the way, of which half a round trip is a guess. Nothing before the first report.
  public func local(_ ntp: NTPTimestamp, wayTime: Int64 = 0) -> Int64? {
    guard let origin, let least = parts.min() else { return nil }
    return ntp.nanoseconds(since: origin) &+ least &- wayTime
  }
}
