/// When to try again after a failure: times that grow, with jitter, so that many clients of one server do not come at once. A plain value;
/// its owner knows the time, and makes the attempts.
public struct ReconnectPolicy: Sendable {
  /// Nanoseconds before the second attempt, about.
  public var first: Int64 = 500_000_000
  /// Nanoseconds that the time between attempts does not exceed, unless the server asks for more.
  public var longest: Int64 = 30_000_000_000
  /// Attempts after which it is given up; nil: never.
  public var most: Int?
  /// A session that lasted so many nanoseconds was a success: the times begin anew.
  public var calm: Int64 = 30_000_000_000
  /// Failures in a row.
  public private(set) var failures = 0

  /// As above.
  public init() {}

  /// After a failure: nanoseconds to wait; nil: trying again is of no use, or was tried often enough. A time doubles with each failure in a
  /// row, and of it a random part between half and all is waited. What the server asks for (Retry-After) is waited at least, and up to a
  /// tenth more.
  public mutating func delay(after failure: SignallingFailure, random: inout some RandomNumberGenerator) -> Int64? {
    guard !failure.isFinal else { return nil }
    failures += 1
    if let most, failures >= most { return nil }
    let (doubled, overflows) = max(1, first).multipliedReportingOverflow(by: 1 << Int64(min(failures - 1, 32)))
    let time = overflows ? longest : min(longest, doubled)
    let own = time / 2 + ReconnectPolicy.part(of: time - time / 2, random.next())
    guard let asked = failure.retryAfter else { return own }
    return max(own, asked &+ ReconnectPolicy.part(of: asked / 10, random.next()))
  }

  /// A session ended that had lasted so long, in nanoseconds.
  public mutating func lasted(_ time: Int64) {
    if time >= calm { failures = 0 }
  }

  /// 0 up to all of it.
  private static func part(of time: Int64, _ bits: UInt64) -> Int64 {
    guard time > 0 else { return 0 }
    return Int64(truncatingIfNeeded: bits % (UInt64(time) + 1))
  }
}
