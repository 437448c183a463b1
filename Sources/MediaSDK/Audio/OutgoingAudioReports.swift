import CMediaSDK
import MediaCore
import MediaTransport

/// What is told of each buffer: exactly once.
extension OutgoingAudio {
  func finish(_ pending: Pending, _ result: SendResult, bytes: Int, as outcome: FrameReport.Outcome) {
    switch result {
    case .sent:
      var report = FrameReport(outcome: outcome, sequence: pending.sequence, timestamp: pending.timestamp)
      report.bytes = UInt64(bytes)
      tell(report, pending)
    case .noReceiver: drop(pending, .noReceiver)
    case .notConnected: drop(pending, .notConnected)
    case .queueFull: drop(pending, .network)
    }
  }

  func fail(_ pending: Pending, _ error: MediaError) {
    engine.logger.log(MSDK_LOG_WARN.level32, .audio, "buffer \(pending.sequence) failed: \(error.text)")
    var report = FrameReport(outcome: .failed, sequence: pending.sequence, timestamp: pending.timestamp)
    report.status = error.status
    tell(report, pending)
  }

  func drop(_ pending: Pending, _ reason: FrameReport.DropReason) {
    var report = FrameReport(outcome: .dropped, sequence: pending.sequence, timestamp: pending.timestamp)
    report.reason = reason
    tell(report, pending)
  }

  func dropAwaiting(_ reason: FrameReport.DropReason) {
    while let pending = takeAwaiting() { drop(pending, reason) }
  }

  /// Exactly once for each buffer; ends our reference to it.
  func tell(_ report: FrameReport, _ pending: Pending) {
    pending.frame.release()
    let isAwaited = guarded.withLock { guarded in
      guarded.counters.count(report)
      guarded.settled = max(guarded.settled, pending.sequence)
      return guarded.waiters > 0
    }
    if isAwaited { guarded.notify() }
    var report = report
    report.user = pending.completion.user
    switch pending.completion {
    case .queued: reports.push(report)
    case .silent: break
    case .closure(let closure): completionGate.run { closure(report) }
    case .foreign(let function, let user):
      completionGate.run { withUnsafePointer(to: report.foreign) { function(user, $0) } }
    }
  }

  /// The oldest buffer whose sound has all left by then.
  func takeAwaiting(until end: Int64 = .max) -> Pending? {
    awaiting.withLock { awaiting in
      guard let first = awaiting.first, first.timestamp + first.duration <= end else { return nil }
      return awaiting.pop()
    }
  }
}
