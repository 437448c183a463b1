import MediaCore

/// Raw frames of memory that is not the SDK's, on their way to receivers. Who fills such memory may have little of it, a feeder two slots, and a
/// receiver that does not read must not stop them. So receivers hold two of a stream, and get copies of more; as many as the SDK's own pool has
/// while all those held are fresh, because then nobody keeps them: they are only under way. Called by whoever sends, one at a time or not.
final class ForeignFrames: Sendable {
  private static let leastHeld = 2
  private static let mostHeld = 8
  private static let fresh: Int64 = 20_000_000

  private struct Lending {
    /// When each of the last eight was lent.
    var times = [Int64](repeating: .min, count: ForeignFrames.mostHeld)
    var count = 0
  }

  private let share = FrameShare(limit: ForeignFrames.leastHeld)
  private let copies = BufferPool(limit: ForeignFrames.mostHeld)
  private let lending = Monitor(Lending())

  /// The frame as receivers are to have it, with a reference for the caller.
  func frame(for frame: VideoFrame, now: Int64) throws(MediaError) -> VideoFrame {
    if let lent = lend(frame, now) { return lent }
    guard let copy = try VideoFrame.make(frame.format, from: copies, deadline: 0) else { return try frame.view() }
    try copy.copyPixels(from: frame)
    copy.copyIdentity(from: frame)
    copy.native.pointee.sequence = 0
    return copy
  }

  private func lend(_ frame: VideoFrame, _ now: Int64) -> VideoFrame? {
    lending.withLock { lending in
      let held = share.count
      // They come back in the order in which they were lent, or nearly.
      let isFresh =
        held == 0 || held <= lending.count && now < lending.times[(lending.count - held) % ForeignFrames.mostHeld] + ForeignFrames.fresh
      share.setLimit(isFresh ? ForeignFrames.mostHeld : ForeignFrames.leastHeld)
      guard let lent = frame.lent(to: share) else { return nil }
      lending.times[lending.count % ForeignFrames.mostHeld] = now
      lending.count += 1
      return lent
    }
  }
}
