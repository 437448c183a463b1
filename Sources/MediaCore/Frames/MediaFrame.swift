/// A counted reference to a frame, whatever is in it: what all do with it who pass it on.
public protocol MediaFrame: Sendable {
  func retain()
  func release()
  /// Another one of the same memory, with a reference for the caller, whose share that is; nil when they hold as many as they may.
  func lent(to share: FrameShare) -> Self?
  /// Of its data.
  var byteCount: Int { get }
}

extension VideoFrame: MediaFrame {}

extension AudioFrame: MediaFrame {
  public var byteCount: Int { bytes.count }
}

extension EncodedFrame: MediaFrame {
  public var byteCount: Int { Int(native.pointee.size) }
}
