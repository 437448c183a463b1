import CMediaSDK
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// A frame that was accepted, with a reference of ours, on its way to the encoder or the transport.
struct PendingFrame<Raw: RawFrame>: Sendable {
  var frame: StreamFrame<Raw>
  let sequence: UInt64
  var timestamp: Int64
  /// Of audio.
  var duration: Int64 = 0
  let acceptedAt: Int64
  let completion: Completion
  /// Of a standing picture: its report has been told.
  var isRepeat = false
}

/// The state of a stream that is sent.
protocol OutgoingState {
  var life: OutgoingLife { get set }
}

/// What outgoing video and audio share: where the stream goes, and what is told of each frame. Any thread.
protocol OutgoingCore: AnyObject, Sendable {
  associatedtype Guarded: OutgoingState
  associatedtype Raw: RawFrame
  typealias Pending = PendingFrame<Raw>

  var engine: Engine { get }
  var guarded: Monitor<Guarded> { get }
  var reports: ReportQueue { get }
  var completionGate: CallbackGate { get }
  /// In the log: of which topic, and what its frames are called.
  var topic: LogRecord.Category { get }
  static var frameName: String { get }

  /// Counts what became of a frame, before its report leaves.
  func settle(_ pending: Pending, _ report: FrameReport, isSharp: Bool)
}

extension OutgoingCore {
  var session: Session? { guarded.withLock { $0.life.publication?.session } }
  var isClosed: Bool { guarded.withLock { $0.life.isClosed } }
  var worker: (any Worker)? { guarded.withLock { $0.life.worker } }

  func pass(_ event: PluginEvent) {
    session?.push(.plugin(event.instance, event))
  }

  /// The former one, to be closed where nothing is locked.
  func replaceEncodedCallback(by function: (@Sendable (EncodedFrame) -> Void)?) -> FrameCallback<EncodedFrame>? {
    guarded.withLock { guarded in
      defer { guarded.life.encodedCallback = function.map { FrameCallback($0) } }
      return guarded.life.encodedCallback
    }
  }

  func append(_ filter: PluginInstance, to filters: some FilterChain) throws(MediaError) {
    try filters.append(
      filter, to: "an outgoing stream",
      of: { () throws(MediaError) in
        try self.guarded.withLock { guarded throws(MediaError) in try guarded.life.checkAlive() }
      }
    ) { self.pass($0) }
  }

  // MARK: Telling

  func finish(
    _ pending: Pending, _ result: SendResult, as outcome: FrameReport.Outcome, bytes: Int, isKeyFrame: Bool = false, isSharp: Bool = true
  ) {
    switch result {
    case .sent:
      var report = FrameReport(outcome: outcome, sequence: pending.sequence, timestamp: pending.timestamp)
      report.bytes = UInt64(bytes)
      report.isKeyFrame = isKeyFrame
      tell(report, pending, isSharp: isSharp)
    case .noReceiver: drop(pending, .noReceiver)
    case .notConnected: drop(pending, .notConnected)
    case .queueFull: drop(pending, .network)
    case .noKey: drop(pending, .noKey)
    }
  }

  func fail(_ pending: Pending, _ error: MediaError) {
    engine.logger.log(MSDK_LOG_WARN.level32, topic, "\(Self.frameName) \(pending.sequence) failed: \(error.text)")
    var report = FrameReport(outcome: .failed, sequence: pending.sequence, timestamp: pending.timestamp)
    report.status = error.status
    tell(report, pending)
  }

  func drop(_ pending: Pending, _ reason: FrameReport.DropReason) {
    var report = FrameReport(outcome: .dropped, sequence: pending.sequence, timestamp: pending.timestamp)
    report.reason = reason
    tell(report, pending)
  }

  /// Exactly once for each frame, of repetitions to nobody; ends our reference to it.
  func tell(_ report: FrameReport, _ pending: Pending, isSharp: Bool = true) {
    pending.frame.release()
    settle(pending, report, isSharp: isSharp)
    guard !pending.isRepeat else { return }
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
}
