import Synchronization

/// How many frames of others' memory somebody may hold: a receiver in its queues and in the program's hands, say. Each is lent, as a frame of their
/// own over that memory, so that it is known when they have let go; the pool of the memory has others for its owner meanwhile.
public final class FrameShare: Sendable {
  private let held = Atomic<Int>(0)
  private let limit: Atomic<Int>

  /// At most `limit` frames at a time; 0 for none.
  public init(limit: Int) {
    self.limit = Atomic(limit)
  }

  /// Frames that are held at the moment.
  public var count: Int { held.load(ordering: .relaxed) }

  /// From the next one on.
  public func setLimit(_ limit: Int) {
    self.limit.store(limit, ordering: .relaxed)
  }

  /// A place; false when all are taken.
  func take() -> Bool {
    guard held.wrappingAdd(1, ordering: .relaxed).newValue > limit.load(ordering: .relaxed) else { return true }
    giveBack()
    return false
  }

  func giveBack() {
    held.wrappingSubtract(1, ordering: .relaxed)
  }
}
