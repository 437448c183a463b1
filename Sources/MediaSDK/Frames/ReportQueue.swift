import MediaCore

/// Reports of frames that were sent without a completion, for those who pull.
final class ReportQueue: Sendable {
  private struct State {
    var reports: BoundedQueue<FrameReport>
    let flag = ReadableFlag()
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
      state.flag.set(true)
    }
    state.notify()
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.flag.set(true)
    }
    state.notify()
  }

  func read(deadline: Int64) throws(MediaError) -> FrameReport {
    let found: Result<FrameReport, MediaError>? = state.wait(until: deadline) { state in
      if let report = state.reports.pop() {
        state.flag.set(!state.reports.isEmpty || state.isClosed)
        return .success(report)
      }
      return state.isClosed ? .failure(MediaError(.closed, "the stream is destroyed")) : nil
    }
    guard let found else { throw MediaError(.timeout, "no report arrived in time") }
    return try found.get()
  }

  func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { state throws(MediaError) in try state.flag.get() }
  }
}

extension OutgoingVideo {
  /// The oldest report of a frame that was sent with `.queued`. Waits until `deadline`, in nanoseconds of the monotonic clock; 0 does not
  /// wait, `.max` has no limit. Throws `.timeout`, and `.closed` once the stream is closed and all reports were read.
  public func readReport(deadline: Int64) throws(MediaError) -> FrameReport {
    try reports.read(deadline: deadline)
  }

  /// Readable for poll() while reports are queued, and once the stream is closed. The stream owns it. Throws `.noMemory` when the process
  /// has no descriptor left.
  public func reportDescriptor() throws(MediaError) -> Int32 {
    try reports.descriptor()
  }
}

extension OutgoingAudio {
  /// The oldest report of a buffer that was sent with `.queued`. Waits until `deadline`, in nanoseconds of the monotonic clock; 0 does not
  /// wait, `.max` has no limit. Throws `.timeout`, and `.closed` once the stream is closed and all reports were read.
  public func readReport(deadline: Int64) throws(MediaError) -> FrameReport {
    try reports.read(deadline: deadline)
  }

  /// Readable for poll() while reports are queued, and once the stream is closed. The stream owns it. Throws `.noMemory` when the process
  /// has no descriptor left.
  public func reportDescriptor() throws(MediaError) -> Int32 {
    try reports.descriptor()
  }
}
