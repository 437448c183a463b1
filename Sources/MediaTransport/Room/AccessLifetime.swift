import MediaCore

/// How long a member's access lasts: when they are warned of its end, and when it ends. The times are of the room's clock.
struct AccessLifetime: Sendable {
  enum Step: Equatable, Sendable {
    case nothing
    /// So many nanoseconds remain.
    case expiring(Int64)
    case expired
  }

  /// Before the end; of a lifetime below twice this, at its half.
  static let warning: Int64 = 30_000_000_000
  /// It is looked at that often, however long it is, so that who has left is not kept until its end.
  static let pause: Int64 = 60_000_000_000
  private var end = Int64.max
  private var warnDue = Int64.max
  /// When it is looked at next; earlier plans are void.
  private var planned = Int64.max

  /// From now on; 0: without an end.
  mutating func begin(_ lifetime: Int64, now: Int64) {
    guard lifetime > 0 else {
      (end, warnDue) = (.max, .max)
      return
    }
    end = now &+ lifetime
    warnDue = end &- min(AccessLifetime.warning, lifetime / 2)
  }

  /// However late it is looked at, the warning comes first.
  mutating func step(now: Int64) -> Step {
    if warnDue != .max, now >= warnDue {
      warnDue = .max
      return .expiring(max(0, end &- now))
    }
    guard end != .max, now >= end else { return .nothing }
    end = .max
    return .expired
  }

  /// When it has to be looked at; nil: that is planned already, or there is no end.
  mutating func plan(now: Int64) -> Int64? {
    let due = min(end, warnDue)
    guard due != .max else { return nil }
    let time = min(due, now &+ AccessLifetime.pause)
    guard time < planned else { return nil }
    planned = time
    return time
  }

  /// The time came that was planned; false: another one was planned since.
  mutating func isDue(_ time: Int64) -> Bool {
    guard planned == time else { return false }
    planned = .max
    return true
  }
}
