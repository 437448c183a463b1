import Testing

@testable import MediaRTP

@Suite struct EarlyReportsTests {
  private func report(_ ssrc: UInt32, _ timestamp: UInt32 = 0) -> SenderReport {
    SenderReport(ssrc: SSRC(ssrc), ntp: NTPTimestamp(rawValue: 1), timestamp: RTPTimestamp(timestamp), packetCount: 0, octetCount: 0)
  }

  @Test func theLatestIsTakenOnceWithItsName() throws {
    var reports = EarlyReports()
    let isFirst = reports.keep(report(1), at: 0)
    reports.name(SSRC(1), "alice")
    let isSecond = !reports.keep(report(1, 7), at: 10)
    #expect(isFirst && isSecond)
    let (taken, again) = (reports.take(of: SSRC(1), at: 20), reports.take(of: SSRC(1), at: 20))
    let entry = try #require(taken)
    #expect(entry.report.timestamp == RTPTimestamp(7) && entry.time == 10 && entry.cname == "alice")
    #expect(again?.time == nil)
  }

  @Test func aFloodKeepsTheLatestEight() {
    var reports = EarlyReports()
    for ssrc in 1...1000 as ClosedRange<UInt32> { _ = reports.keep(report(ssrc), at: 0) }
    let kept = (1...1000 as ClosedRange<UInt32>).filter { reports.take(of: SSRC($0), at: 0) != nil }
    #expect(kept == Array(993...1000))
  }

  @Test func whatIsOldIsOfAnother() {
    var reports = EarlyReports()
    _ = reports.keep(report(1), at: 0)
    let old = reports.take(of: SSRC(1), at: 2_000_000_000)
    #expect(old?.time == nil)
  }

  @Test func aFloodIsAnsweredTwentyTimesASecond() {
    var settings = RTPSettings(cname: "here", clock: NTPClock(NTPTimestamp(unixNanoseconds: 0), at: 0), seed: 1)
    settings.reportsAtOnce = true
    let (session, end) = (RTPSession(settings, receiving: [111: .opus], now: 0), TestCall.End())
    for ssrc in 1...2000 as ClosedRange<UInt32> {
      let now = Int64(ssrc) * 1_000_000
      withUnsafeTemporaryAllocation(byteCount: 256, alignment: 8) { memory in
        var writer = PacketWriter(memory)
        report(ssrc).write(to: &writer)
        session.receive(UnsafeRawBufferPointer(writer.bytes), now: now, end)
      }
      _ = session.poll(now: now, end)
    }
    // Two seconds, and what the schedule sends by itself.
    let sent = end.out.count
    #expect((35...45).contains(sent), "\(sent)")
  }
}
