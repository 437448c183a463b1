import MediaCore
import Testing

@testable import MediaRTP

@Suite struct NTPTimestampTests {
  @Test func theBeginningOf1970() {
    #expect(NTPTimestamp(unixNanoseconds: 0).rawValue == 0x83AA_7E80_0000_0000)
    #expect(NTPTimestamp(unixNanoseconds: 500_000_000).rawValue == 0x83AA_7E80_8000_0000)
    // 8.6 units, rounded.
    #expect(NTPTimestamp(rawValue: 0).advanced(byNanoseconds: 2).rawValue == 9)
    #expect(NTPTimestamp(rawValue: 0xB44D_B705_2000_0000).middle == 0xB705_2000)
  }

  @Test func nanosecondsComeBack() {
    var random = SeededRandom(seed: 3)
    for _ in 0..<1000 {
      let time = Int64.random(in: 0...4_000_000_000, using: &random) * 1_000_000_000 + Int64.random(in: 0..<1_000_000_000, using: &random)
      #expect(NTPTimestamp(unixNanoseconds: time).unixNanoseconds == time)
    }
  }

  @Test func itGoesOnIn2036() {
    let before = NTPTimestamp(rawValue: 0xFFFF_FFFF_8000_0000)
    let after = before.advanced(byNanoseconds: 1_500_000_000)
    #expect(after.rawValue == 1 << 32)
    #expect(after.nanoseconds(since: before) == 1_500_000_000 && before.nanoseconds(since: after) == -1_500_000_000)
    #expect(after.unixNanoseconds - before.unixNanoseconds == 1_500_000_000)
    #expect(after.advanced(byNanoseconds: -1_500_000_000) == before)
  }

  @Test func absurdTimesDoNotTrap() {
    for time in [Int64.min, -1, Int64.max] {
      _ = NTPTimestamp(unixNanoseconds: time).unixNanoseconds
      _ = NTPClock(NTPTimestamp(rawValue: .max), at: time).time(at: Int64.min)
      _ = ShortNTP.span(nanoseconds: time)
      _ = time.ticks(ofRate: .max)
    }
    #expect(NTPTimestamp(rawValue: 1 << 63).nanoseconds(since: NTPTimestamp(rawValue: 0)) == -2_147_483_648_000_000_000)
  }

  @Test func shortSpans() {
    #expect(ShortNTP.nanoseconds(0x5_4000) == 5_250_000_000)
    #expect(ShortNTP.span(nanoseconds: 5_250_000_000) == 0x5_4000)
    #expect(ShortNTP.span(nanoseconds: -5) == 0)
    #expect(ShortNTP.span(nanoseconds: 70_000 * 1_000_000_000) == .max)
  }

  @Test func ticksOfAClock() {
    #expect((1_000_000_000 as Int64).ticks(ofRate: 90_000) == 90_000)
    #expect((20_000_000 as Int64).ticks(ofRate: 48_000) == 960)
    #expect((-1 as Int64).ticks(ofRate: 48_000) == -1)
    let years: Int64 = 100 * 365 * 86_400 * 1_000_000_000
    #expect(years.ticks(ofRate: 90_000) == 100 * 365 * 86_400 * 90_000)
  }

  @Test func onePairOfClocksMapsAll() {
    let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 5_000_000_000)
    #expect(clock.time(at: 6_000_000_001).unixNanoseconds == 1_700_000_001_000_000_001)
    #expect(clock.time(at: 0).unixNanoseconds == 1_699_999_995_000_000_000)
  }
}
