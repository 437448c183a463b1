import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// The library's side of an instance that lives in a process of its own. To the core it is a plugin like any other (`ProxyTables`); what it
/// does is said on to the process. When that dies it is started again and brought to where it was.
final class IsolatedInstance: @unchecked Sendable {
  enum Link {
    case up(PluginProcess)
    /// Being brought to where it was.
    case restoring(PluginProcess)
    /// Until it is started again.
    case down
    case givenUp
    case closed

    var process: PluginProcess? {
      switch self {
      case .up(let process), .restoring(let process): process
      default: nil
      }
    }
  }

  struct State {
    var link = Link.down
    var isBusy = false
    /// Its end is nobody's death.
    var isClosing = false
    /// What the core has brought it to.
    var wanted = DesiredState()
    /// Threads that look after a process, or bring one back.
    var keepers = 0
    /// Sound that the plugin gave while the host's pool was empty: the message, to be read again.
    var waiting: [UInt8]?
    /// Of a renderer of sound, as it said last.
    var delay: Int64 = 0
    /// Of a filter of sound, in nanoseconds.
    var filterDelay: Int64 = 0
    /// Of an encoder of sound, as it said when it was opened.
    var lookahead: UInt32 = 0
  }

  let plan: IsolationPlan
  let context: OpaquePointer?
  private let hostTable: UnsafePointer<msdk_host>
  let state = Monitor(State())
  let backoff = Monitor(Backoff())
  /// Keeps the text that get_param gave until the next call.
  var lent = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 8)

  init(_ plan: IsolationPlan, host: UnsafePointer<msdk_host>, context: OpaquePointer?) {
    self.plan = plan
    hostTable = host
    self.context = context
  }

  deinit {
    lent.deallocate()
  }

  var host: msdk_host { hostTable.pointee }

  func now() -> Int64 { host.now_ns?(context) ?? MediaTime.monotonic() }

  func log(_ level: Int, _ text: String) {
    text.withCString { host.log?(context, Int32(level), $0) }
  }

  func post(_ event: Int, _ result: Int, _ text: String) {
    ParameterValue.string(text).withForeign { host.post_event?(context, UInt32(event), msdk_result(result), $0) }
  }

  /// An error of ours in the words that the program will read.
  func fail(_ status: Status, _ text: String) -> msdk_result {
    text.withCString { host.set_error?(context, status.rawValue, $0) }
    return status.rawValue
  }

  // MARK: Calling

  enum Outcome {
    case result(msdk_result)
    /// It died of this call, or in the middle of it.
    case died
    /// There is no process just now.
    case away
  }

  typealias Write = (inout WireWriter) -> Void
  typealias Read = (inout WireReader, ReplyHeader) throws(MediaError) -> Void

  /// On a frame's way: never waits for a process that is not there, and for one that is only until another call is over; not even that where the
  /// other call may wait for what the caller does.
  @inline(__always)
  func callNow(_ op: Op, _ body: (PluginProcess) -> PluginProcess.Answer) -> Outcome {
    let process: PluginProcess?? = state.wait(until: Deadline.after(milliseconds: plan.options.mediaDeadline)) { state in
      guard case .up(let process) = state.link else { return .some(nil) }
      guard !state.isBusy else { return process.inside.isAwaited ? .some(nil) : nil }
      state.isBusy = true
      return .some(process)
    }
    guard let process = process ?? nil else { return .away }
    return run(op, process, body)
  }

  /// Waits while it is being brought back, and with `waitsForLife` also for its being started again.
  func call(_ op: Op, waitsForLife: Bool = false, _ body: (PluginProcess) -> PluginProcess.Answer) -> Outcome {
    if op.isForAnyThread, let process = state.withLock({ $0.link.process }), process.inside.isAwaited {
      guard process.inside.hasRoom else { return .away }
      return process.inside.call { run(op, process, isOnly: false, body) }
    }
    let process: PluginProcess?? = state.wait(until: Deadline.after(milliseconds: plan.options.controlDeadline)) { state in
      switch state.link {
      case .up(let process):
        guard !state.isBusy else { return process.inside.isAwaited ? .some(nil) : nil }
        state.isBusy = true
        return .some(process)
      case .restoring: return nil
      case .down: return waitsForLife ? nil : .some(nil)
      case .givenUp, .closed: return .some(nil)
      }
    }
    guard let process = process ?? nil else { return .away }
    return run(op, process, body)
  }

  @inline(__always)
  private func run(_ op: Op, _ process: PluginProcess, isOnly: Bool = true, _ body: (PluginProcess) -> PluginProcess.Answer) -> Outcome {
    let answer = body(process)
    let isGone = if case .gone = answer { true } else { false }
    // Somebody else's with the next call.
    let words = if case .result(let result) = answer, result < 0 { process.errorText } else { "" }
    let isHeard = state.withLock { state in
      if isOnly { state.isBusy = false }
      guard case .up(let present) = state.link, present === process else { return false }
      if isGone { state.link = .down }
      return true
    }
    state.notify()
    guard case .result(let result) = answer else { return .died }
    if result < 0, isHeard, !words.isEmpty { words.withCString { host.set_error?(context, result, $0) } }
    return .result(result)
  }

  /// A call of the core that changes what the instance is: once more when the plugin died of it, as it does not every time.
  func change(_ op: Op, write: Write = { _ in }, apply: (inout DesiredState) -> Void) -> msdk_result {
    var deaths = 0
    while true {
      switch call(op, waitsForLife: true, { $0.call(op, now: now(), deadline: plan.options.controlDeadline, write: write) }) {
      case .result(let result):
        if result >= 0 { state.withLock { apply(&$0.wanted) } }
        return result
      case .away: return fail(.pluginDied, "its process is gone and was not restarted within \(plan.options.controlDeadline) ms")
      case .died:
        deaths += 1
        if deaths > 1 { return fail(.pluginDied, "its process died in \(op), twice") }
      }
    }
  }

  /// A call that takes it down: what is gone is down already.
  func takeDown(_ op: Op, apply: (inout DesiredState) -> Void) -> msdk_result {
    state.withLock { apply(&$0.wanted) }
    switch call(op, { $0.call(op, now: now(), deadline: plan.options.controlDeadline) }) {
    case .result(let result): return result
    case .away, .died: return msdk_result(MSDK_OK)
    }
  }

  /// A question, asked once more when the plugin died of it.
  func ask(_ op: Op, write: Write = { _ in }, read: Read) -> msdk_result {
    var deaths = 0
    while true {
      let outcome = call(op, waitsForLife: true) { process in
        process.call(op, now: now(), deadline: plan.options.controlDeadline, write: write, read: read)
      }
      switch outcome {
      case .result(let result): return result
      case .away: return fail(.pluginDied, "its process is gone and was not restarted within \(plan.options.controlDeadline) ms")
      case .died:
        deaths += 1
        if deaths > 1 { return fail(.pluginDied, "its process died in \(op), twice") }
      }
    }
  }

  var isGivenUp: Bool { state.withLock { if case .givenUp = $0.link { true } else { false } } }

  /// Being given up ends a stream; otherwise what is asked of it meanwhile comes to nothing.
  func meanwhile(_ quiet: Int) -> msdk_result {
    isGivenUp ? fail(.pluginDied, "its process died too often and is not restarted") : msdk_result(quiet)
  }

  // MARK: The end

  /// Tells the plugin and ends its process. Waits until that is gone, unless the call comes from its keeper.
  func close() {
    state.withLock { $0.isClosing = true }
    _ = call(.destroy) { $0.call(.destroy, now: now(), deadline: plan.options.controlDeadline) }
    let process = state.withLock { state in
      defer { state.link = .closed }
      return state.link.process
    }
    process?.end("")
    state.notify()
    guard !OwnedThread.isCurrent(self) else { return }
    _ = state.wait(until: Deadline.after(milliseconds: 5_000)) { $0.keepers == 0 ? true : nil }
  }
}

/// What the core has brought an instance to: a process that comes back is brought there too.
struct DesiredState {
  /// In the order in which they were set.
  var parameters: [(name: String, value: ParameterValue)] = []
  /// 0 created, 1 ready, 2 started; of producers and renderers of video and of sound.
  var producer = 0
  var audioProducer = 0
  var renderer = 0
  var audioRenderer = 0
  var filter = 0
  var audioFilter = 0
  /// What filters are given.
  var filtered: VideoFormatHeader?
  var filteredSound: AudioFrameHeader?
  var format: VideoFormatHeader?
  var audioFormat: AudioFrameHeader?
  /// What a renderer of sound was asked its settings for.
  var arriving: AudioFrameHeader?
  var inputs: [UInt32: [UInt8]] = [:]
  /// What codecs were opened with, and the rates and bounds that encoders were given since.
  var videoEncoder: msdk_video_encoder_settings?
  var videoBytes: UInt64?
  var videoDecoder: msdk_video_decoder_settings?
  var audioEncoder: msdk_audio_encoder_settings?
  /// The channels that it makes.
  var audioDecoder: UInt32?

  mutating func set(_ name: String, _ value: ParameterValue) {
    if let index = parameters.firstIndex(where: { $0.name == name }) { parameters.remove(at: index) }
    parameters.append((name, value))
  }
}
