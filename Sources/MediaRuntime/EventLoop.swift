import MediaCore

/// Jobs in order of time, done one after the other by a worker of its own. No foreign code runs here.
public final class EventLoop: Sendable {
  public typealias Job = @Sendable () -> Void

  private struct State {
    var jobs = TimeHeap<Job>()
    var isStopped = false
  }

  public let clock: any MediaClock
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)

  public init(_ name: String, clock: any MediaClock) {
    self.clock = clock
    let worker = clock.makeWorker(name) { [weak self] in self?.runDue() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  public func post(_ job: @escaping Job) {
    schedule(at: .min, job)
  }

  public func schedule(at time: Int64, _ job: @escaping Job) {
    let isSoonest = state.withLock { state in
      guard !state.isStopped else { return false }
      return state.jobs.push(job, at: time)
    }
    if isSoonest { worker.withLock { $0 }?.poke() }
  }

  /// Jobs that were not begun are dropped.
  public func stop() {
    let dropped = state.withLock { state in
      state.isStopped = true
      return state.jobs.removeAll()
    }
    worker.withLock { $0 }?.stop()
    _ = dropped  // Released here, outside the lock: what they hold may end with them.
  }

  private func runDue() -> Int64 {
    while true {
      let now = clock.now()
      let (job, next) = state.withLock { state in (state.jobs.pop(dueAt: now), state.jobs.earliest) }
      guard let job else { return next ?? .max }
      job()
    }
  }
}
