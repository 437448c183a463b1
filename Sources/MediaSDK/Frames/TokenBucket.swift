/// Holds frames to a rate, and allows for jitter: after a pause some may come at once, and over time a few more than the rate, as no two
/// clocks agree. Pure: times in, times out, in nanoseconds.
struct TokenBucket {
  /// Frames that may come at once: what a camera's driver keeps while its program is held up.
  static let burst: Int64 = 5
  /// So many times the interval for one frame more: a loop that sleeps for 33 ms at 30 frames a second loses none.
  static let slack: Int64 = 50

  /// When all frames of a burst may come again.
  private var full = Int64.min

  /// When the next frame may come, at one frame an interval.
  func due(_ interval: Int64) -> Int64 {
    full == .min ? .min : full - (TokenBucket.burst - 1) * spacing(interval)
  }

  /// One came.
  mutating func take(_ now: Int64, _ interval: Int64) {
    full = max(full, now) + spacing(interval)
  }

  private func spacing(_ interval: Int64) -> Int64 { interval - interval / TokenBucket.slack }
}
