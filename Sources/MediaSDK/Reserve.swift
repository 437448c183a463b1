import MediaCore

/// What a source of the mix has in reserve, as if the mixer took sound evenly: looked at after each arrival, so that only lateness and drift make a
/// difference, and judged second by second. All in samples per channel. Pure.
struct Reserve {
  enum Verdict: Equatable {
    /// So many milliseconds more than at first.
    case excess(Double)
    /// It is another than before at once, which no clock does: begun anew.
    case jump
    case unknown
  }

  private static let second: Int64 = 1_000_000_000
  private static let jump = 20.0
  /// Seconds in which there must have been too much all the time.
  private static let memory = 10
  private static let tolerated: Int64 = 30_000_000
  private static let unbearable: Int64 = 200_000_000

  private var end: Int64
  /// At the worst arrival of this second, and of the first one.
  private var least = Int.max
  private var first: Int?
  private var past = BoundedQueue<Int>(capacity: Reserve.memory)

  init(now: Int64 = 0) {
    end = now + Reserve.second
  }

  mutating func arrived(_ samples: Int) {
    least = min(least, samples)
  }

  /// Says something once a second.
  mutating func judge(_ now: Int64, rate: UInt32) -> Verdict? {
    guard now >= end else { return nil }
    end = now + Reserve.second
    guard least != .max else { return .unknown }
    defer { least = .max }
    _ = past.push(least)
    guard let first else {
      self.first = least
      return .unknown
    }
    let excess = Double(least - first) * 1000 / Double(rate)
    guard excess.magnitude < Reserve.jump else {
      self.first = least
      return .jump
    }
    return .excess(excess)
  }

  /// How much could be left out: after ten seconds in which there was that much more than needed, in a quiet moment, or when it is unbearable.
  func tooMuch(needed: Int, rate: UInt32, isQuiet: Bool) -> Int {
    func samples(_ nanoseconds: Int64) -> Int { Int(MediaTime.units(fromNanoseconds: nanoseconds, rate: rate)) }
    guard past.isFull, let least = past.least, least - needed > samples(Reserve.tolerated) else { return 0 }
    return isQuiet || least - needed > samples(Reserve.unbearable) ? least - needed : 0
  }

  mutating func skipped(_ samples: Int) {
    first = first.map { $0 - samples }
    least = .max
    past = BoundedQueue(capacity: Reserve.memory)
  }
}
