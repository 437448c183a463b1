/// How much comes in, in bits a second, over the last half second that was full: enough to say how often to report on it. What comes after a
/// silence is measured anew, without that.
struct IncomingRate {
  private static let span: Int64 = 500_000_000
  private static let silence: Int64 = 200_000_000
  private var bytes = 0
  private var start: Int64?
  private var last: Int64?
  /// Nothing before half a second has passed, at first and after a silence.
  private(set) var bitrate: Int?

  /// Nothing has come for a while.
  func isSilent(at now: Int64) -> Bool { last.map { now &- $0 > IncomingRate.silence } ?? false }

  mutating func arrived(_ size: Int, at now: Int64) {
    if isSilent(at: now) { (bytes, start, bitrate) = (0, nil, nil) }
    let passed = now &- (start ?? now)
    if passed >= IncomingRate.span {
      bitrate = Int(min(Double(bytes) * 8e9 / Double(passed), 1e12))
      (bytes, start) = (0, now)
    }
    start = start ?? now
    last = now
    bytes = min(bytes + min(max(0, size), 65_535), 1 << 40)
  }
}
