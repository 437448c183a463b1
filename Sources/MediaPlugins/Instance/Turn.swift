import Glibc
import MediaCore

/// Calls of one instance come one after the other. A turn is no lock that foreign code runs under: whoever comes back from inside his own turn is
/// refused instead of waiting for himself, and nobody waits for ever.
package final class Turn: Sendable {
  private struct State {
    var owner: pthread_t?
    var afterwards: (@Sendable () -> Void)?
  }

  private static let patience: UInt32 = 10_000
  private let state = Monitor(State())

  package init() {}

  /// Runs the body when the turn of another thread is over: `.timeout` after ten seconds, `.thread` inside its own.
  @inline(__always)
  package func take<Result>(_ what: String, _ body: () throws(MediaError) -> Result) throws(MediaError) -> Result {
    let me = pthread_self()
    let isFree = state.withLock { state in
      guard state.owner == nil else { return false }
      state.owner = me
      return true
    }
    if !isFree { try wait(what) }
    defer { end() }
    return try body()
  }

  @inline(__always)
  private func end() {
    let job = state.withLock { state in
      defer { state.afterwards = nil }
      state.owner = nil
      return state.afterwards
    }
    state.notify()
    job?()
  }

  /// Leaves something to be done when this thread's turn is over; false when it has none.
  func afterwards(_ job: @escaping @Sendable () -> Void) -> Bool {
    let me = pthread_self()
    return state.withLock { state in
      guard let owner = state.owner, pthread_equal(owner, me) != 0 else { return false }
      state.afterwards = job
      return true
    }
  }

  private func wait(_ what: String) throws(MediaError) {
    let me = pthread_self()
    let isMine: Bool? = state.wait(until: Deadline.after(milliseconds: Turn.patience)) { state in
      guard let owner = state.owner else {
        state.owner = me
        return true
      }
      return pthread_equal(owner, me) != 0 ? false : nil
    }
    guard let isMine else { throw MediaError(.timeout, "\(what): the instance was busy for \(Turn.patience / 1000) s") }
    guard isMine else { throw MediaError(.thread, "\(what) was called from inside a call to the same instance") }
  }
}
