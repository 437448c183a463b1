import Testing

@testable import MediaRTP

@Suite struct RoundTripTests {
  private func block(_ stamp: UInt32, _ delay: UInt32) -> ReportBlock {
    ReportBlock(ssrc: SSRC(1), lastSenderReport: stamp, delaySinceLastSenderReport: delay)
  }

  /// RFC 3550, figure 2.
  @Test func theStandardsExample() {
    var trip = RoundTrip()
    let now = NTPTimestamp(rawValue: 0xB44D_B710_8000_0000)
    #expect(trip.received(block(0xB705_2000, 0x5_4000), at: now) == 6_125_000_000)
    #expect(trip.latest == 6_125_000_000 && trip.smoothed == 6_125_000_000 && trip.least == 6_125_000_000)
    // The same of a receiver.
    var other = RoundTrip()
    let delay = ExtendedReport.Delay(ssrc: SSRC(1), lastReceiverReport: 0xB705_2000, delaySinceLastReceiverReport: 0x5_4000)
    #expect(other.received(delay, at: now) == 6_125_000_000)
    #expect(other == trip)
  }

  @Test func theyAreSummedAndSmoothed() {
    var trip = RoundTrip()
    trip.received(block(0x1_0000, 0), at: NTPTimestamp(rawValue: 0x2_0000 << 16))
    trip.received(block(0x1_0000, 0), at: NTPTimestamp(rawValue: 0x1_8000 << 16))
    #expect(trip.total == 1_500_000_000 && trip.measurements == 2 && trip.least == 500_000_000)
    #expect(trip.smoothed == 937_500_000)
  }

  @Test func whatCannotBeIsIgnored() {
    var trip = RoundTrip()
    let now = NTPTimestamp(rawValue: 0x10_0000 << 16)
    #expect(trip.received(block(0, 5), at: now) == nil)
    // From the future, from minutes ago, and after a delay of hours.
    #expect(trip.received(block(0x11_0000, 0), at: now) == nil)
    #expect(trip.received(block(0x10_0000 &- 61 << 16, 0), at: now) == nil)
    #expect(trip.received(block(0x10_0000, .max / 2), at: now) == nil)
    #expect(trip.measurements == 0)
    // The delay was rounded up.
    #expect(trip.received(block(0x10_0000 - 4, 5), at: now) == 0)
  }

  @Test func referenceTimesAreAnsweredOnce() {
    var times = ReferenceTimes(limit: 2)
    for (index, ssrc) in [1, 2, 1, 3].enumerated() {
      times.received(NTPTimestamp(rawValue: UInt64(ssrc) << 16), from: SSRC(UInt32(ssrc)), at: Int64(index) * 1_000_000_000)
    }
    // The second was heard longest ago.
    #expect(
      times.take(at: 4_000_000_000) == [
        .init(ssrc: SSRC(1), lastReceiverReport: 1, delaySinceLastReceiverReport: 2 << 16),
        .init(ssrc: SSRC(3), lastReceiverReport: 3, delaySinceLastReceiverReport: 1 << 16)
      ])
    #expect(times.take(at: 4_000_000_000) == [])
  }

  /// Two ends with clocks of their own, over a path of 30 ms there and 50 ms back.
  @Test func bothEndsTellTheSame() throws {
    let sender = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0)
    let receiver = NTPClock(NTPTimestamp(unixNanoseconds: 1_000_000_000_000_000_000), at: 0)
    let (there, back): (Int64, Int64) = (30_000_000, 50_000_000)
    // The sender's report is answered after 400 ms, the receiver's reference time after 300 ms.
    var statistics = ReceptionStatistics(ssrc: SSRC(1), clockRate: 90_000, minimumSequential: 1)
    _ = statistics.received(
      RTPHeader(payloadType: 96, sequence: SequenceNumber(1), timestamp: RTPTimestamp(1), ssrc: SSRC(1)), headerBytes: 12, payloadBytes: 1,
      at: there)
    var reports = SenderReports(ssrc: SSRC(1), clockRate: 90_000, clock: sender)
    reports.sent(RTPTimestamp(1), headerBytes: 12, payloadBytes: 1, capturedAt: 0)
    guard let report = reports.report(at: 0) else { return #expect(Bool(false)) }
    statistics.received(report, at: there)
    guard let answer = statistics.reportBlock(at: there + 400_000_000) else { return #expect(Bool(false)) }
    var senders = RoundTrip()
    let forward = senders.received(answer, at: sender.time(at: there + 400_000_000 + back))
    #expect(abs((forward ?? 0) - 80_000_000) < 50_000)

    var times = ReferenceTimes()
    times.received(receiver.time(at: 0), from: SSRC(2), at: back)
    var receivers = RoundTrip()
    let backward = try receivers.received(
      #require(times.take(at: back + 300_000_000).first), at: receiver.time(at: back + 300_000_000 + there))
    #expect(abs((backward ?? 0) - 80_000_000) < 50_000)
  }
}
