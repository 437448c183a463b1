import MediaCore

/// What a program gives its frames to: bound to one format, good until the format changes.
public final class FrameSender: Sendable {
  /// Of the frames that it accepts.
  public let format: VideoFormat
  /// The handle of the C ABI, made when that first asks for it. It stays for the last eight senders that were replaced, which refuse
  /// frames.
  public let handle = HandleSlot(.frameSender)
  /// The stream lets go of its senders when it is closed.
  private let stream: OutgoingVideo
  private let pool = BufferPool(limit: 8)

  init(_ stream: OutgoingVideo, format: VideoFormat) {
    self.format = format
    self.stream = stream
  }

  /// A writable frame of the sender's format, with a reference for the caller.
  public func acquire(deadline: Int64) throws(MediaError) -> VideoFrame {
    guard let frame = try VideoFrame.make(format, from: pool, deadline: deadline) else {
      throw MediaError(.timeout, "all 8 frames of the sender are in use; unref those that were sent")
    }
    return frame
  }

  /// Sends a frame, of which a reference of its own is kept as long as needed. A timestamp of 0 is the frame's own, or else now.
  public func send(_ frame: VideoFrame, timestamp: Int64 = 0, completion: Completion = .queued()) throws(MediaError) {
    try stream.send(frame, timestamp: timestamp, completion: completion, by: self)
  }

  /// What a producer made when it was asked for it, or was held to the rate when it pushed it.
  func sendScheduled(_ frame: VideoFrame) throws(MediaError) {
    try stream.send(frame, timestamp: 0, completion: .queued(), by: self, isScheduled: true)
  }

  func sendScheduled(_ frame: EncodedFrame) throws(MediaError) {
    try stream.sendProduced(frame, by: self)
  }

  /// Sends an encoded frame, which is copied, on a stream with `isEncodedInput`, else `.state` is thrown. A timestamp of 0 is the frame's
  /// own, or else now. Throws `.format` for another codec or for a key frame of a size that is not accepted, `.stale` if the sender was
  /// replaced, and `.noMemory` when 256 encoded frames of the stream are in use.
  public func send(_ frame: EncodedFrame, timestamp: Int64 = 0, completion: Completion = .queued()) throws(MediaError) {
    try stream.send(frame, timestamp: timestamp, completion: completion, by: self)
  }
}

/// What the program gives its frames to now, and senders that were replaced, which say so for as long as they are remembered.
struct SenderSlot {
  var current: FrameSender?
  private var retired = BoundedQueue<FrameSender>(capacity: 8)

  /// Takes the sender away; the one that is forgotten for it, if any.
  mutating func retire() -> FrameSender? {
    defer { current = nil }
    return current.flatMap { retired.push($0) }
  }

  mutating func takeRetired() -> [FrameSender] { retired.takeAll() }

  /// Frames of a stream in that state are taken by the current sender alone.
  func check(_ sender: FrameSender, _ state: OutgoingVideo.State) throws(MediaError) {
    guard let current else { throw MediaError(.state, "the stream is neither started nor previewed; its state is \(state)") }
    guard current === sender else {
      throw MediaError(.stale, "the sender of \(sender.format) was replaced; use the sender of \(current.format)")
    }
  }
}
