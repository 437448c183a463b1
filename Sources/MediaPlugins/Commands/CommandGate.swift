import MediaCore

/// The thread-safe commands that are running: they take no turn, and the instance is not destroyed while one is inside.
final class CommandGate: Sendable {
  private struct State {
    var inside = 0
    var isClosed = false
    var afterwards: (@Sendable () -> Void)?
  }

  private static let patience: UInt32 = 10_000
  private let state = Monitor(State())

  /// false when it is closed.
  func enter() -> Bool {
    state.withLock { state in
      guard !state.isClosed else { return false }
      state.inside += 1
      return true
    }
  }

  func leave() {
    let job: (@Sendable () -> Void)? = state.withLock { state in
      state.inside -= 1
      guard state.inside == 0 else { return nil }
      defer { state.afterwards = nil }
      return state.afterwards
    }
    state.notify()
    job?()
  }

  /// Lets nobody in any more, and does the job when nobody is inside: having waited for those, or, from inside foreign code, which they may be
  /// waiting for, and when they take very long, as the last one leaves.
  func close(then job: @escaping @Sendable () -> Void) {
    state.withLock { $0.isClosed = true }
    if !ForeignCode.isRunning {
      let _: Bool? = state.wait(until: Deadline.after(milliseconds: CommandGate.patience)) { $0.inside == 0 ? true : nil }
    }
    let isEmpty = state.withLock { state in
      if state.inside > 0 { state.afterwards = job }
      return state.inside == 0
    }
    if isEmpty { job() }
  }
}
