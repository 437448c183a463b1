import CMediaSDK
import MediaCore
import Synchronization

/// The engine's log: levels, and a bounded queue of records, which the program pulls, or which a callback gets one at a time. What is logged
/// during a callback is queued, so that nothing is locked while it runs. What MSDK_LOG asks for is written to standard error as well.
public final class Logger: Sendable {
  /// Gets one record. Called on a thread that logs, one call at a time; it must not log itself.
  public typealias Callback = @Sendable (LogRecord) -> Void

  private struct State {
    var callback: Callback?
    var gate = CallbackGate()
    var records = BoundedQueue<LogRecord>(capacity: Logger.capacity)
    let flag = ReadableFlag()
    /// A thread calls the callback, and those that log meanwhile leave their records to it.
    var isLogging = false
    var isClosed = false
    var dropped: UInt64 = 0
    /// Since the last record that was taken.
    var droppedBefore: UInt64 = 0
  }

  static let capacity = 256

  private let level = Atomic<Int32>(MSDK_LOG_NONE.level32)
  private let state = Monitor(State())
  private let clock: @Sendable () -> Int64
  /// Of standard error.
  private let environmentLevel: Int32

  init(ignoringEnvironment: Bool = false, clock: @escaping @Sendable () -> Int64) {
    environmentLevel = ignoringEnvironment ? MSDK_LOG_NONE.level32 : EnvironmentLog.level
    self.clock = clock
  }

  var droppedCount: UInt64 { state.withLock { $0.dropped } }

  /// The lowest level of which records are made, from the next message on.
  public func set(level: Int32) {
    guard !state.withLock({ $0.isClosed }) else { return }
    self.level.store(level, ordering: .relaxed)
  }

  /// When it returns, the former callback is not running any more, unless the call came from foreign code. Without a callback records are pulled.
  public func set(level: Int32, callback: Callback?) {
    let former: CallbackGate? = state.withLock { state in
      guard !state.isClosed else { return nil }
      defer { state.gate = CallbackGate() }
      state.callback = callback
      return state.gate
    }
    set(level: level)
    state.notify()
    former?.close()
  }

  func log(_ level: Int32, _ category: LogRecord.Category, _ text: @autoclosure () -> String) {
    let (isWritten, isTold) = (level >= environmentLevel, level >= self.level.load(ordering: .relaxed))
    guard isWritten || isTold else { return }
    let text = text()
    if isWritten { EnvironmentLog.write(level, text) }
    guard isTold else { return }
    let record = LogRecord(level: level, category: category, time: clock(), text: text)
    let isMine = state.withLock { state in
      guard !state.isClosed else { return false }
      if state.records.push(record) != nil {
        state.dropped += 1
        state.droppedBefore += 1
      }
      state.flag.set(true)
      guard state.callback != nil, !state.isLogging else { return false }
      state.isLogging = true
      return true
    }
    state.notify()
    if isMine { dispatch() }
  }

  private func dispatch() {
    while true {
      let next: (LogRecord, Callback, CallbackGate)? = state.withLock { state in
        // The gate is open while the callback is set.
        guard let callback = state.callback, let record = Logger.pop(&state), state.gate.enter() else {
          state.isLogging = false
          return nil
        }
        return (record, callback, state.gate)
      }
      guard let (record, callback, gate) = next else { return }
      gate.runInside { callback(record) }
    }
  }

  private static func pop(_ state: inout State) -> LogRecord? {
    guard var record = state.records.pop() else { return nil }
    record.dropped = state.droppedBefore
    state.droppedBefore = 0
    state.flag.set(!state.records.isEmpty)
    return record
  }

  // MARK: Pulled

  /// The oldest record that is queued. Waits until `deadline`, in nanoseconds of the monotonic clock; 0 does not wait, `.max` has no limit.
  /// Throws `.timeout`, `.state` while a callback is set, and `.closed` once the engine is closed.
  public func next(deadline: Int64) throws(MediaError) -> LogRecord {
    let found: Result<LogRecord, MediaError>? = state.wait(until: deadline) { state in
      if state.isClosed { return .failure(MediaError(.closed, "the engine is destroyed")) }
      if state.callback != nil { return .failure(MediaError(.state, "a log callback is set; remove it to pull records")) }
      return Logger.pop(&state).map { .success($0) }
    }
    guard let found else { throw MediaError(.timeout, "no record came in time") }
    return try found.get()
  }

  /// Readable for poll() while records are queued, and once the engine is closed. The logger owns it. Throws `.noMemory` when the process
  /// has no descriptor left.
  public func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { state throws(MediaError) in try state.flag.get() }
  }

  /// No callback begins any more, and readers learn of it.
  func close() {
    level.store(MSDK_LOG_NONE.level32, ordering: .relaxed)
    let gate = state.withLock { state in
      state.isClosed = true
      state.callback = nil
      state.flag.set(true)
      return state.gate
    }
    state.notify()
    gate.close()
  }
}
