import CMediaSDK
import MediaCore
import MediaSRTP

/// Seals the frames of one published stream, in all its layers. Any thread.
public final class FrameSealer: Sendable {
  private let ring: FrameKeyRing
  private let codec: UInt32
  /// What a transport may hold of a stream.
  private let pool = BufferPool(limit: 512)
  private let key: Monitor<SealingKey>

  /// Of a codec of `EncryptableCodecs`.
  public init(_ ring: FrameKeyRing, codec: UInt32, random: any RandomNumberGenerator) {
    (self.ring, self.codec) = (ring, codec)
    key = Monitor(SealingKey(random: random))
  }

  /// The sealed frame, with a reference for the caller, and the index of its key; nil: there is no key. Throws `.noMemory` when the transport holds too many.
  public func seal(_ frame: EncodedFrame) throws(MediaError) -> (frame: EncodedFrame, index: Int)? {
    let bytes = frame.bytes
    guard let clear = SealedLayout.clearSize(codec, bytes), bytes.count >= clear else {
      throw MediaError(.corrupt, "a frame of \(bytes.count) bytes has no header of \(FourCC.text(codec))")
    }
    return try key.withLock { (key) throws(MediaError) -> (frame: EncodedFrame, index: Int)? in
      guard let (cipher, index, nonce) = try key.next(of: ring) else { return nil }
      let sealed = try EncodedFrame.make(
        size: bytes.count + SealedLayout.overhead, attributes: frame.native.pointee, from: pool, deadline: 0
      ) { output in
        FrameSealer.seal(bytes, clear: clear, into: output, nonce, cipher, index: index)
      }
      guard let sealed else { throw MediaError(.noMemory, "512 encrypted frames of the stream are in use, or OpenSSL failed") }
      // It is not sealed: servers strip it for receivers that do not take it.
      sealed.setMetadata(frame.metadata)
      return (sealed, index)
    }
  }

  private static func seal(
    _ bytes: UnsafeRawBufferPointer, clear: Int, into output: UnsafeMutableRawBufferPointer, _ nonce: (UInt64, UInt32),
    _ cipher: CipherContext, index: Int
  ) -> Bool {
    func part(_ range: Range<Int>) -> UnsafeMutableRawBufferPointer { UnsafeMutableRawBufferPointer(rebasing: output[range]) }
    let (tag, trailer) = (bytes.count, bytes.count + SealedLayout.tagSize)
    output.copyMemory(from: UnsafeRawBufferPointer(rebasing: bytes.prefix(clear)))
    SealedLayout.write(nonce, to: part(trailer..<trailer + SealedLayout.nonceSize))
    output[trailer + SealedLayout.nonceSize] = UInt8(SealedLayout.nonceSize)
    output[trailer + SealedLayout.nonceSize + 1] = UInt8(index)
    return cipher.sealGCM(
      UnsafeRawBufferPointer(rebasing: bytes[clear...]), into: part(clear..<tag), tag: part(tag..<trailer),
      nonce: UnsafeRawBufferPointer(part(trailer..<trailer + SealedLayout.nonceSize)),
      authenticating: UnsafeRawBufferPointer(rebasing: bytes.prefix(clear)))
  }
}
