/// Which refusals of a server are logged: ten a second. Anybody can be refused as often as they like, and must not fill the program's log. Pure.
struct RefusalLog {
  static let mostInSecond = 10
  private static let second: Int64 = 1_000_000_000

  private var start = Int64.min
  private var count = 0

  /// nil: it is not logged. Else how many were not, since the last one that was.
  mutating func note(at now: Int64) -> Int? {
    count += 1
    if start == .min || now - start >= RefusalLog.second {
      let omitted = max(0, count - 1 - RefusalLog.mostInSecond)
      (start, count) = (now, 1)
      return omitted
    }
    return count <= RefusalLog.mostInSecond ? 0 : nil
  }
}
