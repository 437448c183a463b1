/// Events a second over the last full second, in tenths.
public struct RateMeter: Sendable {
  private static let width: Int64 = 100_000_000
  private static let count = 10
  private var buckets = Array(repeating: 0, count: RateMeter.count)
  private var current: Int64 = .min

  /// Without events.
  public init() {}

  /// One event at that time, in nanoseconds of any clock that does not go back.
  public mutating func count(at now: Int64) {
    advance(to: now)
    buckets[index(current)] += 1
  }

  /// Events in the tenth of a second of `now` and the nine tenths before it.
  public mutating func perSecond(at now: Int64) -> Double {
    advance(to: now)
    return Double(buckets.reduce(0, +))
  }

  private mutating func advance(to now: Int64) {
    let bucket = now / RateMeter.width
    guard bucket > current else { return }
    let first = current == .min ? bucket - Int64(RateMeter.count) : max(current, bucket - Int64(RateMeter.count))
    for stale in (first + 1)...bucket { buckets[index(stale)] = 0 }
    current = bucket
  }

  private func index(_ bucket: Int64) -> Int {
    let remainder = Int(bucket % Int64(RateMeter.count))
    return remainder < 0 ? remainder + RateMeter.count : remainder
  }
}
