import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ClockMappingTests {
  private static let start: Int64 = 1_700_000_000_000_000_000

  private func report(_ timestamp: UInt32, at nanoseconds: Int64) -> SenderReport {
    SenderReport(
      ssrc: SSRC(1), ntp: NTPTimestamp(unixNanoseconds: ClockMappingTests.start + nanoseconds), timestamp: RTPTimestamp(timestamp),
      packetCount: 0,
      octetCount: 0)
  }

  private func receive(_ mapping: inout ClockMapping, _ report: SenderReport) { mapping.received(report.ntp, for: report.timestamp) }

  private func time(_ mapping: ClockMapping, _ timestamp: UInt32) -> Int64? {
    mapping.time(of: RTPTimestamp(timestamp)).map { $0.unixNanoseconds - ClockMappingTests.start }
  }

  @Test func stampsAreMappedBothWaysFromAReport() {
    var mapping = ClockMapping(clockRate: 90_000)
    #expect(time(mapping, 0) == nil)
    receive(&mapping, report(.max, at: 0))
    #expect(time(mapping, .max) == 0 && time(mapping, 89_999) == 1_000_000_000 && time(mapping, .max - 45_000) == -500_000_000)
    // A later one takes its place, an earlier one does not.
    receive(&mapping, report(449_999, at: 5_000_100_000))
    #expect(time(mapping, 449_999) == 5_000_100_000)
    receive(&mapping, report(.max, at: 0))
    #expect(time(mapping, 449_999) == 5_000_100_000)
  }

  @Test func oneWrongReportMovesNothingTwoDo() {
    var mapping = ClockMapping(clockRate: 48_000)
    receive(&mapping, report(0, at: 0))
    receive(&mapping, report(48_000, at: 7_000_000_000))
    #expect(time(mapping, 48_000) == 1_000_000_000)
    // The same once more is no second opinion.
    receive(&mapping, report(48_000, at: 7_000_000_000))
    #expect(time(mapping, 48_000) == 1_000_000_000 && mapping.jumps == 0)
    receive(&mapping, report(96_000, at: 8_000_000_000))
    #expect(time(mapping, 48_000) == 7_000_000_000 && mapping.jumps == 1)
    // Back again: the clock was set, or its stamps began anew.
    receive(&mapping, report(1_000_000_000, at: 9_000_000_000))
    receive(&mapping, report(1_000_048_000, at: 10_000_000_000))
    #expect(time(mapping, 1_000_000_000) == 9_000_000_000 && mapping.jumps == 2)
  }

  @Test func aSenderWithoutAClockSaysNothing() {
    var mapping = ClockMapping(clockRate: 0)
    mapping.received(NTPTimestamp(rawValue: 0), for: RTPTimestamp(5))
    #expect(time(mapping, 5) == nil)
    receive(&mapping, report(0, at: 0))
    _ = time(mapping, 1 << 31)
  }

  /// Sound and picture of one sender, reported at different times: what was captured at once is told to have been.
  @Test func lipsAndVoiceStayTogether() {
    var (sound, picture, clock) = (ClockMapping(clockRate: 48_000), ClockMapping(clockRate: 90_000), RemoteClock())
    var random = SeededRandom(seed: 7)
    for second in stride(from: 0 as Int64, to: 100, by: 5) {
      let way = { Int64.random(in: 10_000_000...200_000_000, using: &random) }
      let (one, two) = (
        report(UInt32(second * 48_000 + 77), at: second * 1_000_000_000),
        report(UInt32(second * 90_000 + 1_234), at: second * 1_000_000_000)
      )
      receive(&sound, one)
      clock.received(one.ntp, at: second * 1_000_000_000 + way())
      receive(&picture, two)
      clock.received(two.ntp, at: second * 1_000_000_000 + way())
    }
    for second in 0..<100 as Range<Int64> {
      let heard = sound.time(of: RTPTimestamp(UInt32(second * 48_000 + 77))).flatMap { clock.local($0) } ?? 0
      let seen = picture.time(of: RTPTimestamp(UInt32(second * 90_000 + 1_234))).flatMap { clock.local($0) } ?? 1
      #expect(abs(heard - seen) < 1000)
    }
  }

  @Test func absurdReportsDoNotTrap() {
    var random = SeededRandom(seed: 8)
    var (mapping, clock) = (ClockMapping(clockRate: 90_000), RemoteClock())
    for _ in 0..<1000 {
      let ntp = NTPTimestamp(rawValue: UInt64.random(in: 0...UInt64.max, using: &random))
      let stamp = UInt32.random(in: 0...UInt32.max, using: &random)
      mapping.received(ntp, for: RTPTimestamp(stamp))
      clock.received(ntp, at: Int64.random(in: Int64.min...Int64.max, using: &random))
      clock.answered(
        NTPTimestamp(rawValue: .random(in: 0...UInt64.max, using: &random)), to: .random(in: 0...UInt32.max, using: &random),
        after: .random(in: 0...UInt32.max, using: &random), at: .random(in: Int64.min...Int64.max, using: &random), clock: ntp)
      _ = clock.local(ntp, roundTrip: .random(in: Int64.min...Int64.max, using: &random))
      _ = mapping.time(of: RTPTimestamp(stamp ^ 0x8000_0000)).flatMap { clock.local($0, pathTime: .min) }
    }
  }
}
