import MediaCore

/// Reports of frames that were sent without a completion, for those who pull.
final class ReportQueue: Sendable {
  private struct State {
    var reports: BoundedQueue<FrameReport>
    var dropped: UInt64 = 0
    var isClosed = false
  }

  private let state: Monitor<State>

  init(capacity: Int) {
    state = Monitor(State(reports: BoundedQueue(capacity: capacity)))
  }

  var droppedCount: UInt64 { state.withLock { $0.dropped } }

  func push(_ report: FrameReport) {
    state.withLock { state in
      if state.reports.push(report) != nil { state.dropped += 1 }
    }
    state.notify()
  }

  func close() {
    state.withLock { $0.isClosed = true }
    state.notify()
  }

  func read(deadline: Int64) throws(MediaError) -> FrameReport {
    let found: Result<FrameReport, MediaError>? = state.wait(until: deadline) { state in
      if let report = state.reports.pop() { return .success(report) }
      return state.isClosed ? .failure(MediaError(.closed, "the stream is destroyed")) : nil
    }
    guard let found else { throw MediaError(.timeout, "no report came in time") }
    return try found.get()
  }
}

extension OutgoingVideo {
  public func readReport(deadline: Int64) throws(MediaError) -> FrameReport {
    try reports.read(deadline: deadline)
  }
}

extension OutgoingAudio {
  public func readReport(deadline: Int64) throws(MediaError) -> FrameReport {
    try reports.read(deadline: deadline)
  }
}
