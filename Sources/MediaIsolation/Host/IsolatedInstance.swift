import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// The library's side of an instance that lives in a process of its own. To the core it is a plugin like any other (`ProxyTables`); what it
/// does is forwarded to the process. When that dies it is started again and brought to where it was.
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
    /// Its first process has made the plugin: those that die from then on are started again.
    var hasBegun = false
    /// Its end is nobody's death.
    var isClosing = false
    /// What the core has brought it to.
    var desired = DesiredState()
    /// Threads that look after a process, or bring one back.
    var supervisors = 0
    /// How the last process ended, for people.
    var ending = ""
    /// Audio that the plugin gave while the host's pool was empty: the message, to be read again.
    var waiting: [UInt8]?
    /// Of an audio renderer and of an audio filter in nanoseconds, as they reported last.
    var delay: Int64 = 0
    var filterDelay: Int64 = 0
    /// Of an audio encoder and an audio decoder, as they were opened.
    var lookahead: UInt32 = 0
    var encodedChannels: UInt32 = 1
    var decodedChannels: UInt32 = 1
  }

  let plan: IsolationPlan
  let context: OpaquePointer?
  private let hostTable: UnsafePointer<msdk_host>
  let state = Monitor(State())
  let restarter: PluginRestarter
  /// The text that get_param gave, until the next call.
  var keptText = UnsafeMutableRawBufferPointer.allocate(byteCount: 1, alignment: 8)

  init(
    _ plan: IsolationPlan, host: UnsafePointer<msdk_host>, context: OpaquePointer?, restarter: PluginRestarter = PluginRestarter()
  ) {
    (self.plan, self.restarter) = (plan, restarter)
    hostTable = host
    self.context = context
  }

  deinit {
    keptText.deallocate()
  }

  var host: msdk_host { hostTable.pointee }

  func now() -> Int64 { host.now_ns?(context) ?? plan.clock.now() }

  func log(_ level: Int, _ text: String) {
    text.withCString { host.log?(context, Int32(level), $0) }
  }

  func post(_ event: Int, _ result: Int, _ text: String) {
    ParameterValue.string(text).withForeign { host.post_event?(context, UInt32(event), msdk_result(result), $0) }
  }

  /// An error of ours, with the text that the program will read.
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

  /// In the middle of frames: never waits for a process that is not there, and for one that is only until another call is over; not even that where the
  /// other call may wait for what the caller does.
  @inline(__always)
  func callNow(_ body: (PluginProcess) -> PluginProcess.Answer) -> Outcome {
    guard let process = takeNow() else { return .away }
    return finish(body(process), of: process)
  }

  // What follows is by itself, as each call would have it compiled once more.
  @inline(never)
  private func takeNow() -> PluginProcess? {
    let process: PluginProcess?? = state.wait(until: Deadline.after(milliseconds: plan.options.mediaDeadline)) { state in
      guard case .up(let process) = state.link else { return .some(nil) }
      guard !state.isBusy else { return process.reentrant.isAwaited ? .some(nil) : nil }
      state.isBusy = true
      return .some(process)
    }
    return process ?? nil
  }

  /// Waits while it is being brought back, and with `waitsForLife` also for its being started again.
  func call(_ op: Op, waitsForLife: Bool = false, _ body: (PluginProcess) -> PluginProcess.Answer) -> Outcome {
    if op.isForAnyThread, let process = state.withLock({ $0.link.process }), process.reentrant.isAwaited {
      guard process.reentrant.hasRoom else { return .away }
      return process.reentrant.call { finish(body(process), of: process, isOnly: false) }
    }
    guard let process = take(waitsForLife) else { return .away }
    return finish(body(process), of: process)
  }

  @inline(never)
  private func take(_ waitsForLife: Bool) -> PluginProcess? {
    let process: PluginProcess?? = state.wait(until: Deadline.after(milliseconds: plan.options.controlDeadline)) { state in
      switch state.link {
      case .up(let process):
        guard !state.isBusy else { return process.reentrant.isAwaited ? .some(nil) : nil }
        state.isBusy = true
        return .some(process)
      case .restoring: return nil
      case .down: return waitsForLife ? nil : .some(nil)
      case .givenUp, .closed: return .some(nil)
      }
    }
    return process ?? nil
  }

  @inline(never)
  private func finish(_ answer: PluginProcess.Answer, of process: PluginProcess, isOnly: Bool = true) -> Outcome {
    let isGone = if case .gone = answer { true } else { false }
    // Somebody else's with the next call.
    let text = if case .result(let result) = answer, result < 0 { process.errorText } else { "" }
    let isPresent = state.withLock { state in
      if isOnly { state.isBusy = false }
      guard case .up(let present) = state.link, present === process else { return false }
      if isGone { state.link = .down }
      return true
    }
    state.notify()
    guard case .result(let result) = answer else { return .died }
    if result < 0, isPresent, !text.isEmpty { text.withCString { host.set_error?(context, result, $0) } }
    return .result(result)
  }

  var isGivenUp: Bool { state.withLock { if case .givenUp = $0.link { true } else { false } } }

  // MARK: The end

  /// Destroys the plugin and ends its process. Waits until that is gone, unless the call comes from its supervisor.
  func close() {
    state.withLock { $0.isClosing = true }
    _ = call(.destroy) { $0.call(.destroy, now: now(), deadline: plan.options.controlDeadline) }
    let process = state.withLock { state in
      defer { state.link = .closed }
      return state.link.process
    }
    process?.end("")
    restarter.close()
    state.notify()
    guard !ThreadOwner.isCurrent(self) else { return }
    _ = state.wait(until: Deadline.after(milliseconds: 5_000)) { $0.supervisors == 0 ? true : nil }
  }
}
