import MediaCore
import MediaRuntime
import MediaTransport

/// A session's events: pulled, announced by a descriptor, or handed to a callback on a worker of their own.
final class EventQueue: Sendable {
  typealias Callback = @Sendable (StampedEvent) -> Void

  private struct State {
    var events: BoundedQueue<StampedEvent>
    let flag = ReadableFlag()
    var hasLost = false
    var isClosed = false
    var callback: Callback?
    var gate = CallbackGate()
    /// Made with the first callback.
    var worker: (any Worker)?
    var queued: UInt64 = 0
    var dropped: UInt64 = 0
  }

  /// Events that there is memory for at first: most sessions never have more, and room for all would be a third of an idle one.
  private static let atFirst = 16

  private let clock: any MediaClock
  private let state: Monitor<State>

  init(capacity: Int, clock: any MediaClock) {
    self.clock = clock
    state = Monitor(State(events: BoundedQueue(capacity: capacity, initially: EventQueue.atFirst)))
  }

  var counts: (queued: UInt64, dropped: UInt64) {
    state.withLock { ($0.queued, $0.dropped) }
  }

  /// Whether more than half of it is taken.
  var isCrowded: Bool { state.withLock { $0.events.count > $0.events.capacity / 2 } }

  /// Gives what it displaced, for the caller to let go of: things may end with it. Calls nothing foreign.
  @discardableResult
  func push(_ event: SessionEvent) -> StampedEvent? {
    let stamped = StampedEvent(event, at: clock.now())
    let (worker, displaced): ((any Worker)?, StampedEvent?) = state.withLock { state in
      guard !state.isClosed else { return (nil, nil) }
      state.queued += 1
      let displaced = state.events.push(stamped)
      if displaced != nil {
        state.dropped += 1
        state.hasLost = true
      }
      state.flag.set(true)
      return (state.callback == nil ? nil : state.worker, displaced)
    }
    state.notify()
    worker?.poke()
    return displaced
  }

  func next(deadline: Int64) throws(MediaError) -> StampedEvent {
    let found: Result<StampedEvent, MediaError>? = state.wait(until: deadline) { state in
      if state.callback != nil {
        return .failure(MediaError(.state, "an event callback is set; remove it to pull events"))
      }
      if let event = EventQueue.pop(&state) { return .success(event) }
      return state.isClosed ? .failure(MediaError(.closed, "the session is destroyed")) : nil
    }
    guard let found else { throw MediaError(.timeout, "no event arrived in time") }
    return try found.get()
  }

  private static func pop(_ state: inout State) -> StampedEvent? {
    guard let event = state.events.pop() else { return nil }
    state.flag.set(!state.events.isEmpty)
    defer { state.hasLost = false }
    return state.hasLost ? event.afterLoss() : event
  }

  func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { state throws(MediaError) in try state.flag.get() }
  }

  // MARK: Callback

  func setCallback(_ callback: Callback?) {
    let (former, worker): (CallbackGate?, (any Worker)?) = state.withLock { state in
      guard !state.isClosed else { return (nil, nil) }
      defer { state.gate = CallbackGate() }
      state.callback = callback
      if callback != nil, state.worker == nil {
        state.worker = clock.makeWorker("msdk-events") { [weak self] in self?.dispatch() ?? .max }
      }
      return (state.gate, callback == nil ? nil : state.worker)
    }
    former?.close()
    state.notify()
    worker?.poke()
  }

  private func dispatch() -> Int64 {
    while true {
      let next: (StampedEvent, Callback, CallbackGate)? = state.withLock { state in
        // The gate is open while the callback is set.
        guard !state.isClosed, let callback = state.callback, let event = EventQueue.pop(&state), state.gate.enter() else { return nil }
        return (event, callback, state.gate)
      }
      guard let (event, callback, gate) = next else { return .max }
      gate.runInside { callback(event) }
    }
  }

  /// No callback begins any more, and readers are told.
  func close() {
    // The events name streams, which name the session: letting go of them is what ends it. Outside the lock, as things may end with them.
    let (gate, worker, left): (CallbackGate, (any Worker)?, BoundedQueue<StampedEvent>) = state.withLock { state in
      defer {
        state.events = BoundedQueue(capacity: 1)
        state.worker = nil
      }
      state.isClosed = true
      state.callback = nil
      state.flag.set(true)
      return (state.gate, state.worker, state.events)
    }
    _ = left
    state.notify()
    gate.close()
    worker?.stop()
  }
}
