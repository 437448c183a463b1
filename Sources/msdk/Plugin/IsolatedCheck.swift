import CMediaSDK
import Glibc
import MediaCore
import MediaIsolation
import MediaPlugins
import MediaSDK

/// The check that the checker's own host cannot make: the class in a process of its own, behind the library's isolation, driven as a stream
/// drives it, and killed in the middle.
struct IsolatedCheck {
  enum Outcome {
    case passed
    case skipped(String)
    case failed(String)
  }

  static let id = "isolated"
  static let rule = "MSDK_CLASS_NO_ISOLATION"
  static let summary = "in a process of its own it is restarted after kill -9, with its parameters, and continues"

  let path: String
  let classID: String
  let settings: [(String, String)]
  let seconds: UInt32

  private static let frames = 10
  /// For a plugin that makes frames when it likes.
  private static let patience: UInt32 = 3_000

  func run() -> Outcome {
    // The library reads it: nothing of the plugin is loaded into this process then.
    setenv("MSDK_PLUGIN_ISOLATE", "*", 1)
    let engine = Engine()
    defer { engine.close() }
    engine.logger.set(level: Int32(MSDK_LOG_NONE), callback: nil)
    do throws(MediaError) {
      try engine.plugins.load(path)
    } catch {
      return .skipped("the library does not accept the file: \(error.text)")
    }
    guard let descriptor = try? engine.plugins.descriptor(classID) else { return .skipped("the library has no class \(classID)") }
    let kinds = DrivenKind.Kind.all(of: descriptor.kinds)
    for kind in kinds {
      let outcome = live(as: kind, engine)
      guard case .passed = outcome else { return outcome }
    }
    return kinds.isEmpty ? .skipped("codecs are not run in a process of their own") : .passed
  }

  /// A life as one of its kinds.
  private func live(as kind: DrivenKind.Kind, _ engine: Engine) -> Outcome {
    var options = InstanceOptions()
    options.isolation = .ownProcess
    // One that cannot come back shall not try for ever.
    options.restarts = 1
    // This looks for whether it comes back, also on a busy machine; whether it is fast is another check.
    (options.controlDeadline, options.mediaDeadline) = (30_000, 10_000)
    let instance: PluginInstance
    do throws(MediaError) {
      instance = try engine.makeInstance(classID, options)
    } catch {
      if error.status == .unsupported || error.status == .notFound { return .skipped("it cannot be isolated: \(error.text)") }
      return .failed("in a process of its own create returned \(error.status.name) (\(error.text))")
    }
    defer { instance.destroy() }
    do throws(MediaError) {
      for (name, value) in settings where instance.descriptor.parameters.contains(where: { $0.name == name }) {
        try instance.setParameter(name, text: value)
      }
      return try live(DrivenKind(kind, of: instance), instance)
    } catch {
      return .failed("in a process of its own the \(kind.name) returned \(error.status.name) (\(error.text))")
    }
  }

  private func live(_ driven: DrivenKind, _ instance: PluginInstance) throws(MediaError) -> Outcome {
    try driven.start()
    let moved = try driven.pass(IsolatedCheck.frames, until: Deadline.after(milliseconds: IsolatedCheck.patience))
    let set = try LiveParameters(setting: instance, apart: settings.map(\.0)) { () throws(MediaError) in
      if moved == 0 { return true }
      return try driven.pass(1, until: Deadline.after(milliseconds: IsolatedCheck.patience)) > 0
    }
    if let text = ended(instance) { return .failed(text) }
    let processes = OwnProcesses.grandchildren
    guard !processes.isEmpty else { return .skipped("its process is not found in /proc") }
    for process in processes { kill(process, SIGKILL) }
    if let text = comesBack(instance) { return .failed("after kill -9 it was not restarted: \(text)") }
    if let text = try set.difference(from: instance) { return .failed("after kill -9 \(text)") }
    // Only what came before can be expected again.
    let again = try driven.pass(IsolatedCheck.frames, until: Deadline.after(milliseconds: moved > 0 ? seconds * 500 : 100))
    if moved > 0, again == 0 { return .failed("after kill -9 it was restarted, but the \(driven.kind.name) did not continue") }
    if let text = ended(instance) { return .failed("after kill -9 it was restarted, and then: \(text)") }
    try driven.stop()
    return .passed
  }

  /// Waits for the death, and for the next life. Why there is none; nil when there is.
  private func comesBack(_ instance: PluginInstance) -> String? {
    let deadline = Deadline.after(milliseconds: seconds * 1_000)
    var reason: String?
    var deaths = 0
    while let event = try? instance.events.next(deadline: deadline) {
      switch Int(event.event) {
      case MSDK_PLUGIN_EVENT_DIED:
        deaths += 1
        if deaths > 1 { reason = event.text }
      case MSDK_PLUGIN_EVENT_RESTARTED: return nil
      case MSDK_PLUGIN_EVENT_ERROR: return reason ?? event.text
      default: break
      }
    }
    return reason ?? "no event reported it within \(seconds) s"
  }

  /// What it told of its end, when it should be alive.
  private func ended(_ instance: PluginInstance) -> String? {
    while let event = try? instance.events.next(deadline: 0) {
      if [MSDK_PLUGIN_EVENT_DIED, MSDK_PLUGIN_EVENT_ERROR].contains(Int(event.event)) { return event.text }
    }
    return nil
  }
}
