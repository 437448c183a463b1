/// How long a filter takes, against the time there is for a frame. Pure: times in, a verdict out. Used inside the instance's turn only.
final class FilterMeter: @unchecked Sendable {
  /// In nanoseconds.
  struct Verdict: Equatable {
    var mean: Int64
    var interval: Int64

    func text(_ id: String) -> String {
      "\(id) takes \(Verdict.milliseconds(mean)) ms a frame, more than half of the \(Verdict.milliseconds(interval)) ms from one to the next"
    }

    /// With one decimal place.
    private static func milliseconds(_ time: Int64) -> String {
      let tenths = (time + 50_000) / 100_000
      return "\(tenths / 10).\(tenths % 10)"
    }
  }

  /// What is looked at together, and from one verdict to the next at least.
  static let window: Int64 = 1_000_000_000
  static let quiet: Int64 = 5_000_000_000

  private var first: Int64?
  private var latest: Int64 = 0
  private var count: Int64 = 0
  private var spent: Int64 = 0
  private var quietUntil = Int64.min

  /// Of one call: when it began on the engine's clock, how long it took, and the time from one frame to the next as far as it is declared. The
  /// verdict on a filter that is slow, when one is due.
  func note(at now: Int64, took time: Int64, interval declared: Int64?) -> Verdict? {
    let start = first ?? now
    first = start
    latest = now
    count += 1
    spent += max(0, time)
    guard count > 1, now - start >= FilterMeter.window else { return nil }
    let mean = spent / count
    // Frames that come less often than was declared leave it more time.
    let interval = max(declared ?? 0, (latest - start) / (count - 1))
    first = nil
    count = 0
    spent = 0
    guard mean > interval / 2, now >= quietUntil else { return nil }
    quietUntil = now + FilterMeter.quiet
    return Verdict(mean: mean, interval: interval)
  }
}
