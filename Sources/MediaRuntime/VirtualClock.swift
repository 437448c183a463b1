import MediaCore

/// A clock that stands still until it is moved. All work is done by the caller of `advance`, in the order of its time and, at the same time,
/// of its asking.
public final class VirtualClock: MediaClock {
  private struct State {
    var now: Int64 = 1_000_000_000
    var isAdvancing = false
    var order: UInt64 = 0
    var workers: [ObjectIdentifier: (worker: VirtualWorker, time: Int64, order: UInt64)] = [:]
  }

  private let state = Monitor(State())

  /// At one second, and still.
  public init() {}

  /// Always true.
  public var isVirtual: Bool { true }

  /// The time of the work that is being done, or to which it was moved last.
  public func now() -> Int64 {
    state.withLock { $0.now }
  }

  /// 2020-01-01 was when it began.
  public func wallTime() -> Int64 { 1_577_836_800_000_000_000 &+ now() }

  /// Makes no thread: `step` runs inside `advance`, on the thread that called it. The name plays no part.
  public func makeWorker(_ name: String, step: @escaping @Sendable () -> Int64) -> any Worker {
    VirtualWorker(self, step: step)
  }

  /// Does all that is due until then, with the clock at the time of each. `.state`: it is being advanced already, by another thread or
  /// around this call. `.range`: the time would not fit.
  public func advance(by nanoseconds: Int64) throws(MediaError) {
    let target = try state.withLock { state throws(MediaError) in
      guard !state.isAdvancing else { throw MediaError(.state, "the virtual clock is being advanced by another thread") }
      let (target, overflow) = state.now.addingReportingOverflow(nanoseconds)
      guard !overflow else { throw MediaError(.range, "the virtual clock is at \(state.now) and cannot be advanced by \(nanoseconds)") }
      state.isAdvancing = true
      return target
    }
    while let worker = takeDue(until: target) {
      let next = worker.run()
      if next != .max { wake(worker, at: next) }
    }
    state.withLock { state in
      state.now = target
      state.isAdvancing = false
    }
  }

  private func takeDue(until target: Int64) -> VirtualWorker? {
    state.withLock { state in
      let due = state.workers.values.filter { $0.time <= target }.min { ($0.time, $0.order) < ($1.time, $1.order) }
      guard let due else { return nil }
      state.workers[ObjectIdentifier(due.worker)] = nil
      state.now = max(state.now, due.time)
      return due.worker
    }
  }

  /// Wakes the worker at that time or sooner; in the past means now.
  fileprivate func wake(_ worker: VirtualWorker, at time: Int64?) {
    state.withLock { state in
      let time = max(time ?? state.now, state.now)
      if let waiting = state.workers[ObjectIdentifier(worker)], waiting.time <= time { return }
      state.order += 1
      state.workers[ObjectIdentifier(worker)] = (worker, time, state.order)
    }
  }

  fileprivate func forget(_ worker: VirtualWorker) {
    state.withLock { $0.workers[ObjectIdentifier(worker)] = nil }
  }
}

private final class VirtualWorker: Worker {
  private struct State {
    var step: (@Sendable () -> Int64)?
    var isRunning = false
  }

  private let clock: VirtualClock
  private let state: Monitor<State>

  init(_ clock: VirtualClock, step: @escaping @Sendable () -> Int64) {
    self.clock = clock
    state = Monitor(State(step: step))
  }

  func poke() {
    guard state.withLock({ $0.step != nil }) else { return }
    clock.wake(self, at: nil)
  }

  func stop() {
    state.withLock { $0.step = nil }
    clock.forget(self)
    guard !ForeignCode.isRunning, !VirtualWorkerThread.isStepping else { return }
    _ = state.wait(until: .max) { $0.isRunning ? nil : true }
  }

  func run() -> Int64 {
    let step = state.withLock { state in
      state.isRunning = state.step != nil
      return state.step
    }
    guard let step else { return .max }
    let next = VirtualWorkerThread.step(step)
    let isStopped = state.withLock { state in
      state.isRunning = false
      return state.step == nil
    }
    state.notify()
    return isStopped ? .max : next
  }
}
