/// Freezes of pictures by the rule of W3C's webrtc-stats (freezeCount): a picture that stood for three times as long as the last thirty did on
/// average, or for 150 ms longer than that, whichever is more.
struct FreezeMeter {
  static let window = 30
  /// Of fewer there is no average.
  static let least = 5
  static let margin: Int64 = 150_000_000

  private var durations: [Int64] = []
  private var oldest = 0
  private var sum: Int64 = 0
  private var last: Int64?
  private(set) var count: UInt64 = 0
  /// All the time for which such pictures stood.
  private(set) var total: Int64 = 0

  init() {
    durations.reserveCapacity(FreezeMeter.window)
  }

  /// A picture is shown.
  mutating func shown(at now: Int64) {
    defer { last = now }
    guard let last else { return }
    // An hour is as good as any longer time.
    let duration = min(max(0, now &- last), 3_600_000_000_000)
    if durations.count >= FreezeMeter.least {
      let average = sum / Int64(durations.count)
      if duration >= max(3 * average, average + FreezeMeter.margin) {
        count &+= 1
        total &+= duration
      }
    }
    sum += duration
    if durations.count < FreezeMeter.window { return durations.append(duration) }
    sum -= durations[oldest]
    durations[oldest] = duration
    oldest = (oldest + 1) % FreezeMeter.window
  }
}
