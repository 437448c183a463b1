import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import Synchronization

/// The thread that looks after one process: it serves what the plugin says, hears of its death, and starts the next.
enum PluginSupervisor {
  /// Starts a process and makes the plugin in it: the instance's first. Throws what create said.
  static func begin(_ instance: IsolatedInstance) throws(MediaError) {
    let process = try launch(instance, isFirst: true)
    if let error = restore(process, instance) {
      instance.state.withLock { $0.link = .closed }
      process.end("")
      _ = instance.state.wait(until: Deadline.after(milliseconds: 5_000)) { $0.keepers == 0 ? true : nil }
      throw error
    }
    instance.state.withLock { $0.link = .up(process) }
  }

  private static func launch(_ instance: IsolatedInstance, isFirst: Bool = false) throws(MediaError) -> PluginProcess {
    let process = try PluginProcess(instance.plan, isFirst: isFirst)
    let isWanted = instance.state.withLock { state in
      if case .closed = state.link { return false }
      state.link = .restoring(process)
      state.keepers += 1
      return true
    }
    guard isWanted else {
      process.end("")
      process.reap()
      throw MediaError(.closed, "the instance is destroyed")
    }
    let mine = Handover(process)
    let isStarted = OwnedThread.start("msdk-isolated", for: instance) {
      keep(mine, instance)
      // Nothing of the process is open any more, as far as this thread has it.
      instance.state.withLock { $0.keepers -= 1 }
      instance.state.notify()
    }
    guard isStarted else {
      instance.state.withLock { $0.keepers -= 1 }
      process.end("")
      process.reap()
      throw MediaError(.noMemory, "no thread for an isolated plugin")
    }
    return process
  }

  private static func keep(_ mine: Handover, _ instance: IsolatedInstance) {
    guard let process = mine.take() else { return }
    let born = MediaTime.monotonic()
    let status = PluginListener(process, instance).run()
    let reason = process.end.withLock { end in
      end.isNoticed = true
      return end.reason
    }
    let doing = process.doing
    process.abandon()
    process.awaited.close()
    let isOver = instance.state.withLock { state in
      if case .closed = state.link { return true }
      // It left as it was told to, before the one who told it has heard so.
      if state.isClosing, ExitReason.isLeaving(status) { return true }
      // Somebody else's by now, when it died while it was brought back.
      if state.link.process === process { state.link = .down }
      return false
    }
    instance.state.notify()
    if !isOver {
      let text = ExitReason.describe(status, reason: reason, doing: doing, output: status.output)
      instance.log(MSDK_LOG_WARN, text)
      instance.post(MSDK_PLUGIN_EVENT_DIED, MSDK_E_PLUGIN_DIED, "\(instance.plan.classID): \(text)")
      if !instance.state.withLock({ $0.isClosing }) {
        comeBack(instance, livedFor: MediaTime.monotonic() - born) { process.reap() }
      }
    }
    process.reap()
  }

  /// A process for a thread, which then has it alone: it is closed with the end of its function, not of the thread.
  private final class Handover: Sendable {
    private let process: Monitor<PluginProcess?>

    init(_ process: PluginProcess) { self.process = Monitor(process) }

    func take() -> PluginProcess? {
      process.withLock { process in
        defer { process = nil }
        return process
      }
    }
  }

  /// Starts it again, later the more often it died, and brings it to where it was.
  /// `waits` is told when there is time.
  private static func comeBack(_ instance: IsolatedInstance, livedFor life: Int64, waits: () -> Void) {
    let attempt = instance.backoff.withLock { $0.next(livedFor: life) }
    if let most = instance.plan.options.restarts, attempt.number > most {
      instance.state.withLock { if case .down = $0.link { $0.link = .givenUp } }
      instance.state.notify()
      instance.post(MSDK_PLUGIN_EVENT_ERROR, MSDK_E_PLUGIN_DIED, "its process died \(attempt.number) times in a row and is not restarted")
      return
    }
    if attempt.delay > 0 { waits() }
    let isOver: Bool? = instance.state.wait(until: attempt.delay == 0 ? 0 : MediaTime.monotonic() + attempt.delay) { state in
      if case .closed = state.link { return true }
      return nil
    }
    guard isOver == nil else { return }
    do throws(MediaError) {
      let process = try launch(instance)
      if let error = restore(process, instance) {
        process.end("it could not be restarted: \(error.text)")
        return
      }
      let isBack = instance.state.withLock { state in
        guard case .restoring(let present) = state.link, present === process else { return false }
        state.link = .up(process)
        return true
      }
      instance.state.notify()
      guard isBack else { return }
      instance.log(MSDK_LOG_INFO, "its process was restarted")
      instance.post(MSDK_PLUGIN_EVENT_RESTARTED, MSDK_OK, "\(instance.plan.classID): its process was restarted")
    } catch {
      instance.log(MSDK_LOG_ERROR, error.text)
      if error.status != .closed { comeBack(instance, livedFor: 0, waits: {}) }
    }
  }

  private static let isRefusalTold = Monitor(false)

  /// What cannot be had on this machine is said once.
  private static func note(_ sandbox: SandboxReport, _ instance: IsolatedInstance) {
    instance.plan.containment.withLock { $0 = sandbox.containment }
    guard !sandbox.refusal.isEmpty else { return }
    let isFirst = isRefusalTold.withLock { isTold in
      defer { isTold = true }
      return !isTold
    }
    guard isFirst else { return }
    let text = "isolated plugins can signal this user's other processes, as the kernel provides no namespaces: \(sandbox.refusal)"
    instance.log(MSDK_LOG_WARN, text)
  }

  /// Makes the plugin in its new process and brings it to what the core knows of it.
  private static func restore(_ process: PluginProcess, _ instance: IsolatedInstance) -> MediaError? {
    let (plan, wanted) = (instance.plan, instance.state.withLock { $0.wanted })
    func run(_ op: Op, _ write: IsolatedInstance.Write = { _ in }, read: IsolatedInstance.Read = { _, _ in }) throws(MediaError) {
      switch process.call(op, now: instance.now(), deadline: plan.options.controlDeadline, write: write, read: read) {
      case .result(let result):
        guard result < 0 else { return }
        throw MediaError(Status(foreign: result), process.errorText.isEmpty ? "\(op) failed with \(result)" : process.errorText)
      case .gone: throw MediaError(.pluginDied, "its process died in \(op)")
      }
    }
    do throws(MediaError) {
      guard plan.hasInstance else {
        try run(.load) { plan.write(to: &$0) }
        return nil
      }
      var sandbox = SandboxReport()
      try run(.create) {
        plan.write(to: &$0)
      } read: { reader, _ throws(MediaError) in
        sandbox = SandboxReport(containment: Containment(rawValue: try reader.get()), refusal: try reader.getText())
      }
      note(sandbox, instance)
      for (name, value) in wanted.parameters {
        try run(.setParam) { writer in
          writer.put(text: name)
          writer.put(value: value)
        }
      }
      if wanted.renderer > 0 { try run(.initRender) }
      for (number, input) in wanted.inputs.sorted(by: { $0.key < $1.key }) {
        try run(.updateInput) { writer in
          writer.put(number)
          input.withUnsafeBytes { writer.put(bytes: $0) }
        }
      }
      if wanted.producer > 0 { try run(.initCapture) }
      if wanted.producer > 0, let format = wanted.format { try run(.setFormat) { $0.put(format) } }
      if wanted.audioProducer > 0 { try run(.initAudioCapture) }
      if wanted.audioProducer > 0, let format = wanted.audioFormat { try run(.setAudioFormat) { $0.put(format) } }
      if wanted.audioRenderer > 0 { try run(.initAudioRender) }
      if wanted.audioRenderer > 0, let arriving = wanted.arriving { try run(.renderSettings) { $0.put(arriving) } }
      if wanted.filter > 0 { try run(.initFilter) }
      if wanted.filter > 0, let format = wanted.filtered { try run(.setFilterFormat) { $0.put(format) } }
      if wanted.audioFilter > 0 { try run(.initAudioFilter) }
      if wanted.audioFilter > 0, let format = wanted.filteredSound { try run(.setAudioFilterFormat) { $0.put(format) } }
      if wanted.audioRenderer > 1 { try run(.startAudioRender) }
      if let settings = wanted.videoEncoder { try run(.openVideoEncoder) { $0.put(settings) } }
      if let bytes = wanted.videoBytes { try run(.setVideoBytes) { $0.put(bytes) } }
      if let settings = wanted.videoDecoder { try run(.openVideoDecoder) { $0.put(settings) } }
      if let settings = wanted.audioEncoder { try run(.openAudioEncoder) { $0.put(settings) } }
      if let channels = wanted.audioDecoder { try run(.openAudioDecoder) { $0.put(channels) } }
      if wanted.producer > 1 { try run(.startCapture) }
      if wanted.audioProducer > 1 { try run(.startAudioCapture) }
      return nil
    } catch {
      return error
    }
  }
}

extension IsolationPlan {
  func write(to writer: inout WireWriter) {
    writer.put(text: path)
    writer.put(text: classID)
    writer.put(sandboxOptions.rawValue)
    writer.put(UInt32(isVirtualClock ? 1 : 0))
    writer.put(options.memory ?? 0)
    writer.put(options.processorTime ?? 0)
  }
}

/// When a process that died is started again: at once, after 100 ms, four times later with each death up to 10 s; from the beginning when it
/// lived for two seconds.
struct Backoff {
  static let longest: Int64 = 10_000_000_000
  static let life: Int64 = 2_000_000_000
  private(set) var deaths: UInt32 = 0
  private var delay: Int64 = 0

  mutating func next(livedFor life: Int64) -> (number: UInt32, delay: Int64) {
    if life >= Backoff.life { (deaths, delay) = (0, 0) }
    deaths &+= 1
    defer { delay = delay == 0 ? 100_000_000 : min(delay * 4, Backoff.longest) }
    return (deaths, delay)
  }
}
