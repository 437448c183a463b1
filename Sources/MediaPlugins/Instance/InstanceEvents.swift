import MediaCore

/// What one instance told the program: pulled, or handed to a callback by a worker of the instance's own.
public final class InstanceEvents: Sendable {
  /// One event, as the program gets it.
  public struct Event: Sendable, Equatable {
    /// MSDK_PLUGIN_EVENT_*.
    public let event: UInt32
    /// Of an error; nil for none.
    public let status: Status?
    /// With the values of secret parameters masked.
    public let text: String
    /// When it was reported: nanoseconds of the instance's clock.
    public let time: Int64
    /// Whether events before this one were dropped.
    public var isAfterLoss = false
  }

  /// Called on the worker, one event at a time, with nothing locked.
  public typealias Callback = @Sendable (Event) -> Void

  /// Calls a step when it is poked. Whoever has the clock makes it.
  public struct Worker: Sendable {
    /// Has the step run soon; any thread.
    public let poke: @Sendable () -> Void
    /// No step begins any more, and none runs when it returns, unless it is called from foreign code.
    public let stop: @Sendable () -> Void

    /// Both may be called from any thread.
    public init(poke: @escaping @Sendable () -> Void, stop: @escaping @Sendable () -> Void) {
      self.poke = poke
      self.stop = stop
    }
  }

  /// Makes the worker of a step. It is called with the events locked, and so calls no instance.
  public typealias WorkerMaker = @Sendable (_ step: @escaping @Sendable () -> Void) -> Worker

  private struct State {
    /// Made with the first event.
    var queue: BoundedQueue<Event>?
    let flag = ReadableFlag()
    var hasLost = false
    var isClosed = false
    var callback: Callback?
    var gate = CallbackGate()
    var makeWorker: WorkerMaker?
    /// Made with the first callback.
    var worker: Worker?
  }

  static let capacity = 64
  private let clock: @Sendable () -> Int64
  private let state = Monitor(State())

  init(clock: @escaping @Sendable () -> Int64) {
    self.clock = clock
  }

  /// Says who calls callbacks; without, there are none.
  public func use(_ makeWorker: @escaping WorkerMaker) {
    state.withLock { $0.makeWorker = makeWorker }
  }

  func push(_ event: UInt32, _ status: Status?, _ text: String) {
    let event = Event(event: event, status: status, text: text, time: clock())
    let worker: Worker? = state.withLock { state in
      guard !state.isClosed else { return nil }
      var queue = state.queue ?? BoundedQueue(capacity: InstanceEvents.capacity)
      state.queue = nil
      if queue.push(event) != nil { state.hasLost = true }
      state.queue = queue
      state.flag.set(true)
      return state.callback == nil ? nil : state.worker
    }
    state.notify()
    worker?.poke()
  }

  /// The oldest, waited for until the deadline.
  public func next(deadline: Int64) throws(MediaError) -> Event {
    let found: Result<Event, MediaError>? = state.wait(until: deadline) { state in
      if state.isClosed { return .failure(MediaError(.closed, "the instance is destroyed")) }
      if state.callback != nil { return .failure(MediaError(.state, "an event callback is set; remove it to pull events")) }
      return InstanceEvents.pop(&state).map { .success($0) }
    }
    guard let found else { throw MediaError(.timeout, "no event arrived in time") }
    return try found.get()
  }

  private static func pop(_ state: inout State) -> Event? {
    guard var event = state.queue?.pop() else { return nil }
    event.isAfterLoss = state.hasLost
    state.hasLost = false
    state.flag.set(state.queue?.isEmpty == false)
    return event
  }

  /// Readable (poll(2)) while an event is queued, and once the instance is destroyed. It is made at the first call, and closed with this
  /// object; `.noMemory` without a free descriptor.
  public func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { state throws(MediaError) in try state.flag.get() }
  }

  /// When it returns, the former callback is not running any more, unless the call came from foreign code.
  public func setCallback(_ callback: Callback?) throws(MediaError) {
    let (former, worker): (CallbackGate, Worker?) = try state.withLock { state throws(MediaError) in
      guard !state.isClosed else { throw MediaError(.closed, "the instance is destroyed") }
      if callback != nil, state.worker == nil {
        guard let makeWorker = state.makeWorker else {
          throw MediaError(.unsupported, "the instance belongs to no engine, whose threads call callbacks")
        }
        state.worker = makeWorker { [weak self] in self?.dispatch() }
      }
      defer { state.gate = CallbackGate() }
      state.callback = callback
      return (state.gate, callback == nil ? nil : state.worker)
    }
    former.close()
    state.notify()
    worker?.poke()
  }

  private func dispatch() {
    while true {
      let next: (Event, Callback, CallbackGate)? = state.withLock { state in
        // The gate is open while the callback is set.
        guard !state.isClosed, let callback = state.callback, let event = InstanceEvents.pop(&state), state.gate.enter() else { return nil }
        return (event, callback, state.gate)
      }
      guard let (event, callback, gate) = next else { return }
      gate.runInside { callback(event) }
    }
  }

  /// No callback begins any more, and readers are told.
  func close() {
    let (gate, worker): (CallbackGate, Worker?) = state.withLock { state in
      defer { state.worker = nil }
      state.isClosed = true
      state.callback = nil
      state.queue = nil
      state.flag.set(true)
      return (state.gate, state.worker)
    }
    state.notify()
    gate.close()
    worker?.stop()
  }
}
