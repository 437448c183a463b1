import MediaCore

/// Raw frames of memory that is not the SDK's, on their way to receivers. Who fills such memory may have little of it, a feeder
/// two slots, and a receiver that does not read must not stop them. So receivers hold two of a stream, and get copies of more;
/// as many as the SDK's own pool has while all those held are fresh, because then nobody keeps them: they are only under way.
/// Part of a stream's state; copies are made without its lock.
struct ForeignFrames {
  private static let leastHeld = 2
  private static let mostHeld = 8
  private static let fresh: Int64 = 20_000_000

  private let share = FrameShare(limit: ForeignFrames.leastHeld)
  let copies = BufferPool(limit: ForeignFrames.mostHeld)
  /// When each of the last eight was lent.
  private var times = InlineArray<8, Int64>(repeating: .min)
  private var count = 0

  /// The frame as receivers are to have it, with a reference for the caller; nil when it is to be copied.
  mutating func lend(_ frame: VideoFrame, now: Int64) -> VideoFrame? {
    let held = share.count
    // They come back in the order in which they were lent, or nearly.
    let isFresh = held == 0 || held <= count && now < times[(count - held) % ForeignFrames.mostHeld] + ForeignFrames.fresh
    share.setLimit(isFresh ? ForeignFrames.mostHeld : ForeignFrames.leastHeld)
    guard let lent = frame.lent(to: share) else { return nil }
    times[count % ForeignFrames.mostHeld] = now
    count += 1
    return lent
  }

  /// Of more than there is memory for, everybody sees the frame itself.
  static func copy(of frame: VideoFrame, from copies: BufferPool) throws(MediaError) -> VideoFrame {
    guard let copy = try VideoFrame.make(frame.format, from: copies, deadline: 0) else { return try frame.view() }
    try copy.copyPixels(from: frame)
    copy.copyIdentity(from: frame)
    copy.native.pointee.sequence = 0
    return copy
  }
}
