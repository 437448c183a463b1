import MediaCore
import Synchronization

/// What a program reads of one medium of an instance, with the descriptor that announces it: one queue, which is filled by one pull after
/// the other. All may be called from any thread.
final class PullQueue<Frame: Sendable>: Sendable {
  private let queue: FrameQueue<Frame>
  private let announcer = ReadinessFlag()
  private let release: @Sendable (Frame) -> Void
  private let wasOpened = Atomic<Bool>(false)

  init(measure: @escaping @Sendable (Frame) -> Int64 = { _ in 0 }, release: @escaping @Sendable (Frame) -> Void) {
    queue = FrameQueue(announcer, side: 0, measure: measure, release: release)
    self.release = release
  }

  func open(capacity: Int, longest: Int64 = .max, policy: QueuePolicy) {
    queue.open(capacity: capacity, longest: longest, policy: policy)
    wasOpened.store(true, ordering: .releasing)
  }

  /// Takes a frame with its reference.
  func put(_ frame: Frame) {
    if let displaced = queue.put(frame) { release(displaced) }
  }

  /// Nothing more comes; what is here may be read.
  func end() {
    queue.end()
  }

  /// What is here is gone.
  func close() {
    queue.close()
  }

  /// The oldest one, with a reference for the caller.
  func read(of id: String, deadline: Int64) throws(MediaError) -> Frame {
    do throws(MediaError) {
      return try queue.take(deadline: deadline) {
        wasOpened.load(ordering: .acquiring) ? nil : MediaError(.state, "the instance of \(id) is not pulled; start a pull first")
      }
    } catch {
      guard error.status == .closed else { throw error }
      throw MediaError(.closed, "the pull of \(id) was stopped, or its producer has ended; the instance's events say why")
    }
  }

  func descriptor() throws(MediaError) -> Int32 {
    try announcer.descriptor()
  }
}

/// Who fills a queue at present: the pull's own life, which is ended once, by the program or with the instance.
final class PullLife: Sendable {
  private enum Phase {
    case new
    case open
    case stopped
  }

  private let phase = Monitor(Phase.new)

  /// Runs `open` unless the pull was stopped already: whoever stops it waits until it is open.
  func begin(_ open: () -> Void) throws(MediaError) {
    try phase.withLock { phase throws(MediaError) in
      guard phase == .new else { throw MediaError(.closed, "the instance was destroyed or released meanwhile") }
      phase = .open
      open()
    }
  }

  /// Says whether it was open.
  func stop() -> Bool {
    phase.withLock { phase in
      defer { phase = .stopped }
      return phase == .open
    }
  }
}
