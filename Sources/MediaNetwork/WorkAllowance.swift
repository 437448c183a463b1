/// How much work somebody else may cause: so much at once, and so much in every second from then on (a token bucket). Time is handed in.
public struct WorkAllowance: Sendable {
  /// The most that is left at any time, in pieces of work.
  public let burst: Double
  /// Pieces of work; as many come back in a second, up to `burst`.
  public let perSecond: Double
  private var left: Double
  private var counted: Int64

  /// With the whole burst left at `now`, in nanoseconds of the clock that all calls use.
  public init(burst: Double, perSecond: Double, now: Int64) {
    (self.burst, self.perSecond, left, counted) = (burst, perSecond, burst, now)
  }

  /// What is left now, in whole pieces.
  public mutating func available(at now: Int64) -> Int {
    left = min(burst, left + Double(max(0, now &- counted)) / 1e9 * perSecond)
    counted = max(counted, now)
    return max(0, Int(left))
  }

  /// False, and nothing is taken, when there is not so much left.
  public mutating func take(_ amount: Int = 1, at now: Int64) -> Bool {
    guard available(at: now) >= amount else { return false }
    left -= Double(amount)
    return true
  }

  /// For work that was done already: a debt is paid before anything is left again.
  public mutating func charge(_ amount: Int, at now: Int64) {
    _ = available(at: now)
    left -= Double(amount)
  }

  /// When so much is left; now, where it is.
  public mutating func time(of amount: Int = 1, at now: Int64) -> Int64 {
    guard available(at: now) < amount else { return now }
    return now &+ Int64(min(1e18, ((Double(amount) - left) / perSecond * 1e9).rounded(.up)))
  }
}
