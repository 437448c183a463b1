import MediaCore
import Synchronization

/// What a program reads of its own outgoing stream: media as they go into the encoder, and as they come out of it. The threads that send and
/// encode offer them; all else may be called from any thread. What is queued, and what the program holds, is lent, so that it takes nothing
/// from the sender's pool or the encoder's.
final class StreamTap<Frame: Sendable>: Sendable {
  private enum Phase {
    case idle
    case started
    /// What is queued is let go of, where nothing is locked.
    case stopping
    case stopped
    /// The stream is destroyed.
    case ended
  }

  /// How many frames or packets the program may hold, beside those that are queued.
  private let inHand: Int
  private let queues: ReadQueues<Frame>
  private let release: @Sendable (Frame) -> Void
  private let rawShare = FrameShare(limit: 0)
  private let encodedShare = FrameShare(limit: 0)
  private let phase = Monitor(Phase.idle)
  /// What is taken: a frame that nobody reads costs one look at these.
  private let raw = Atomic<Bool>(false)
  private let encoded = Atomic<Bool>(false)
  private let dropped = Atomic<UInt64>(0)

  init(inHand: Int, measure: @escaping @Sendable (Frame) -> Int64 = { _ in 0 }, release: @escaping @Sendable (Frame) -> Void) {
    self.inHand = inHand
    self.release = release
    queues = ReadQueues(measure: measure, release: release)
  }

  var takesRaw: Bool { raw.load(ordering: .acquiring) }
  var takesEncoded: Bool { encoded.load(ordering: .acquiring) }
  /// Frames and packets that had no place.
  var droppedCount: UInt64 { dropped.load(ordering: .relaxed) }

  // MARK: The program

  func start(
    _ output: IncomingVideoOptions.Output, capacity: Int, encodedCapacity: Int, longest: Int64 = .max, policy: QueuePolicy
  ) throws(MediaError) {
    try phase.withLock { phase throws(MediaError) in
      switch phase {
      case .idle, .stopped: break
      case .started, .stopping: throw MediaError(.state, "the stream's tap is started already; stop it first")
      case .ended: throw MediaError(.closed, "the stream is destroyed")
      }
      phase = .started
      queues.open(capacity: capacity, encodedCapacity: encodedCapacity, longest: longest, policy: policy)
      rawShare.setLimit(capacity + inHand)
      encodedShare.setLimit(encodedCapacity + inHand)
      raw.store(output != .encoded, ordering: .releasing)
      encoded.store(output != .raw, ordering: .releasing)
    }
  }

  func stop() {
    guard close(as: .stopping) else { return }
    phase.withLock { phase in
      if phase == .stopping { phase = .stopped }
    }
  }

  /// With the stream.
  func end() {
    close(as: .ended)
  }

  /// Says whether it was started.
  @discardableResult
  private func close(as next: Phase) -> Bool {
    let wasStarted = phase.withLock { phase in
      let wasStarted = phase == .started
      if wasStarted || next == .ended { phase = next }
      raw.store(false, ordering: .releasing)
      encoded.store(false, ordering: .releasing)
      return wasStarted
    }
    if wasStarted { queues.close() }
    return wasStarted
  }

  func read(deadline: Int64) throws(MediaError) -> Frame {
    try queues.raw.take(deadline: deadline, state: notStarted)
  }

  func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try queues.encoded.take(deadline: deadline, state: notStarted)
  }

  private func notStarted() -> MediaError? {
    phase.withLock { $0 } == .idle ? MediaError(.state, "the stream's tap is not started") : nil
  }

  func descriptor() throws(MediaError) -> Int32 {
    try queues.descriptor()
  }

  // MARK: The stream

  /// `lend` makes a loan of what is offered; nil when the program holds as many as it may.
  func offer(_ lend: (FrameShare) -> Frame?) {
    guard takesRaw else { return }
    guard let lent = lend(rawShare) else { return count(1) }
    if let displaced = queues.raw.put(lent) {
      release(displaced)
      count(1)
    }
  }

  /// Borrowed.
  func offer(_ packet: EncodedFrame) {
    guard takesEncoded else { return }
    guard let lent = packet.lent(to: encodedShare) else { return count(1) }
    if let displaced = queues.encoded.put(lent) {
      displaced.release()
      count(1)
    }
  }

  private func count(_ frames: UInt64) {
    dropped.wrappingAdd(frames, ordering: .relaxed)
  }
}
