/// A counted reference to a frame, whatever is in it: what all do with it who pass it on.
public protocol MediaFrame: Sendable {
  /// One reference more, to be given up by `release()`. Any thread.
  func retain()
  /// Gives up one reference; the memory goes back with the last one. Any thread.
  func release()
  /// Another one of the same memory, with a reference for the caller, whose share that is; nil when they hold as many as they may.
  func lent(to share: FrameShare) -> Self?
  /// Of its data.
  var byteCount: Int { get }
}

extension VideoFrame: MediaFrame {}

extension AudioFrame: MediaFrame {
  /// Bytes of the samples of all channels.
  public var byteCount: Int { bytes.count }
}

extension EncodedFrame: MediaFrame {
  /// Bytes of the encoded data.
  public var byteCount: Int { Int(native.pointee.size) }
}
