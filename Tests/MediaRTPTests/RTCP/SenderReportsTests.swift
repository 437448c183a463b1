import Testing

@testable import MediaRTP

@Suite struct SenderReportsTests {
  private let clock = NTPClock(NTPTimestamp(unixNanoseconds: 1_700_000_000_000_000_000), at: 0)

  @Test func aReportSaysWhatWasSentAndWhen() {
    var reports = SenderReports(ssrc: SSRC(7), clockRate: 90_000, clock: clock)
    #expect(reports.report(at: 0) == nil)
    reports.sent(RTPTimestamp(1000), headerBytes: 12, payloadBytes: 500, capturedAt: 1_000_000_000)
    reports.sent(RTPTimestamp(.max), headerBytes: 20, payloadBytes: 300, capturedAt: 2_000_000_000)
    #expect(reports.isActive)
    let report = reports.report(at: 2_500_000_000)
    #expect(report?.packetCount == 2 && report?.octetCount == 800 && report?.ssrc == SSRC(7))
    #expect(report?.ntp.unixNanoseconds == 1_700_000_002_500_000_000)
    // Half a second behind the last stamp, which wraps.
    #expect(report?.timestamp == RTPTimestamp(44_999))
    #expect(!reports.isActive)
  }

  @Test func retransmissionsCountButSayNothingOfTheClock() {
    var reports = SenderReports(ssrc: SSRC(7), clockRate: 48_000, clock: clock)
    reports.sent(RTPTimestamp(960), headerBytes: 12, payloadBytes: 100, capturedAt: 1_000_000_000)
    reports.sent(RTPTimestamp(0), headerBytes: 12, payloadBytes: 90, capturedAt: nil)
    #expect(reports.report(at: 1_000_000_000)?.timestamp == RTPTimestamp(960))
    #expect(reports.counters.packetsSent == 2 && reports.counters.bytesSent == 190 && reports.counters.headerBytesSent == 24)
    #expect(reports.counters.retransmittedPacketsSent == 1 && reports.counters.retransmittedBytesSent == 90)
  }

  @Test func whatIsSentAgainAsAnotherSourceIsNotReported() {
    var reports = SenderReports(ssrc: SSRC(7), clockRate: 48_000, clock: clock)
    reports.sent(RTPTimestamp(960), headerBytes: 12, payloadBytes: 100, capturedAt: 1_000_000_000)
    reports.sent(RTPTimestamp(960), headerBytes: 12, payloadBytes: 102, capturedAt: nil, isElsewhere: true)
    let report = reports.report(at: 1_000_000_000)
    #expect(report?.packetCount == 1 && report?.octetCount == 100)
    #expect(reports.counters.packetsSent == 2 && reports.counters.retransmittedPacketsSent == 1)
  }

  @Test func aReportBeforeTheLastCaptureGoesBack() {
    var reports = SenderReports(ssrc: SSRC(7), clockRate: 48_000, clock: clock)
    reports.sent(RTPTimestamp(100), headerBytes: 12, payloadBytes: 1, capturedAt: 1_000_000_000)
    #expect(reports.report(at: 990_000_000)?.timestamp == RTPTimestamp(100).advanced(by: -480))
  }
}
