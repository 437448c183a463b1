/// Whether the application gives less than it may send: then what arrives says nothing of what the link could carry (libwebrtc's
/// "application limited region"). A budget of half a second that fills at 65 % of the rate; begins when it is 80 % full, ends at half.
struct ApplicationLimit {
  static let share = 0.65
  static let window = 0.5

  private var budget = 0.0
  private var last: Int64?
  private(set) var isLimited = false
  /// When it ended last.
  private(set) var ended: Int64?

  mutating func sent(_ size: Int, rate: Double, now: Int64) {
    let maximum = max(1, rate * ApplicationLimit.share * ApplicationLimit.window / 8)
    let passed = min(max(0, Double(now - (last ?? now)) / 1e9), 10)
    last = now
    // What was overdrawn is paid back, the more of the same is not.
    budget = min(budget + passed * rate * ApplicationLimit.share / 8, maximum)
    budget = max(budget - Double(size), -maximum)
    let fill = budget / maximum
    if fill > 0.8 {
      isLimited = true
    } else if fill < 0.5, isLimited {
      isLimited = false
      ended = now
    }
  }
}
