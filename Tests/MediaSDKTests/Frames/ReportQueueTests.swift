import MediaCore
import Testing

@testable import MediaSDK

@Suite struct ReportQueueTests {
  private func report(_ sequence: UInt64) -> FrameReport {
    FrameReport(outcome: .sent, sequence: sequence, timestamp: 0)
  }

  @Test func theOldestIsDroppedAndCounted() throws {
    let queue = ReportQueue(capacity: 2)
    for sequence in 1...5 as ClosedRange<UInt64> { queue.push(report(sequence)) }
    #expect(queue.droppedCount == 3)
    #expect(try queue.read(deadline: 0).sequence == 4)
    #expect(try queue.read(deadline: 0).sequence == 5)
    #expect(failure { _ = try queue.read(deadline: 0) }?.status == .timeout)
  }

  @Test func whatIsThereIsReadAfterTheEnd() throws {
    let queue = ReportQueue(capacity: 2)
    queue.push(report(1))
    queue.close()
    #expect(try queue.read(deadline: .max).sequence == 1)
    #expect(failure { _ = try queue.read(deadline: .max) }?.status == .closed)
  }

  @Test func closingWakesWhoWaits() {
    let queue = ReportQueue(capacity: 2)
    let errors = Journal<Status?>()
    let reader = OSThread { errors.add(failure { _ = try queue.read(deadline: .max) }?.status) }
    queue.close()
    reader.join()
    #expect(errors.entries == [.closed])
  }

  @Test func aReportSurvivesTheForeignShape() {
    var report = FrameReport(outcome: .failed, sequence: 7, timestamp: 8)
    report.reason = .network
    report.isKeyFrame = true
    report.status = .corrupt
    report.bytes = 9
    let foreign = report.foreign
    #expect(foreign.outcome == 5 && foreign.reason == 7 && foreign.key_frame == 1 && foreign.status == -24)
    #expect(foreign.sequence == 7 && foreign.timestamp_ns == 8 && foreign.bytes == 9)
    #expect(FrameReport(outcome: .sent, sequence: 1, timestamp: 0).foreign.status == 0)
  }
}
