import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ClockMappingTests {
  private static let start: Int64 = 1_700_000_000_000_000_000

  private func report(_ timestamp: UInt32, at nanoseconds: Int64) -> SenderReport {
    SenderReport(
      ssrc: SSRC(1), ntp: NTPTimestamp(unixNanoseconds: ClockMappingTests.start + nanoseconds), timestamp: RTPTimestamp(timestamp), packetCount: 0,
      octetCount: 0)
  }

  private func time(_ mapping: ClockMapping, _ timestamp: UInt32) -> Int64? {
    mapping.time(of: RTPTimestamp(timestamp)).map { $0.unixNanoseconds - ClockMappingTests.start }
  }

  @Test func stampsAreMappedBothWaysFromAReport() {
    var mapping = ClockMapping(clockRate: 90_000)
    #expect(time(mapping, 0) == nil)
    mapping.received(report(.max, at: 0))
    #expect(time(mapping, .max) == 0 && time(mapping, 89_999) == 1_000_000_000 && time(mapping, .max - 45_000) == -500_000_000)
    // A later one takes its place, an earlier one does not.
    mapping.received(report(449_999, at: 5_000_100_000))
    #expect(time(mapping, 449_999) == 5_000_100_000)
    mapping.received(report(.max, at: 0))
    #expect(time(mapping, 449_999) == 5_000_100_000)
  }

  @Test func oneWrongReportMovesNothingTwoDo() {
    var mapping = ClockMapping(clockRate: 48_000)
    mapping.received(report(0, at: 0))
    mapping.received(report(48_000, at: 7_000_000_000))
    #expect(time(mapping, 48_000) == 1_000_000_000)
    // The same once more is no second opinion.
    mapping.received(report(48_000, at: 7_000_000_000))
    #expect(time(mapping, 48_000) == 1_000_000_000 && mapping.jumps == 0)
    mapping.received(report(96_000, at: 8_000_000_000))
    #expect(time(mapping, 48_000) == 7_000_000_000 && mapping.jumps == 1)
    // Back again: the clock was set, or its stamps began anew.
    mapping.received(report(1_000_000_000, at: 9_000_000_000))
    mapping.received(report(1_000_048_000, at: 10_000_000_000))
    #expect(time(mapping, 1_000_000_000) == 9_000_000_000 && mapping.jumps == 2)
  }

  @Test func aSenderWithoutAClockSaysNothing() {
    var mapping = ClockMapping(clockRate: 0)
    mapping.received(SenderReport(ssrc: SSRC(1), ntp: NTPTimestamp(rawValue: 0), timestamp: RTPTimestamp(5), packetCount: 0, octetCount: 0))
    #expect(time(mapping, 5) == nil)
    mapping.received(report(0, at: 0))
    _ = time(mapping, 1 << 31)
  }

  @Test func theQuickestReportTellsTheClock() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: ClockMappingTests.start + time) }
    #expect(clock.local(ntp(0)) == nil)
    // One's own clock is at 100 s when the other's begins; the way takes 20 ms, and up to 80 more.
    var random = SeededRandom(seed: 6)
    for index in 0..<100 as Range<Int64> {
      let time = index * 1_000_000_000
      let late = index % 10 == 3 ? 0 : Int64.random(in: 0...80_000_000, using: &random)
      clock.received(ntp(time), at: 100_000_000_000 + time + 20_000_000 + late)
    }
    #expect(clock.local(ntp(50_000_000_000)) == 150_020_000_000)
    #expect(clock.local(ntp(50_000_000_000), wayTime: 20_000_000) == 150_000_000_000)
  }

  @Test func aClockThatRunsFastIsFollowed() {
    var clock = RemoteClock()
    var worst: Int64 = 0
    for second in 0..<3600 as Range<Int64> {
      // 100 in a million.
      let remote = second * 1_000_100_000
      clock.received(NTPTimestamp(unixNanoseconds: ClockMappingTests.start + remote), at: second * 1_000_000_000)
      let local = clock.local(NTPTimestamp(unixNanoseconds: ClockMappingTests.start + remote)) ?? 0
      worst = max(worst, abs(local - second * 1_000_000_000))
    }
    #expect(worst <= 13_000_000 && clock.jumps == 0)
    var slow = RemoteClock()
    worst = 0
    for second in 0..<3600 as Range<Int64> {
      let remote = NTPTimestamp(unixNanoseconds: ClockMappingTests.start + second * 999_900_000)
      slow.received(remote, at: second * 1_000_000_000)
      worst = max(worst, abs((slow.local(remote) ?? 0) - second * 1_000_000_000))
    }
    #expect(worst <= 13_000_000 && slow.jumps == 0)
  }

  @Test func aClockThatIsSetIsFollowedAfterThree() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: ClockMappingTests.start + time) }
    clock.received(ntp(0), at: 0)
    for (index, second) in ([1, 2, 3] as [Int64]).enumerated() {
      clock.received(ntp((second + 3600) * 1_000_000_000), at: second * 1_000_000_000)
      #expect(clock.jumps == (index == 2 ? 1 : 0))
    }
    #expect(clock.local(ntp(3603 * 1_000_000_000)) == 3_000_000_000)
    // One strange one between others is nothing.
    for second in 4..<20 as Range<Int64> {
      clock.received(ntp((second + (second % 2 == 0 ? 3600 : 0)) * 1_000_000_000), at: second * 1_000_000_000)
    }
    #expect(clock.jumps == 1)
  }

  /// Sound and picture of one sender, reported at different times: what was captured at once is told to have been.
  @Test func lipsAndVoiceStayTogether() {
    var (sound, picture, clock) = (ClockMapping(clockRate: 48_000), ClockMapping(clockRate: 90_000), RemoteClock())
    var random = SeededRandom(seed: 7)
    for second in stride(from: 0 as Int64, to: 100, by: 5) {
      let way = { Int64.random(in: 10_000_000...200_000_000, using: &random) }
      let (one, two) = (
        report(UInt32(second * 48_000 + 77), at: second * 1_000_000_000), report(UInt32(second * 90_000 + 1_234), at: second * 1_000_000_000)
      )
      sound.received(one)
      clock.received(one.ntp, at: second * 1_000_000_000 + way())
      picture.received(two)
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
      mapping.received(SenderReport(ssrc: SSRC(1), ntp: ntp, timestamp: RTPTimestamp(stamp), packetCount: 0, octetCount: 0))
      clock.received(ntp, at: Int64.random(in: Int64.min...Int64.max, using: &random))
      _ = mapping.time(of: RTPTimestamp(stamp ^ 0x8000_0000)).flatMap { clock.local($0, wayTime: .min) }
    }
  }
}
