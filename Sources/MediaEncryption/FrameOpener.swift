import MediaCore
import MediaSRTP

/// Opens the frames of one stream that somebody else seals. One frame at a time; what it derives comes from another thread.
public final class FrameOpener: Sendable {
  private let codec: UInt32
  private let pool: BufferPool
  private let keys: OpeningKeys

  /// `most`: frames that may be in use. `derive` runs what it is given soon, on a thread that may take tens of milliseconds.
  public init(
    _ ring: FrameKeyRing, of userID: String, codec: UInt32, most: Int, derive: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    self.codec = codec
    pool = BufferPool(limit: most)
    keys = OpeningKeys(ring, of: userID, derive: derive)
  }

  /// The index of the key that a frame is sealed with; nil: it is not sealed.
  public func index(of frame: EncodedFrame) -> Int? { SealedLayout.parts(of: frame.bytes, codec)?.index }

  /// Borrowed. Throws `.noMemory`: all that may be are in use.
  public func open(_ frame: EncodedFrame) throws(MediaError) -> OpeningOutcome<EncodedFrame> {
    guard let parts = SealedLayout.parts(of: frame.bytes, codec) else { return .notAuthentic }
    return try keys.open(index: parts.index) { (cipher) throws(MediaError) in try open(parts, frame, cipher) }.outcome
  }

  private func open(_ parts: SealedLayout.Parts, _ frame: EncodedFrame, _ cipher: CipherContext) throws(MediaError) -> EncodedFrame? {
    var isAuthentic = true
    let size = parts.clear.count + parts.text.count
    let opened = try EncodedFrame.make(size: size, attributes: frame.native.pointee, from: pool, deadline: 0) { output in
      output.copyMemory(from: parts.clear)
      isAuthentic = cipher.openGCM(
        parts.text, into: UnsafeMutableRawBufferPointer(rebasing: output[parts.clear.count...]), tag: parts.tag, nonce: parts.nonce,
        authenticating: parts.clear)
      return isAuthentic
    }
    guard opened != nil || !isAuthentic else { throw MediaError(.noMemory, "all decrypted frames of the stream are in use") }
    opened?.setMetadata(frame.metadata)
    return opened
  }
}
