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
    #expect(clock.local(ntp(50_000_000_000), pathTime: 20_000_000) == 150_000_000_000)
  }

  /// Eight exchanges over a path of 100 ms and up to 20 ms of jitter in each direction, as at the beginning of a call: the quickest there and the
  /// quickest back are seldom of one round trip, and the time of the path is known better by each direction than by the least round trip.
  @Test func jitterIsToldFromDelayInEachDirection() {
    var (errors, byRoundTrip) = ([Int64](), [Int64]())
    for seed in 1...200 as ClosedRange<UInt64> {
      var (clock, trip, random) = (RemoteClock(), RoundTrip(), SeededRandom(seed: seed))
      let path = { 100_000_000 + Int64.random(in: 0...20_000_000, using: &random) }
      // The other clock began 7 s later.
      let theirs = { (time: Int64) in NTPTimestamp(unixNanoseconds: ClockMappingTests.start + time - 7_000_000_000) }
      let ours = { (time: Int64) in NTPTimestamp(unixNanoseconds: ClockMappingTests.start + time) }
      var last = theirs(0)
      for index in 0..<8 as Range<Int64> {
        let sent = index * 100_000_000
        let heard = sent + path()
        let said = heard + 30_000_000
        let now = said + path()
        let block = ReportBlock(
          ssrc: SSRC(1), lastSenderReport: ours(sent).middle, delaySinceLastSenderReport: ShortNTP.span(nanoseconds: said - heard))
        last = theirs(said)
        clock.received(last, at: now)
        trip.received(block, at: ours(now))
        clock.answered(last, to: block.lastSenderReport, after: block.delaySinceLastSenderReport, at: now, clock: ours(now))
      }
      let time = last.unixNanoseconds - ClockMappingTests.start + 7_000_000_000
      errors.append(abs((clock.local(last, roundTrip: trip.least) ?? .max) - time))
      byRoundTrip.append(abs((clock.local(last) ?? .max) - (trip.least ?? 0) / 2 - time))
    }
    let (beyond, before) = (errors.count { $0 > 5_000_000 }, byRoundTrip.count { $0 > 5_000_000 })
    #expect(beyond <= 2 && before >= 10, "\(beyond) and \(before) of 200")
  }

  /// An answer of a clock that was set, of a stamp that nobody sent, or before anything is known of the other clock says nothing.
  @Test func strangeAnswersAreIgnored() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: ClockMappingTests.start + time) }
    clock.answered(ntp(0), to: ntp(0).middle, after: 0, at: 50_000_000, clock: ntp(50_000_000))
    clock.received(ntp(30_000_000), at: 50_000_000)
    // 20 ms there and back: half of it is the path. Without an answer it is what the round trip says.
    #expect(clock.local(ntp(30_000_000), roundTrip: 20_000_000) == 40_000_000)
    for (stamp, delay, said) in [(0, 0, 30), (ntp(500_000_000).middle, 0, 30), (ntp(0).middle, 0, 70_000), (ntp(0).middle, 0xFFFF_FFFF, 30)]
      as [(UInt32, UInt32, Int64)]
    {
      clock.answered(ntp(said * 1_000_000), to: stamp, after: delay, at: 50_000_000, clock: ntp(50_000_000))
      #expect(clock.local(ntp(30_000_000), roundTrip: 20_000_000) == 40_000_000)
    }
    clock.answered(
      ntp(30_000_000), to: ntp(0).middle, after: ShortNTP.span(nanoseconds: 10_000_000), at: 50_000_000, clock: ntp(50_000_000))
    #expect(abs((clock.local(ntp(30_000_000), roundTrip: 0) ?? 0) - 30_000_000) < 50_000)
  }

  /// 400 in a million, which is two clocks of 200 each, with ten milliseconds of jitter and one report in a second: in an hour it is never far off.
  @Test(arguments: [-400, 0, 400] as [Int64]) func aClockThatDriftsIsFollowed(_ drift: Int64) {
    for jitter in [0, 10_000_000] as [Int64] {
      var (clock, random) = (RemoteClock(), SeededRandom(seed: 6))
      var worst = (any: 0 as Int64, settled: 0 as Int64)
      for second in 0..<3600 as Range<Int64> {
        let ntp = NTPTimestamp(unixNanoseconds: ClockMappingTests.start + second * (1_000_000_000 + drift * 1000))
        clock.received(ntp, at: second * 1_000_000_000 + Int64.random(in: 0...jitter, using: &random))
        let error = (clock.local(ntp) ?? .max) - second * 1_000_000_000
        worst.any = max(worst.any, abs(error))
        if second > 60 { worst.settled = max(worst.settled, abs(error)) }
      }
      #expect(worst.any <= 4_000_000 + jitter && worst.settled <= jitter / 4 + 10_000 && clock.jumps == 0, "\(worst), jitter \(jitter)")
    }
  }

  /// What waits in a queue for a while is later than the rest, and says nothing of the clock.
  @Test func aSlowerPathForAWhileMovesLittle() {
    var (clock, random) = (RemoteClock(), SeededRandom(seed: 6))
    var worst: Int64 = 0
    for second in 0..<600 as Range<Int64> {
      let ntp = NTPTimestamp(unixNanoseconds: ClockMappingTests.start + second * 1_000_000_000)
      let queue: Int64 = (200..<230).contains(second) ? 300_000_000 : 0
      clock.received(ntp, at: second * 1_000_000_000 + queue + Int64.random(in: 0...5_000_000, using: &random))
      worst = max(worst, abs((clock.local(ntp) ?? .max) - second * 1_000_000_000))
    }
    #expect(worst <= 8_000_000, "\(worst)")
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
