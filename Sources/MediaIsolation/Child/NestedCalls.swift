import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Calls on a thread of the plugin that waits for an answer, in the middle of whatever it does (the library's side: `ReentrantCalls`).
extension PluginCalls {
  /// What further calls of the same instance are made with, besides those of another.
  final class Copies: @unchecked Sendable {
    private let events: PluginEvents
    private let sandbox: SandboxReport
    private let descriptor: ClassDescriptor?
    private let me: OpaquePointer?

    init(of calls: PluginCalls) {
      (events, sandbox, descriptor, me) = (calls.events, calls.sandbox, calls.descriptor, calls.me)
    }

    func make() -> PluginCalls {
      let other = PluginCalls(events, sandbox)
      (other.descriptor, other.me) = (descriptor, me)
      return other
    }
  }

  /// Makes a call whose error text is kept apart from those of the calls around it.
  func answer(_ bytes: [UInt8], to waiter: UInt32) {
    ThreadErrorText.collect { _ in
      let (isOver, _) = bytes.withUnsafeBytes { ChildMain.serve($0, -1, self, &message) }
      events.say(.answered, id: waiter) { $0.append(message) }
      if isOver { _exit(0) }
    }
  }
}
