import MediaCore

/// What a source of the mix has in reserve, as if the mixer took audio evenly: looked at after each arrival, so that only lateness and drift make a
/// difference, and judged second by second. All in samples per channel. Pure.
struct JitterMargin {
  enum Verdict: Equatable {
    /// So many milliseconds more than at first; and by how many the worst arrivals are later than the best.
    case excess(Double, spread: Double)
    /// It is another than before at once, which no clock does: begun anew.
    case jump
    case unknown
  }

  private static let second: Int64 = 1_000_000_000
  private static let jump = 20.0
  /// Seconds in which there must have been too much all the time; and in which something was not late.
  private static let memory = 10
  private static let punctuality = 5
  private static let tolerated: Int64 = 30_000_000
  private static let toleratedAfterDelay: Int64 = 10_000_000

  private var end: Int64
  /// At the worst and at the best arrival of this second.
  private var least = Int.max
  private var most = Int.min
  /// The worst of the last seconds, and the best with their signs changed.
  private var past = BoundedQueue<Int>(capacity: JitterMargin.memory)
  private var best = BoundedQueue<Int>(capacity: JitterMargin.punctuality)
  /// The worst of the last second.
  private var latest: Int?
  /// At the best arrival in the first seconds.
  private var first: Int?

  init(now: Int64 = 0) {
    end = now + JitterMargin.second
  }

  mutating func arrived(_ samples: Int) {
    least = min(least, samples)
    most = max(most, samples)
  }

  /// Says something once a second. What was least late tells of the clock: lateness comes and goes.
  mutating func judge(_ now: Int64, rate: UInt32) -> Verdict? {
    guard now >= end else { return nil }
    end = now + JitterMargin.second
    guard least != .max else { return .unknown }
    _ = past.push(least)
    latest = least
    _ = best.push(-most)
    least = .max
    most = .min
    guard best.isFull, let punctual = best.least.map({ -$0 }) else { return .unknown }
    guard let first else {
      self.first = punctual
      return .unknown
    }
    let excess = Double(punctual - first) * 1000 / Double(rate)
    guard excess.magnitude < JitterMargin.jump else {
      self.first = punctual
      return .jump
    }
    return .excess(excess, spread: Double(punctual - (past.least ?? punctual)) * 1000 / Double(rate))
  }

  /// How much could be left out, after ten seconds in which there was that much more than needed.
  func tooMuch(needed: Int, rate: UInt32) -> Int {
    guard past.isFull, let least = past.least else { return 0 }
    let tolerated = Int(MediaTime.units(fromNanoseconds: JitterMargin.tolerated, rate: rate))
    return least - needed > tolerated ? least - needed : 0
  }

  /// The same after a sender was delayed once: what is too much came at once then, and a second in which it was not needed is enough.
  func tooMuchAfterDelay(needed: Int, rate: UInt32) -> Int {
    guard let latest else { return 0 }
    let tolerated = Int(MediaTime.units(fromNanoseconds: JitterMargin.toleratedAfterDelay, rate: rate))
    return latest - needed > tolerated ? latest - needed : 0
  }

  /// Ten seconds have been judged.
  var isFull: Bool { past.isFull }

  mutating func skipped(_ samples: Int) {
    first = first.map { $0 - samples }
    latest = nil
    least = .max
    most = .min
    past = BoundedQueue(capacity: JitterMargin.memory)
    best = BoundedQueue(capacity: JitterMargin.punctuality)
  }
}
