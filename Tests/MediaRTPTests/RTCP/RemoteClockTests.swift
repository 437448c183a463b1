import MediaCore
import Testing

@testable import MediaRTP

@Suite struct RemoteClockTests {
  private static let start: Int64 = 1_700_000_000_000_000_000

  @Test func theQuickestReportTellsTheClock() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: RemoteClockTests.start + time) }
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
      let theirs = { (time: Int64) in NTPTimestamp(unixNanoseconds: RemoteClockTests.start + time - 7_000_000_000) }
      let ours = { (time: Int64) in NTPTimestamp(unixNanoseconds: RemoteClockTests.start + time) }
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
      let time = last.unixNanoseconds - RemoteClockTests.start + 7_000_000_000
      errors.append(abs((clock.local(last, roundTrip: trip.least) ?? .max) - time))
      byRoundTrip.append(abs((clock.local(last) ?? .max) - (trip.least ?? 0) / 2 - time))
    }
    let (beyond, before) = (errors.count { $0 > 5_000_000 }, byRoundTrip.count { $0 > 5_000_000 })
    #expect(beyond <= 2 && before >= 10, "\(beyond) and \(before) of 200")
  }

  /// An answer of a clock that was set, of a stamp that nobody sent, or before anything is known of the other clock says nothing.
  @Test func strangeAnswersAreIgnored() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: RemoteClockTests.start + time) }
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
        let ntp = NTPTimestamp(unixNanoseconds: RemoteClockTests.start + second * (1_000_000_000 + drift * 1000))
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
      let ntp = NTPTimestamp(unixNanoseconds: RemoteClockTests.start + second * 1_000_000_000)
      let queue: Int64 = (200..<230).contains(second) ? 300_000_000 : 0
      clock.received(ntp, at: second * 1_000_000_000 + queue + Int64.random(in: 0...5_000_000, using: &random))
      worst = max(worst, abs((clock.local(ntp) ?? .max) - second * 1_000_000_000))
    }
    #expect(worst <= 8_000_000, "\(worst)")
  }

  @Test func aClockThatIsSetIsFollowedAfterThree() {
    var clock = RemoteClock()
    let ntp = { (time: Int64) in NTPTimestamp(unixNanoseconds: RemoteClockTests.start + time) }
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
}
