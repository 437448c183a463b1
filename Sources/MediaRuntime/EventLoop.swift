import MediaCore

/// Jobs in order of time, done one after the other by a worker of its own. No foreign code runs here.
public final class EventLoop: Sendable {
  /// Called once, on the thread of the loop's worker; released after it, or when it is dropped.
  public typealias Job = @Sendable () -> Void

  private struct State {
    /// Those that are to be done at once, in their order, those before `begun` done; they come before all that have a time.
    var posted: [Job?] = []
    var begun = 0
    var jobs = TimeHeap<Job>()
    var isStopped = false

    /// Whether it is now the next.
    mutating func post(_ job: @escaping Job) -> Bool {
      posted.append(job)
      return posted.count == begun + 1
    }

    mutating func next(at now: Int64) -> Job? {
      guard begun < posted.count else { return jobs.pop(dueAt: now) }
      defer { begun += 1 }
      return posted[begun].take()
    }

    /// When the next is due, after the last that was begun is done.
    mutating func nextTime() -> Int64 {
      guard begun == posted.count else { return .min }
      posted.removeAll(keepingCapacity: posted.count < 1024)
      begun = 0
      return jobs.earliest ?? .max
    }
  }

  /// Of the times of `schedule`; its `now` is read before each job.
  public let clock: any MediaClock
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)

  /// With a worker of the clock's, by that name; it is idle until the first job comes.
  public init(_ name: String, clock: any MediaClock) {
    self.clock = clock
    let worker = clock.makeWorker(name) { [weak self] in self?.runDue() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  /// To be done at once: after what was posted before, and before all jobs that have a time. After `stop` it is dropped. Any thread.
  public func post(_ job: @escaping Job) {
    add { $0.post(job) }
  }

  /// To be done at that time of `clock` or soon after it; `.min` is as `post`. After `stop` it is dropped. Any thread.
  public func schedule(at time: Int64, _ job: @escaping Job) {
    add { time == .min ? $0.post(job) : $0.jobs.push(job, at: time) && $0.begun == $0.posted.count }
  }

  private func add(_ body: (inout State) -> Bool) {
    let isSoonest = state.withLock { state in state.isStopped ? false : body(&state) }
    if isSoonest { worker.withLock { $0 }?.poke() }
  }

  /// Jobs that were not begun are dropped.
  public func stop() {
    let dropped = state.withLock { state in
      state.isStopped = true
      defer { (state.posted, state.begun) = ([], 0) }
      return (state.posted, state.jobs.removeAll())
    }
    worker.withLock { $0 }?.stop()
    _ = dropped  // Released here, outside the lock: what they hold may end with them.
  }

  private func runDue() -> Int64 {
    while true {
      let now = clock.now()
      let (job, next) = state.withLock { state in
        let job = state.next(at: now)
        return (job, job == nil ? state.nextTime() : .max)
      }
      guard let job else { return next }
      job()
    }
  }
}
