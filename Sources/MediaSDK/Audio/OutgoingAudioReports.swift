import MediaCore
import MediaTransport

/// What became of each buffer, and of those whose audio is still in the encoder.
extension OutgoingAudio {
  func settle(_ pending: Pending, _ report: FrameReport, isSharp: Bool) {
    let isAwaited = guarded.withLock { guarded in
      guarded.counters.count(report)
      guarded.settled = max(guarded.settled, pending.sequence)
      return guarded.waiters > 0
    }
    if isAwaited { guarded.notify() }
  }

  func dropAwaiting(_ reason: FrameReport.DropReason) {
    while let pending = takeAwaiting() { drop(pending, reason) }
  }

  /// The oldest buffer whose sound has all left by then.
  func takeAwaiting(until end: Int64 = .max) -> Pending? {
    awaiting.withLock { awaiting in
      guard let first = awaiting.first, first.timestamp + first.duration <= end else { return nil }
      return awaiting.pop()
    }
  }
}
