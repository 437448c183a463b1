import MediaCore

/// The stamps of one stream on the sender's wall clock, from its sender reports (RFC 3550, section 6.4.1) and what its packets say themselves. Streams of one CNAME share that clock:
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
  public mutating func received(_ ntp: NTPTimestamp, for timestamp: RTPTimestamp) {
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
  public func time(of timestamp: RTPTimestamp) -> NTPTimestamp? {
    pair.map { time(of: timestamp, by: $0) }
  }
}

/// The wall clock of a remote sender on the local monotonic clock: one for all streams of a CNAME, so that whatever it is off by they are off by
/// together. The quickest reports of the last two minutes tell, and by how much the two clocks drift apart.
public struct RemoteClock: Sendable {
  /// When a report came, and what the local clock was ahead of the remote one then, with the time that the way took.
  private struct Sample: Sendable {
    var time: Int64
    var ahead: Int64

    /// What another one will be by that drift.
    func ahead(at time: Int64, drift: Double) -> Int64 {
      ahead &+ (Int64(exactly: (drift * Double(time &- self.time)).rounded()) ?? 0)
    }
  }

  /// The quickest of each part of the window, but for the drift.
  private var parts: [Sample] = []
  private var partStart: Int64 = 0
  /// What the local clock gains on the remote one, in nanoseconds a nanosecond.
  private var drift = 0.0
  private var origin: NTPTimestamp?
  private var strange = 0
  public private(set) var jumps = 0

  private static let partLength: Int64 = 4_000_000_000
  private static let partCount = 30
  /// Two clocks, each of them off by 250 in a million; in less time than that jitter looks like drift, and less of it is believed.
  private static let mostDrift = 500e-6
  private static let surely = 30e9
  /// No path is slower by this at once: the clock was set.
  private static let leap: Int64 = 1_000_000_000

  public init() {
    parts.reserveCapacity(RemoteClock.partCount + 1)
  }

  /// Of a time that the other end said as it was sent.
  public mutating func received(_ ntp: NTPTimestamp, at now: Int64) {
    guard ntp.rawValue != 0 else { return }
    let origin = self.origin ?? ntp
    self.origin = origin
    let new = Sample(time: now, ahead: now &- ntp.nanoseconds(since: origin))
    guard let least = least(at: now), let last = parts.last else { return begin(new) }
    if (new.ahead &- least).magnitude > UInt64(RemoteClock.leap) {
      strange += 1
      // Three in a row are no accident.
      if strange >= 3 {
        jumps &+= 1
        begin(new)
      }
      return
    }
    strange = 0
    // An interval without reports is one part, however long it was.
    if now &- partStart >= RemoteClock.partLength {
      parts.append(new)
      partStart = now
      if parts.count > RemoteClock.partCount { parts.removeFirst() }
    } else if new.ahead < last.ahead(at: now, drift: drift) {
      parts[parts.count - 1] = new
    }
    measureDrift()
  }

  private mutating func begin(_ sample: Sample) {
    parts.removeAll(keepingCapacity: true)
    parts.append(sample)
    (partStart, drift, strange) = (sample.time, 0, 0)
  }

  /// From the quickest of the first third of the window to the quickest of the last one.
  private mutating func measureDrift() {
    guard let end = parts.last?.time, let start = parts.first?.time else { return }
    let third = (end &- start) / 3
    func quickest(_ isOf: (Sample) -> Bool) -> Sample? {
      parts.filter(isOf).min { $0.ahead(at: end, drift: drift) < $1.ahead(at: end, drift: drift) }
    }
    guard third > 0, let first = quickest({ $0.time <= start &+ third }), let last = quickest({ $0.time >= end &- third }) else { return }
    let limit = min(1, Double(end &- start) / RemoteClock.surely) * RemoteClock.mostDrift
    drift = min(max(Double(last.ahead &- first.ahead) / Double(last.time &- first.time), -limit), limit)
  }

  /// What the local clock is ahead then, with the time that the quickest way took. Nothing before the first sample.
  private func least(at time: Int64) -> Int64? { parts.map { $0.ahead(at: time, drift: drift) }.min() }

  /// That instant on the local clock: too late by the time of the way, of which half a round trip is a guess. Nothing before the first report.
  public func local(_ ntp: NTPTimestamp, wayTime: Int64 = 0) -> Int64? {
    guard let origin, let last = parts.last else { return nil }
    let time = ntp.nanoseconds(since: origin)
    return least(at: time &+ last.ahead).map { time &+ $0 &- wayTime }
  }
}
