/// How long a filter or a producer takes, against the time there is for a frame. Pure: times in, a verdict out. Used by one thread at a time: of a
/// filter inside the instance's turn, of a producer on its pump's worker. The longest call of a window does not count: the time is real, and a
/// thread may not run for hundreds of milliseconds on a busy machine, which is not the plugin's fault.
public final class FrameTimeMeter: @unchecked Sendable {
  /// In nanoseconds.
  public struct Verdict: Equatable {
    var mean: Int64
    var interval: Int64

    /// For MSDK_PLUGIN_EVENT_SLOW; `id` is the class's.
    public func text(_ id: String) -> String {
      "\(id) takes \(Verdict.milliseconds(mean)) ms a frame, more than half of the \(Verdict.milliseconds(interval)) ms between two frames"
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
  private var longest: Int64 = 0
  private var quietUntil = Int64.min

  /// Begins with the first call that is noted.
  public init() {}

  /// Of one call of a filter: when it was on the engine's clock, how long it took, and the time from one frame to the next as far as it is
  /// declared. The verdict on one that is slow, when it is due.
  func note(at now: Int64, took time: Int64, interval declared: Int64?) -> Verdict? {
    // Frames that come less often than was declared leave it more time.
    note(at: now, took: time) { spacing in max(declared ?? 0, spacing) }
  }

  /// Of one call of a producer, which is asked for a frame of that duration. What it takes makes its frames come less often.
  public func note(at now: Int64, took time: Int64, ofFrame duration: Int64) -> Verdict? {
    note(at: now, took: time) { _ in duration }
  }

  private func note(at now: Int64, took time: Int64, _ available: (_ spacing: Int64) -> Int64) -> Verdict? {
    let start = first ?? now
    first = start
    latest = now
    count += 1
    spent += max(0, time)
    longest = max(longest, time)
    guard count > 1, now - start >= FrameTimeMeter.window else { return nil }
    let mean = (spent - longest) / (count - 1)
    let interval = available((latest - start) / (count - 1))
    first = nil
    count = 0
    spent = 0
    longest = 0
    guard mean > interval / 2, now >= quietUntil else { return nil }
    quietUntil = now + FrameTimeMeter.quiet
    return Verdict(mean: mean, interval: interval)
  }
}
