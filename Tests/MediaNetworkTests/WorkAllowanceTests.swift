import Testing

@testable import MediaNetwork

@Suite struct WorkAllowanceTests {
  private static let second: Int64 = 1_000_000_000
  /// `#expect` takes no call that changes something.
  private func holds(_ condition: Bool, _ place: SourceLocation = #_sourceLocation) { #expect(condition, sourceLocation: place) }

  @Test func soMuchAtOnceAndThenSoMuchASecond() {
    var work = WorkAllowance(burst: 10, perSecond: 4, now: 0)
    for _ in 0..<10 { holds(work.take(at: 0)) }
    holds(!work.take(at: 0))
    holds(!work.take(at: Self.second / 4 - 1000))
    holds(work.take(at: Self.second / 4))
    holds(!work.take(at: Self.second / 4))
    // Never more than at once.
    holds(work.available(at: 100 * Self.second) == 10)
  }

  @Test func aDebtIsPaidFirst() {
    var work = WorkAllowance(burst: 10, perSecond: 10, now: 0)
    work.charge(30, at: 0)
    holds(work.available(at: 0) == 0)
    holds(!work.take(at: 2 * Self.second))
    holds(work.take(at: 2 * Self.second + Self.second / 10))
  }

  @Test func whenThereIsEnoughIsKnown() {
    var work = WorkAllowance(burst: 2, perSecond: 10, now: 0)
    holds(work.time(at: 5) == 5)
    holds(work.take(2, at: 5))
    let time = work.time(at: 5)
    holds(time >= Self.second / 10 && time <= Self.second / 10 + 10)
    holds(!work.take(at: time - 1000))
    holds(work.take(at: time))
  }

  @Test func timeThatGoesBackGivesNothing() {
    var work = WorkAllowance(burst: 1, perSecond: 1, now: 10 * Self.second)
    holds(work.take(at: 10 * Self.second))
    holds(!work.take(at: 0))
    holds(!work.take(at: 10 * Self.second + 1))
  }
}
