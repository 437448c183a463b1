import Glibc
import MediaCore

/// Lets the drivers of a local ingest in, which its loop calls one at a time, from when it is opened until it is closed. `last` is done once after
/// that, when nobody is inside any more.
final class IngestGate: Sendable {
  private struct State {
    var isOpen = false
    var isClosed = false
    var isOver = false
    /// The loop's thread, while a driver is inside.
    var inside: pthread_t?

    /// Whether it is the caller's to do what is last.
    mutating func claim() -> Bool {
      guard isClosed, inside == nil, !isOver else { return false }
      isOver = true
      return true
    }
  }

  private let state = Monitor(State())

  /// Who came before is to be called again.
  func open() {
    state.withLock { $0.isOpen = true }
  }

  /// Whoever is inside delivers nothing more.
  var isClosed: Bool { state.withLock { $0.isClosed } }

  func enter(_ body: () -> Int64, last: () -> Void) -> Int64 {
    let mayEnter = state.withLock { state in
      guard state.isOpen, !state.isClosed else { return false }
      state.inside = pthread_self()
      return true
    }
    guard mayEnter else { return .max }
    let next = body()
    let isLast = state.withLock { state in
      state.inside = nil
      return state.claim()
    }
    state.notify()
    if isLast { last() }
    return next
  }

  /// When it returns nobody is inside and `last` is done, unless it was called from inside or from foreign code: then whoever leaves does it.
  func close(last: () -> Void) {
    let isInside = state.withLock { state in
      state.isClosed = true
      return state.inside.map { pthread_equal($0, pthread_self()) != 0 } ?? false
    }
    if !isInside, !ForeignCode.isRunning { _ = state.wait(until: .max) { $0.inside == nil ? true : nil } }
    if state.withLock({ $0.claim() }) { last() }
  }
}
