/// Round trips as feedbacks show them, without the time for which the receiver collected: the shortest of each feedback, smoothed, and the
/// shortest of the last ten to twenty seconds.
struct RoundTrips {
  static let span: Int64 = 10_000_000_000
  static let longest: Int64 = 60_000_000_000

  private(set) var smoothed: Int64?
  private var since: Int64?
  private var current = Int64.max
  private var previous = Int64.max

  var shortest: Int64? {
    let value = min(current, previous)
    return value == .max ? nil : value
  }

  /// Those of one feedback that arrived, in the order of their arrival.
  mutating func add(_ results: [PacketResult], now: Int64) {
    guard let last = results.last?.arrival else { return }
    var shortest = Int64.max
    for result in results where !result.wasLost {
      guard let arrival = result.arrival else { continue }
      let collected = last &- arrival
      // A clock that jumped in between.
      guard collected >= 0, collected < RoundTrips.span else { continue }
      shortest = min(shortest, now - result.sent - collected)
    }
    if shortest != .max { add(max(shortest, 0), now: now) }
  }

  mutating func add(_ value: Int64, now: Int64) {
    let value = min(max(0, value), RoundTrips.longest)
    smoothed = smoothed.map { $0 + (value - $0) / 8 } ?? value
    if now - (since ?? .min / 2) > RoundTrips.span {
      (previous, current, since) = (current, value, now)
    } else {
      current = min(current, value)
    }
  }
}
