import MediaCore
import Synchronization

/// The engine's log: levels, and one callback at a time. What is logged meanwhile waits its turn, so that nothing is locked during the callback.
public final class Logger: Sendable {
  public typealias Callback = @Sendable (Int32, String) -> Void

  private struct State {
    var callback: Callback?
    var gate = CallbackGate()
    var waiting = BoundedQueue<(Int32, String)>(capacity: 64)
    var isLogging = false
    var dropped: UInt64 = 0
  }

  private let level: Atomic<Int32>
  private let state = Monitor(State())

  init(level: Int32) {
    self.level = Atomic(level)
  }

  var droppedCount: UInt64 { state.withLock { $0.dropped } }

  /// When it returns, the former callback is not running any more, unless the call came from foreign code.
  public func set(level: Int32, callback: Callback?) {
    let former = state.withLock { state in
      defer { state.gate = CallbackGate() }
      state.callback = callback
      return state.gate
    }
    self.level.store(level, ordering: .relaxed)
    former.close()
  }

  public func log(_ level: Int32, _ text: @autoclosure () -> String) {
    guard level >= self.level.load(ordering: .relaxed) else { return }
    let text = text()
    let isMine = state.withLock { state in
      guard state.callback != nil else { return false }
      if state.waiting.push((level, text)) != nil { state.dropped += 1 }
      guard !state.isLogging else { return false }
      state.isLogging = true
      return true
    }
    guard isMine else { return }
    while true {
      let next: ((Int32, String), Callback?, CallbackGate)? = state.withLock { state in
        guard let message = state.waiting.pop() else {
          state.isLogging = false
          return nil
        }
        return (message, state.callback, state.gate)
      }
      guard let (message, callback, gate) = next else { return }
      gate.run { callback?(message.0, message.1) }
    }
  }
}
