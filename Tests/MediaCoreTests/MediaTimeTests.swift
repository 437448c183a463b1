import Testing

@testable import MediaCore

@Suite struct MediaTimeTests {
  @Test func ticksAreHundredsOfNanoseconds() {
    #expect(MediaTime.ticks(fromNanoseconds: 12_300) == 123)
    #expect(MediaTime.nanoseconds(fromTicks: 123) == 12_300)
  }

  @Test(arguments: [(49, 0), (50, 1), (149, 1), (150, 2), (-49, 0), (-50, -1), (-149, -1), (-150, -2)] as [(Int64, Int64)])
  func roundsHalvesAwayFromZero(nanoseconds: Int64, ticks: Int64) {
    #expect(MediaTime.ticks(fromNanoseconds: nanoseconds) == ticks)
  }

  @Test func saturatesAtBothEnds() {
    #expect(MediaTime.nanoseconds(fromTicks: .max) == .max)
    #expect(MediaTime.nanoseconds(fromTicks: .min) == .min)
    #expect(MediaTime.nanoseconds(fromTicks: Int64.max / 100 + 1) == .max)
    #expect(MediaTime.nanoseconds(fromTicks: Int64.max / 100) == Int64.max / 100 * 100)
    #expect(MediaTime.units(fromNanoseconds: .max, rate: .max) == .max)
    #expect(MediaTime.units(fromNanoseconds: .min, rate: .max) == .min)
    #expect(MediaTime.nanoseconds(fromUnits: .max, rate: 1) == .max)
    #expect(MediaTime.nanoseconds(fromUnits: .min, rate: 1) == .min)
    #expect(MediaTime.units(fromNanoseconds: .min, rate: 1_000_000_000) == .min)
    #expect(MediaTime.units(fromNanoseconds: .max, rate: 1_000_000_000) == .max)
  }

  @Test func aRateOfZeroGivesZero() {
    #expect(MediaTime.nanoseconds(fromUnits: 5, rate: 0) == 0)
    #expect(MediaTime.units(fromNanoseconds: 5, rate: 0) == 0)
  }

  @Test(arguments: [8000, 44_100, 90_000] as [UInt32])
  func unitsComeBackFromNanoseconds(rate: UInt32) {
    for units in stride(from: Int64(-3), through: 1_000_000_000_000, by: 99_999_999_977) {
      #expect(MediaTime.units(fromNanoseconds: MediaTime.nanoseconds(fromUnits: units, rate: rate), rate: rate) == units)
    }
    #expect(MediaTime.units(fromNanoseconds: 1_000_000_000, rate: rate) == Int64(rate))
  }

  @Test func theMonotonicClockMovesForward() {
    let first = MediaTime.monotonic()
    #expect(first > 0)
    #expect(MediaTime.monotonic() >= first)
  }
}
