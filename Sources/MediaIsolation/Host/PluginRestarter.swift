import CMediaSDK
import IsolationProtocol
import MediaCore
import MediaPlugins
import MediaRuntime

/// Starts the process of an instance again after it died, when the time for that has come by the plan's clock. On a worker that is there while
/// there is something to start; called by supervisors, from any thread.
final class PluginRestarter: Sendable {
  private struct State {
    var backoff = Backoff()
    var due = Int64.max
    var worker: (any Worker)?
    var isClosed = false
  }

  private let state = Monitor(State())
  private let start: @Sendable (IsolatedInstance) throws(MediaError) -> Void

  /// `start`: brings the instance back.
  init(start: @escaping @Sendable (IsolatedInstance) throws(MediaError) -> Void = PluginSupervisor.restart) {
    self.start = start
  }

  /// It died after so long a life.
  func schedule(_ instance: IsolatedInstance, livedFor life: Int64) {
    let now = instance.plan.clock.now()
    let (number, worker): (UInt32, (any Worker)?) = state.withLock { state in
      let attempt = state.backoff.next(livedFor: life)
      guard !state.isClosed, attempt.number <= instance.plan.options.restarts ?? .max else { return (attempt.number, nil) }
      state.due = now &+ attempt.delay
      // Referred to by it until nothing is to be started any more.
      let worker = state.worker ?? instance.plan.clock.makeWorker("msdk-restart") { [self] in step(instance) }
      state.worker = worker
      return (attempt.number, worker)
    }
    if let worker { return worker.poke() }
    guard !state.withLock({ $0.isClosed }) else { return }
    instance.state.withLock { if case .down = $0.link { $0.link = .givenUp } }
    instance.state.notify()
    instance.post(MSDK_PLUGIN_EVENT_ERROR, MSDK_E_PLUGIN_DIED, "its process died \(number) times in a row and is not restarted")
  }

  /// Nothing is started any more; nothing is waited for.
  func close() {
    let worker = state.withLock { state in
      (state.isClosed, state.due) = (true, .max)
      return state.worker
    }
    worker?.poke()
  }

  private func step(_ instance: IsolatedInstance) -> Int64 {
    let now = instance.plan.clock.now()
    let isDue = state.withLock { state in
      guard !state.isClosed, state.due <= now else { return false }
      state.due = .max
      return true
    }
    if isDue { ThreadOwner.with(instance) { attempt(instance) } }
    let (due, idle): (Int64, (any Worker)?) = state.withLock { state in
      guard state.due == .max else { return (state.due, nil) }
      defer { state.worker = nil }
      return (.max, state.worker)
    }
    // From inside of itself: its thread ends with this step.
    idle?.stop()
    return due
  }

  /// As long as it lasts, whoever closes the instance waits for it as for a supervisor.
  private func attempt(_ instance: IsolatedInstance) {
    let isWanted = instance.state.withLock { state in
      if case .closed = state.link { return false }
      state.supervisors += 1
      return true
    }
    guard isWanted else { return }
    do throws(MediaError) {
      try start(instance)
    } catch {
      instance.log(MSDK_LOG_ERROR, error.text)
      if error.status != .closed { schedule(instance, livedFor: 0) }
    }
    instance.state.withLock { $0.supervisors -= 1 }
    instance.state.notify()
  }
}

/// When a process that died is started again: at once, after 100 ms, four times later with each death up to 10 s; from the beginning when it
/// lived for two seconds.
struct Backoff {
  static let longest: Int64 = 10_000_000_000
  static let life: Int64 = 2_000_000_000
  private(set) var deaths: UInt32 = 0
  private var delay: Int64 = 0

  mutating func next(livedFor life: Int64) -> (number: UInt32, delay: Int64) {
    if life >= Backoff.life { (deaths, delay) = (0, 0) }
    deaths &+= 1
    defer { delay = delay == 0 ? 100_000_000 : min(delay * 4, Backoff.longest) }
    return (deaths, delay)
  }
}
