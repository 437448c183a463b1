import MediaCore

/// The wall clock of a remote sender on the local monotonic clock: one for all streams of a CNAME, so that whatever it is off by they are off by
/// together. The quickest reports of the last two minutes say, and by how much the two clocks drift apart.
///
/// How long the path takes is known from both directions: how soon the other end received what this one said, by its clock, and how soon what it
/// said came. Jitter is told from delay in each direction by itself, because a round trip is seldom the quickest both there and back.
struct RemoteClock: Sendable {
  /// When a report came, and what one clock was ahead of the other one then, with the time that the path took.
  private struct Sample: Sendable {
    var time: Int64
    var ahead: Int64

    /// What another one will be by that drift, later by the part of it that is not known: an old sample was quick by a clock that may have moved.
    func ahead(at time: Int64, drift: Double, doubt: Double = 0) -> Int64 {
      let age = Double(time &- self.time)
      return ahead &+ (Int64(exactly: (drift * age + doubt * max(0, age)).rounded()) ?? 0)
    }
  }

  /// What one clock is ahead of the other one, with the time of the quickest path in one direction.
  private struct Quickest: Sendable {
    /// The quickest of each part of the window, but for the drift.
    private(set) var parts: [Sample] = []
    private var partStart: Int64 = 0

    init() {
      parts.reserveCapacity(RemoteClock.partCount + 1)
    }

    mutating func begin(_ sample: Sample) {
      parts.removeAll(keepingCapacity: true)
      parts.append(sample)
      partStart = sample.time
    }

    mutating func add(_ new: Sample, drift: Double, doubt: Double) {
      guard let last = parts.last else { return begin(new) }
      // An interval without reports is one part, however long it was.
      if new.time &- partStart >= RemoteClock.partLength {
        parts.append(new)
        partStart = new.time
        if parts.count > RemoteClock.partCount { parts.removeFirst() }
      } else if new.ahead < last.ahead(at: new.time, drift: drift, doubt: doubt) {
        parts[parts.count - 1] = new
      }
    }

    /// Nothing before the first sample.
    func least(at time: Int64, drift: Double, doubt: Double) -> Int64? {
      parts.map { $0.ahead(at: time, drift: drift, doubt: doubt) }.min()
    }

    /// From the quickest of the first third of the window to the quickest of the last one, and how long the window is.
    func slope(drift: Double) -> (slope: Double, span: Int64)? {
      guard let end = parts.last?.time, let start = parts.first?.time else { return nil }
      let third = (end &- start) / 3
      func quickest(_ isOf: (Sample) -> Bool) -> Sample? {
        parts.filter(isOf).min { $0.ahead(at: end, drift: drift) < $1.ahead(at: end, drift: drift) }
      }
      guard third > 0, let first = quickest({ $0.time <= start &+ third }), let last = quickest({ $0.time >= end &- third }) else {
        return nil
      }
      return (Double(last.ahead &- first.ahead) / Double(last.time &- first.time), end &- start)
    }
  }

  /// What the local clock is ahead, by what comes; and what the remote one is, by what the other end says of what went there.
  private var coming = Quickest()
  private var going = Quickest()
  /// What the local clock gains on the remote one, in nanoseconds a nanosecond.
  private var drift = 0.0
  /// How much of a drift may not be known yet.
  private var doubt = RemoteClock.mostDrift / 2
  private var origin: NTPTimestamp?
  private var strange = 0
  private(set) var jumps = 0

  private static let partLength: Int64 = 4_000_000_000
  private static let partCount = 30
  /// Two clocks, each of them off by 250 in a million; in less time than that jitter looks like drift, and less of it is believed.
  private static let mostDrift = 500e-6
  private static let surely = 60e9
  /// No path is slower by this at once: the clock was set.
  private static let leap: Int64 = 1_000_000_000

  init() {}

  /// Of a time that the other end said as it was sent.
  mutating func received(_ ntp: NTPTimestamp, at now: Int64) {
    guard ntp.rawValue != 0 else { return }
    let origin = self.origin ?? ntp
    self.origin = origin
    let new = Sample(time: now, ahead: now &- ntp.nanoseconds(since: origin))
    guard let least = coming.least(at: now, drift: drift, doubt: doubt) else { return begin(new) }
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
    coming.add(new, drift: drift, doubt: doubt)
    measureDrift()
  }

  /// Of an answer, which left the other end at `ntp`: `delay` before, it had received what this end said at `stamp` of `clock`, which is the time
  /// of `now` (RFC 3550, section 6.4.1: LSR and DLSR; RFC 3611, section 4.5). Without an earlier time of the other end it says nothing.
  mutating func answered(_ ntp: NTPTimestamp, to stamp: UInt32, after delay: UInt32, at now: Int64, clock: NTPTimestamp) {
    guard stamp != 0, ntp.rawValue != 0, let origin, let least = coming.least(at: now, drift: drift, doubt: doubt) else { return }
    let elapsed = Int32(bitPattern: clock.middle &- stamp)
    guard elapsed >= 0 else { return }
    let sent = now &- ShortNTP.nanoseconds(UInt32(elapsed))
    let heard = ntp.nanoseconds(since: origin) &- ShortNTP.nanoseconds(delay)
    let new = Sample(time: now, ahead: heard &- sent)
    // Both together are a round trip. One that cannot be is of a clock that was set.
    let roundTrip = least &+ new.ahead
    guard roundTrip > -RemoteClock.leap / 20, roundTrip <= RoundTrip.longest else { return }
    going.add(new, drift: -drift, doubt: doubt)
  }

  private mutating func begin(_ sample: Sample) {
    coming.begin(sample)
    going = Quickest()
    (drift, doubt, strange) = (0, RemoteClock.mostDrift / 2, 0)
  }

  /// What both directions say together: what makes one of them look faster is not likely to do so with the other one.
  private mutating func measureDrift() {
    guard let one = coming.slope(drift: drift) else { return }
    let other = going.slope(drift: -drift)
    let limit = min(1, Double(one.span) / RemoteClock.surely) * RemoteClock.mostDrift
    doubt = (RemoteClock.mostDrift - limit) / 2
    // In proportion to the time that each of them has seen.
    let (mine, theirs) = (Double(one.span), Double(other?.span ?? 0))
    drift = min(max((one.slope * mine - (other?.slope ?? 0) * theirs) / (mine + theirs), -limit), limit)
  }

  /// That instant on the local clock, too late by the time of the path unless that is given. Nothing before the first report.
  func local(_ ntp: NTPTimestamp, pathTime: Int64 = 0) -> Int64? {
    reading(of: ntp).map { $0.time &+ $0.ahead &- pathTime }
  }

  /// That instant on the local clock, as both directions say. Half of the round trip is a guess where only that is known.
  func local(_ ntp: NTPTimestamp, roundTrip: Int64?) -> Int64? {
    guard let (time, ahead, at) = reading(of: ntp) else { return nil }
    // An old answer does not say what the path is now.
    let isAnswered = going.parts.last.map { at &- $0.time < RemoteClock.partLength * Int64(RemoteClock.partCount) } ?? false
    guard isAnswered, let behind = going.least(at: at, drift: -drift, doubt: doubt) else { return time &+ ahead &- (roundTrip ?? 0) / 2 }
    return time &+ ahead &- max(0, ahead &+ behind) / 2
  }

  /// The time since the first report on the remote clock, what the local one is ahead then, and when that is.
  private func reading(of ntp: NTPTimestamp) -> (time: Int64, ahead: Int64, at: Int64)? {
    guard let origin, let last = coming.parts.last else { return nil }
    let time = ntp.nanoseconds(since: origin)
    let at = time &+ last.ahead
    return coming.least(at: at, drift: drift, doubt: doubt).map { (time, $0, at) }
  }
}
