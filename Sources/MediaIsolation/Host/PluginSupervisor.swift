import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// The thread of each process of an isolated instance: it serves what the plugin reports, is notified of its death, and has the next one started
/// (`PluginRestarter`).
enum PluginSupervisor {
  /// Starts a process and makes the plugin in it: the instance's first. Throws what create failed with.
  static func begin(_ instance: IsolatedInstance) throws(MediaError) {
    let process = try launch(instance, isFirst: true)
    if let error = restore(process, instance) {
      instance.state.withLock { $0.link = .closed }
      func ending(within patience: UInt32) -> String? {
        instance.state.wait(until: Deadline.after(milliseconds: patience)) { $0.supervisors == 0 ? $0.ending : nil }
      }
      // What it died of is known once it is gone, and ending it might be faster.
      let cause = error.status == .pluginDied ? ending(within: 1_000) : nil
      process.end("")
      let last = ending(within: 5_000)
      guard error.status == .pluginDied, let text = cause ?? last else { throw error }
      throw MediaError(.pluginDied, text)
    }
    // One that has died since is started again like any other.
    if !comeUp(process, of: instance) { report(instance.state.withLock { $0.ending }, of: instance, livedFor: 0) }
  }

  /// Says whether the process is still the instance's.
  private static func comeUp(_ process: PluginProcess, of instance: IsolatedInstance) -> Bool {
    let isPresent = instance.state.withLock { state in
      state.hasBegun = true
      guard case .restoring(let present) = state.link, present === process else { return false }
      state.link = .up(process)
      return true
    }
    instance.state.notify()
    return isPresent
  }

  private static func launch(_ instance: IsolatedInstance, isFirst: Bool = false) throws(MediaError) -> PluginProcess {
    let process = try PluginProcess(instance.plan, isFirst: isFirst)
    let isWanted = instance.state.withLock { state in
      if case .closed = state.link { return false }
      state.link = .restoring(process)
      state.supervisors += 1
      return true
    }
    guard isWanted else {
      process.end("")
      process.reap()
      throw MediaError(.closed, "the instance is destroyed")
    }
    let mine = OwnedProcess(process)
    let isStarted = SystemThread.start("msdk-isolated") {
      ThreadOwner.with(instance) { supervise(mine, instance) }
      // Nothing of the process is open any more, as far as this thread has it.
      instance.state.withLock { $0.supervisors -= 1 }
      instance.state.notify()
    }
    guard isStarted else {
      instance.state.withLock { $0.supervisors -= 1 }
      process.end("")
      process.reap()
      throw MediaError(.noMemory, "no thread for an isolated plugin")
    }
    return process
  }

  private static func supervise(_ mine: OwnedProcess, _ instance: IsolatedInstance) {
    guard let process = mine.take() else { return }
    let clock = instance.plan.clock
    let born = clock.now()
    let status = PluginListener(process, instance).run()
    let reason = process.end.withLock { end in
      end.isNoticed = true
      return end.reason
    }
    let doing = process.doing
    process.abandon()
    process.awaited.close()
    let text = ExitReason.describe(status, reason: reason, doing: doing, output: status.output)
    let isOver = instance.state.withLock { state in
      state.ending = text
      if case .closed = state.link { return true }
      // It left as it was asked to, before the answer arrived.
      if state.isClosing, ExitReason.isLeaving(status) { return true }
      // Somebody else's by now, when it died while it was brought back.
      if state.link.process === process { state.link = .down }
      // Else `begin` says what it died of.
      return !state.hasBegun
    }
    instance.state.notify()
    if !isOver { report(text, of: instance, livedFor: clock.now() - born) }
    process.reap()
  }

  /// A process has died, and is started again.
  private static func report(_ text: String, of instance: IsolatedInstance, livedFor life: Int64) {
    instance.log(MSDK_LOG_WARN, text)
    instance.post(MSDK_PLUGIN_EVENT_DIED, MSDK_E_PLUGIN_DIED, "\(instance.plan.classID): \(text)")
    if !instance.state.withLock({ $0.isClosing }) { instance.restarter.schedule(instance, livedFor: life) }
  }

  /// A process for a thread, which then has it alone: it is closed with the end of its function, not of the thread.
  private final class OwnedProcess: Sendable {
    private let process: Monitor<PluginProcess?>

    init(_ process: PluginProcess) { self.process = Monitor(process) }

    func take() -> PluginProcess? {
      process.withLock { process in
        defer { process = nil }
        return process
      }
    }
  }

  /// Starts it again and brings it to where it was. Throws when there is no process to be had.
  static func restart(_ instance: IsolatedInstance) throws(MediaError) {
    let process = try launch(instance)
    if let error = restore(process, instance) {
      process.end("it could not be restarted: \(error.text)")
      return
    }
    guard comeUp(process, of: instance) else { return }
    instance.log(MSDK_LOG_INFO, "its process was restarted")
    instance.post(MSDK_PLUGIN_EVENT_RESTARTED, MSDK_OK, "\(instance.plan.classID): its process was restarted")
  }

  private static let isRefusalLogged = Monitor(false)

  /// What is not available on this machine is logged once.
  private static func note(_ sandbox: SandboxReport, _ instance: IsolatedInstance) {
    instance.plan.containment.withLock { $0 = sandbox.containment }
    guard !sandbox.refusal.isEmpty else { return }
    let isFirst = isRefusalLogged.withLock { isLogged in
      defer { isLogged = true }
      return !isLogged
    }
    guard isFirst else { return }
    let text = "isolated plugins can signal this user's other processes, as the kernel provides no namespaces: \(sandbox.refusal)"
    instance.log(MSDK_LOG_WARN, text)
  }

  /// Makes the plugin in its new process and brings it to what the core knows of it.
  private static func restore(_ process: PluginProcess, _ instance: IsolatedInstance) -> MediaError? {
    let (plan, desired) = (instance.plan, instance.state.withLock { $0.desired })
    func check(_ op: Op, _ answer: PluginProcess.Answer) throws(MediaError) {
      switch answer {
      case .result(let result):
        guard result < 0 else { return }
        throw MediaError(Status(foreign: result), process.errorText.isEmpty ? "\(op) failed with \(result)" : process.errorText)
      case .gone: throw MediaError(.pluginDied, "its process died in \(op)")
      }
    }
    func run(_ op: Op, _ write: IsolatedInstance.Write = { _ in }, read: IsolatedInstance.Read = { _, _ in }) throws(MediaError) {
      try check(op, process.call(op, now: instance.now(), deadline: plan.options.controlDeadline, write: write, read: read))
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
      for (name, value) in desired.parameters {
        try check(.setParam, process.setParameter(name, value, of: instance))
      }
      for (op, payload) in desired.restoring { try run(op) { $0.append(payload) } }
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
