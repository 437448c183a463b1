import MediaCore
import MediaTransport

/// A session's events: pulled, announced by a descriptor, or handed to a callback on a worker of their own.
final class EventQueue: Sendable {
  typealias Callback = @Sendable (StampedEvent) -> Void

  private struct State: ~Copyable {
    var events: BoundedQueue<StampedEvent>
    var flag = ReadableFlag()
    var hasLost = false
    var isClosed = false
    var callback: Callback?
    var gate = CallbackGate()
    /// Made with the first callback.
    var worker: (any Worker)?
    var queued: UInt64 = 0
    var dropped: UInt64 = 0
  }

  private let clock: any MediaClock
  private let state: Monitor<StateBox>
  /// A noncopyable state cannot stand in a generic one.
  private final class StateBox: @unchecked Sendable {
    var state: State

    init(capacity: Int) {
      state = State(events: BoundedQueue(capacity: capacity))
    }
  }

  init(capacity: Int, clock: any MediaClock) {
    self.clock = clock
    state = Monitor(StateBox(capacity: capacity))
  }

  var counts: (queued: UInt64, dropped: UInt64) {
    state.withLock { ($0.state.queued, $0.state.dropped) }
  }

  func push(_ event: SessionEvent) {
    let stamped = StampedEvent(event, at: clock.now())
    let (worker, displaced): ((any Worker)?, StampedEvent?) = state.withLock { box in
      guard !box.state.isClosed else { return (nil, nil) }
      box.state.queued += 1
      let displaced = box.state.events.push(stamped)
      if displaced != nil {
        box.state.dropped += 1
        box.state.hasLost = true
      }
      box.state.flag.set(true)
      return (box.state.callback == nil ? nil : box.state.worker, displaced)
    }
    _ = displaced  // Let go here: what it names may end with it.
    state.notify()
    worker?.poke()
  }

  func next(deadline: Int64) throws(MediaError) -> StampedEvent {
    let found: Result<StampedEvent, MediaError>? = state.wait(until: deadline) { box in
      if box.state.callback != nil {
        return .failure(MediaError(.state, "an event callback is set; remove it to pull events"))
      }
      if let event = EventQueue.pop(box) { return .success(event) }
      return box.state.isClosed ? .failure(MediaError(.closed, "the session is destroyed")) : nil
    }
    guard let found else { throw MediaError(.timeout, "no event came in time") }
    return try found.get()
  }

  private static func pop(_ box: StateBox) -> StampedEvent? {
    guard let event = box.state.events.pop() else { return nil }
    box.state.flag.set(!box.state.events.isEmpty)
    defer { box.state.hasLost = false }
    return box.state.hasLost ? event.afterLoss() : event
  }

  func descriptor() throws(MediaError) -> Int32 {
    try state.withLock { box throws(MediaError) in try box.state.flag.get() }
  }

  // MARK: Callback

  func setCallback(_ callback: Callback?) {
    let (former, worker): (CallbackGate?, (any Worker)?) = state.withLock { box in
      guard !box.state.isClosed else { return (nil, nil) }
      defer { box.state.gate = CallbackGate() }
      box.state.callback = callback
      if callback != nil, box.state.worker == nil {
        box.state.worker = clock.makeWorker("msdk-events") { [weak self] in self?.dispatch() ?? .max }
      }
      return (box.state.gate, callback == nil ? nil : box.state.worker)
    }
    former?.close()
    state.notify()
    worker?.poke()
  }

  private func dispatch() -> Int64 {
    while true {
      let next: (StampedEvent, Callback, CallbackGate)? = state.withLock { box in
        guard !box.state.isClosed, let callback = box.state.callback, let event = EventQueue.pop(box) else { return nil }
        return (event, callback, box.state.gate)
      }
      guard let (event, callback, gate) = next else { return .max }
      gate.run { callback(event) }
    }
  }

  /// No callback begins any more, and readers are told.
  func close() {
    // The events name streams, which name the session: letting go of them is what ends it. Outside the lock, as things may end with them.
    let (gate, worker, left): (CallbackGate, (any Worker)?, BoundedQueue<StampedEvent>) = state.withLock { box in
      defer {
        box.state.events = BoundedQueue(capacity: 1)
        box.state.worker = nil
      }
      box.state.isClosed = true
      box.state.callback = nil
      box.state.flag.set(true)
      return (box.state.gate, box.state.worker, box.state.events)
    }
    _ = left
    state.notify()
    gate.close()
    worker?.stop()
  }
}
