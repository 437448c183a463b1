import Glibc
import MediaCore
import Synchronization

/// CLOCK_MONOTONIC, and a thread for each worker, made at its first poke.
public final class SystemClock: MediaClock {
  private let threads = ThreadCount()

  /// Without threads.
  public init() {}

  /// Always false.
  public var isVirtual: Bool { false }
  /// Threads of its workers that have not ended.
  public var threadCount: Int { threads.value.load(ordering: .relaxed) }

  /// CLOCK_MONOTONIC.
  public func now() -> Int64 {
    MediaTime.monotonic()
  }

  /// CLOCK_REALTIME, which may jump.
  public func wallTime() -> Int64 {
    MediaTime.wallClock()
  }

  /// The first poke makes a thread of that name; where none can be made, the next poke tries again. The thread ends with `stop`.
  public func makeWorker(_ name: String, step: @escaping @Sendable () -> Int64) -> any Worker {
    ThreadWorker(name, threads: threads, step: step)
  }
}

final class ThreadCount: Sendable {
  let value = Atomic<Int>(0)
}

/// A thread that sleeps until it is poked or its time has come.
final class ThreadWorker: Worker {
  private struct State {
    var step: (@Sendable () -> Int64)?
    var thread: pthread_t?
    var isStopping = false
  }

  private let name: String
  private let threads: ThreadCount
  private let state: Monitor<State>
  private let isPoked = Atomic<Bool>(false)
  /// Whether a poke must wake the thread; one that is awake looks at `isPoked` by itself.
  private let needsWaking = Atomic<Bool>(true)
  private let adaptive = AdaptiveSpin()

  init(_ name: String, threads: ThreadCount, step: @escaping @Sendable () -> Int64) {
    self.name = name
    self.threads = threads
    state = Monitor(State(step: step))
  }

  func poke() {
    isPoked.store(true, ordering: .sequentiallyConsistent)
    guard needsWaking.load(ordering: .sequentiallyConsistent) else { return }
    state.withLock { state in
      guard !state.isStopping else { return }
      guard state.thread == nil else { return }
      threads.value.add(1, ordering: .relaxed)
      state.thread = SystemThread.make(name) { [self] in run() }
      if state.thread == nil { threads.value.subtract(1, ordering: .relaxed) }
    }
    state.notify()
  }

  func stop() {
    let thread: pthread_t? = state.withLock { state in
      state.isStopping = true
      defer { state.thread = nil }
      if state.thread == nil { state.step = nil }
      return state.thread
    }
    guard let thread else { return }
    state.notify()
    if ForeignCode.isRunning || pthread_equal(thread, pthread_self()) != 0 {
      pthread_detach(thread)
    } else {
      pthread_join(thread, nil)
    }
  }

  private func run() {
    var deadline = Int64.max
    while let step = nextStep(by: deadline) { deadline = step() }
    state.withLock { $0.step = nil }
    threads.value.subtract(1, ordering: .relaxed)
  }

  /// Waits for a poke or the deadline; nil when it is time to stop.
  private func nextStep(by deadline: Int64) -> (@Sendable () -> Int64)? {
    adaptive.spin { isPoked.load(ordering: .acquiring) }
    needsWaking.store(true, ordering: .sequentiallyConsistent)
    defer { needsWaking.store(false, ordering: .sequentiallyConsistent) }
    let began = MediaTime.monotonic()
    let step: (@Sendable () -> Int64)?? = state.wait(until: deadline) { state in
      if state.isStopping { return .some(nil) }
      guard isPoked.exchange(false, ordering: .sequentiallyConsistent) || MediaTime.monotonic() >= deadline else { return nil }
      return .some(state.step)
    }
    adaptive.learn(waited: MediaTime.monotonic() - began)
    return step ?? state.withLock { $0.isStopping ? nil : $0.step }
  }
}
