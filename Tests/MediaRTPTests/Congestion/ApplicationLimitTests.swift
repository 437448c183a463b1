import Testing

@testable import MediaRTP

@Suite struct ApplicationLimitTests {
  private func run(_ limit: inout ApplicationLimit, share: Double, from: Int64, seconds: Double) {
    for step in 0..<Int64(seconds * 100) {
      limit.sent(Int(1e6 * share / 100 / 8), rate: 1e6, now: from + step * 10_000_000)
    }
  }

  @Test func halfOfTheRateIsLimitedAndAllOfItNot() {
    var limit = ApplicationLimit()
    run(&limit, share: 1, from: 0, seconds: 3)
    #expect(!limit.isLimited)
    run(&limit, share: 0.4, from: 3_000_000_000, seconds: 5)
    #expect(limit.isLimited)
    run(&limit, share: 0.6, from: 8_000_000_000, seconds: 1)
    #expect(limit.isLimited)
    run(&limit, share: 1, from: 9_000_000_000, seconds: 3)
    #expect(!limit.isLimited)
    #expect((limit.ended ?? 0) > 9_000_000_000)
  }
}
