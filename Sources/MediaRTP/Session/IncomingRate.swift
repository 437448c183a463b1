/// How much comes in, in bits a second, over the last half second that was full: enough to say how often to report on it.
struct IncomingRate {
  private static let span: Int64 = 500_000_000
  private var bytes = 0
  private var start: Int64?
  /// Nothing before half a second has passed.
  private(set) var bitrate: Int?

  mutating func arrived(_ size: Int, at now: Int64) {
    let passed = now &- (start ?? now)
    if passed >= IncomingRate.span {
      bitrate = Int(min(Double(bytes) * 8e9 / Double(passed), 1e12))
      (bytes, start) = (0, now)
    }
    start = start ?? now
    bytes = min(bytes + min(max(0, size), 65_535), 1 << 40)
  }
}
