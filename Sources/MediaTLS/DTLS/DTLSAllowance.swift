/// So many at once, refilled at a rate by the time that is handed in.
struct DTLSAllowance {
  private let most: Int64
  /// Nanoseconds in which one comes back.
  private let period: Int64
  /// What is left, in nanoseconds.
  private var left: Int64
  private var last: Int64

  /// All of them are there at first.
  init(_ most: Int64, perSecond: Int64, now: Int64) {
    period = 1_000_000_000 / perSecond
    self.most = most * period
    (left, last) = (self.most, now)
  }

  /// Takes one; false where none is left. Time that goes back gives nothing.
  mutating func take(now: Int64) -> Bool {
    if now > last {
      let passed = now.subtractingReportingOverflow(last)
      left = passed.overflow || passed.partialValue >= most - left ? most : left + passed.partialValue
      last = now
    }
    guard left >= period else { return false }
    left -= period
    return true
  }
}
