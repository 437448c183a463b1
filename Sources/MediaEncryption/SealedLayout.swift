import CMediaSDK
import MediaCore
import MediaSRTP

/// How an encrypted frame is laid out, as LiveKit and Jitsi have it: what servers have to read of it in the clear, the ciphertext, its tag, the
/// nonce, the nonce's length, the index of the key. The clear part is authenticated with the rest.
enum SealedLayout {
  static let nonceSize = 12
  static let tagSize = CipherContext.tagSize
  /// The nonce, its length and the index.
  static let trailerSize = nonceSize + 2
  static let overhead = tagSize + trailerSize

  /// Bytes of a frame that stay in the clear: the header of VP8, with the size of a key frame (RFC 6386, section 9.1); the configuration of a
  /// packet of Opus (RFC 6716, section 3.1). nil: frames of that codec are not encrypted.
  static func clearSize(_ codec: UInt32, _ frame: UnsafeRawBufferPointer) -> Int? {
    switch codec {
    case UInt32(MSDK_CODEC_VP8): frame.first.map { $0 & 1 == 0 ? 10 : 3 } ?? 3
    case UInt32(MSDK_CODEC_OPUS): 1
    default: nil
    }
  }

  /// Of `nonceSize` bytes.
  static func write(_ nonce: (UInt64, UInt32), to output: UnsafeMutableRawBufferPointer) {
    output.storeBytes(of: nonce.0.bigEndian, as: UInt64.self)
    output.storeBytes(of: nonce.1.bigEndian, toByteOffset: 8, as: UInt32.self)
  }

  struct Parts {
    let clear, text, tag, nonce: UnsafeRawBufferPointer
    let index: Int
  }

  /// nil for what is no sealed frame.
  static func parts(of frame: UnsafeRawBufferPointer, _ codec: UInt32) -> Parts? {
    guard let clear = clearSize(codec, frame), frame.count >= clear + overhead, frame[frame.count - 2] == UInt8(nonceSize) else {
      return nil
    }
    let (nonce, tag) = (frame.count - trailerSize, frame.count - overhead)
    func part(_ range: Range<Int>) -> UnsafeRawBufferPointer { UnsafeRawBufferPointer(rebasing: frame[range]) }
    return Parts(
      clear: part(0..<clear), text: part(clear..<tag), tag: part(tag..<nonce), nonce: part(nonce..<nonce + nonceSize),
      index: Int(frame[frame.count - 1]))
  }
}

/// Which codecs' frames can be encrypted.
public enum EncryptableCodecs {
  /// As an error shows them.
  public static let accepted = "MSDK_CODEC_VP8, MSDK_CODEC_OPUS"

  /// Of a fourcc.
  public static func contains(_ codec: UInt32) -> Bool {
    SealedLayout.clearSize(codec, UnsafeRawBufferPointer(start: nil, count: 0)) != nil
  }
}
