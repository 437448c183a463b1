import MediaCore
import MediaRuntime
import Synchronization

/// The two queues that a program reads, and the one descriptor that announces both.
final class ReadQueues<Frame: Sendable>: Sendable {
  let raw: FrameQueue<Frame>
  let encoded: FrameQueue<EncodedFrame>
  private let announcer = ReadinessFlag()
  private let counted = Atomic<UInt64>(0)

  /// `measure` is for queues that are bounded by time too: how long a frame is.
  init(measure: @escaping @Sendable (Frame) -> Int64 = { _ in 0 }, release: @escaping @Sendable (Frame) -> Void) {
    raw = FrameQueue(announcer, side: 0, measure: measure, release: release)
    encoded = FrameQueue(announcer, side: 1, measure: { $0.native.pointee.duration_ns }) { $0.release() }
  }

  func open(capacity: Int, encodedCapacity: Int, longest: Int64 = .max, policy: QueuePolicy) {
    raw.open(capacity: capacity, longest: longest, policy: policy)
    encoded.open(capacity: encodedCapacity, longest: longest, policy: policy)
  }

  /// Nothing more comes; what is here may be read.
  func end() {
    raw.end()
    encoded.end()
  }

  /// What is here is gone.
  func close() {
    raw.close()
    encoded.close()
  }

  func descriptor() throws(MediaError) -> Int32 {
    try announcer.descriptor()
  }

  /// Frames that the program got, from here or in a callback.
  var delivered: UInt64 { counted.load(ordering: .relaxed) }

  func countDelivered() {
    counted.wrappingAdd(1, ordering: .relaxed)
  }
}

extension ReadQueues where Frame == VideoFrame {
  convenience init() {
    self.init { $0.release() }
  }

  func open(_ options: IncomingVideoOptions) {
    open(capacity: options.rawCapacity, encodedCapacity: options.encodedCapacity, policy: options.queuePolicy)
  }
}

/// Which of two queues have something to report, as a descriptor. While nobody has asked for that, a change takes no lock.
final class ReadinessFlag: Sendable {
  private let flag = Monitor(ReadableFlag())
  private let first = Atomic<Bool>(false)
  private let second = Atomic<Bool>(false)
  private let isAskedFor = Atomic<Bool>(false)

  /// One at a time for a side. Whoever asks for the descriptor meanwhile finds the change, or the change finds that it was asked for.
  func set(side: Int, _ value: Bool) {
    if side == 0 { first.store(value, ordering: .sequentiallyConsistent) } else { second.store(value, ordering: .sequentiallyConsistent) }
    if isAskedFor.load(ordering: .sequentiallyConsistent) { flag.withLock { follow($0) } }
  }

  func descriptor() throws(MediaError) -> Int32 {
    try flag.withLock { flag throws(MediaError) in
      isAskedFor.store(true, ordering: .sequentiallyConsistent)
      follow(flag)
      return try flag.get()
    }
  }

  private func follow(_ flag: ReadableFlag) {
    flag.set(first.load(ordering: .sequentiallyConsistent) || second.load(ordering: .sequentiallyConsistent))
  }
}

/// A bounded queue of frames that hold a reference each.
final class FrameQueue<Frame: Sendable>: Sendable {
  private enum Phase {
    case closed
    case open
    case ended
  }

  private struct State {
    var frames = BoundedQueue<Frame>(capacity: 1)
    var policy = QueuePolicy.dropOldest
    var phase = Phase.closed
    /// Of all frames together, and the most that may be.
    var length: Int64 = 0
    var longest = Int64.max
  }

  private let announcer: ReadinessFlag
  private let side: Int
  private let measure: @Sendable (Frame) -> Int64
  private let release: @Sendable (Frame) -> Void
  private let state = Monitor(State())
  /// Frames that wait, for those who look without the lock.
  private let available = Atomic<Int>(0)
  private let adaptive = AdaptiveSpin()

  init(
    _ announcer: ReadinessFlag, side: Int, measure: @escaping @Sendable (Frame) -> Int64 = { _ in 0 },
    release: @escaping @Sendable (Frame) -> Void
  ) {
    self.announcer = announcer
    self.side = side
    self.measure = measure
    self.release = release
  }

  func open(capacity: Int, longest: Int64 = .max, policy: QueuePolicy) {
    state.withLock { $0 = State(frames: BoundedQueue(capacity: capacity), policy: policy, phase: .open, longest: longest) }
    available.store(0, ordering: .releasing)
    announcer.set(side: side, false)
  }

  /// Takes a frame with its reference; gives back the one that has no place.
  func put(_ frame: Frame) -> Frame? {
    let added = measure(frame)
    let displaced: Frame? = state.withLock { state in
      guard state.phase == .open else { return frame }
      let isFull = state.frames.isFull || state.length > state.longest - added && !state.frames.isEmpty
      if isFull, state.policy == .dropNewest { return frame }
      let displaced = isFull ? state.frames.pop() : nil
      state.length += added - (displaced.map(measure) ?? 0)
      _ = state.frames.push(frame)
      if state.frames.count == 1 { announcer.set(side: side, true) }
      available.store(state.frames.count, ordering: .releasing)
      return displaced
    }
    state.notify()
    return displaced
  }

  /// `state` gives the error of a queue that was never opened, if that is what it is.
  func take(deadline: Int64, state notOpened: () -> MediaError?) throws(MediaError) -> Frame {
    if let error = notOpened() { throw error }
    if deadline != 0 { adaptive.spin { available.load(ordering: .acquiring) > 0 } }
    let began = deadline == 0 ? 0 : MediaTime.monotonic()
    let found: Result<Frame, MediaError>? = state.wait(until: deadline) { state in
      if let frame = state.frames.pop() {
        state.length -= measure(frame)
        available.store(state.frames.count, ordering: .releasing)
        if state.frames.isEmpty, state.phase == .open { announcer.set(side: side, false) }
        return .success(frame)
      }
      return state.phase == .open ? nil : .failure(MediaError(.closed, "the stream has stopped or ended"))
    }
    if deadline != 0 { adaptive.learn(waited: MediaTime.monotonic() - began) }
    guard let found else { throw MediaError(.timeout, "no frame arrived in time") }
    return try found.get()
  }

  func end() {
    state.withLock { state in
      if state.phase == .open { state.phase = .ended }
    }
    state.notify()
    announcer.set(side: side, true)
  }

  func close() {
    let left = state.withLock { state in
      state.phase = .closed
      var left: [Frame] = []
      while let frame = state.frames.pop() { left.append(frame) }
      available.store(0, ordering: .releasing)
      return left
    }
    state.notify()
    announcer.set(side: side, true)
    for frame in left { release(frame) }
  }

  deinit {
    close()
  }
}
