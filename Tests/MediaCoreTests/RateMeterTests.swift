import Testing

@testable import MediaCore

@Suite struct RateMeterTests {
  @Test func countsTheLastSecondOnly() {
    var meter = RateMeter()
    // 30 a second for three seconds, from an odd start.
    let start: Int64 = 987_654_321
    let rate = FrameRate(30)
    for index in 0..<90 { meter.count(at: rate.dueTime(ofFrame: UInt64(index), from: start)) }
    let end = rate.dueTime(ofFrame: 89, from: start)
    #expect((27...31).contains(meter.perSecond(at: end)))
    #expect(meter.perSecond(at: end + 2_000_000_000) == 0)
  }

  @Test func forgetsInTenthsOfASecond() {
    var meter = RateMeter()
    for _ in 0..<5 { meter.count(at: 50_000_000) }
    for _ in 0..<7 { meter.count(at: 150_000_000) }
    #expect(meter.perSecond(at: 999_999_999) == 12)
    #expect(meter.perSecond(at: 1_000_000_000) == 7)
    #expect(meter.perSecond(at: 1_100_000_000) == 0)
  }

  @Test func isEmptyAtFirstAndAfterALongSilence() {
    var meter = RateMeter()
    #expect(meter.perSecond(at: 0) == 0)
    meter.count(at: 0)
    #expect(meter.perSecond(at: 3_600_000_000_000) == 0)
    meter.count(at: 3_600_000_000_000)
    #expect(meter.perSecond(at: 3_600_000_000_000) == 1)
  }

  @Test(arguments: [Int64.min, -1_550_000_000, 0, Int64.max])
  func noTimeIsTooFarAway(now: Int64) {
    var meter = RateMeter()
    meter.count(at: now)
    #expect(meter.perSecond(at: now) == 1)
  }

  @Test func aStepBackInTimeCountsAsNow() {
    var meter = RateMeter()
    meter.count(at: 5_000_000_000)
    meter.count(at: 1_000_000_000)
    #expect(meter.perSecond(at: 5_000_000_000) == 2)
  }
}
