/// The uncompressed beginning of a VP8 frame: the tag of 3 bytes, and after it the size in a key frame (RFC 6386, section 9.1).
public struct VP8FrameTag: Sendable, Equatable {
  /// Width and height have 14 bits.
  public static let maximumDimension: UInt32 = 16383

  /// Whether the frame refers to no other, and the size follows the tag.
  public let isKeyFrame: Bool
  /// 0 to 3 are defined.
  public let version: UInt8
  /// False for a frame that is decoded only because later ones refer to it.
  public let isShown: Bool
  /// Bytes of the first partition, which follows.
  public let firstPartitionSize: Int
  /// Of the frame; 0 for all but key frames.
  public let width: UInt16
  /// In pixels; 0 for all but key frames.
  public let height: UInt16
  /// By how much the frame is to be enlarged for display (0: not, 1: 5/4, 2: 5/3, 3: 2); 0 for all but key frames.
  let horizontalScale: UInt8
  let verticalScale: UInt8

  /// Bytes of the tag, of a key frame with its size.
  private var size: Int { isKeyFrame ? 10 : 3 }

  /// Bytes before the coefficients.
  public var headSize: Int { size + firstPartitionSize }

  /// Of data that begins a frame, as a packet does; what follows may be cut off. `.corrupt`: it begins none.
  public init(parsing data: UnsafeRawBufferPointer) throws(MediaError) {
    guard data.count >= 3 else { throw MediaError(.corrupt, "VP8 frame of \(data.count) bytes; the frame tag alone has 3") }
    let tag = UInt32(data[0]) | UInt32(data[1]) << 8 | UInt32(data[2]) << 16
    isKeyFrame = tag & 1 == 0
    version = UInt8(tag >> 1 & 7)
    isShown = tag >> 4 & 1 == 1
    firstPartitionSize = Int(tag >> 5)
    guard isKeyFrame else {
      (width, height, horizontalScale, verticalScale) = (0, 0, 0, 0)
      return
    }
    guard data.count >= 10 else { throw MediaError(.corrupt, "VP8 key frame of \(data.count) bytes; its header alone has 10") }
    guard data[3] == 0x9D, data[4] == 0x01, data[5] == 0x2A else {
      let found = (3..<6).map { String(data[$0], radix: 16) }.joined(separator: " ")
      throw MediaError(.corrupt, "VP8 key frame with the start code \(found); it must be 9d 1 2a")
    }
    let (horizontal, vertical) = (UInt16(data[6]) | UInt16(data[7]) << 8, UInt16(data[8]) | UInt16(data[9]) << 8)
    (width, height) = (horizontal & 0x3FFF, vertical & 0x3FFF)
    (horizontalScale, verticalScale) = (UInt8(horizontal >> 14), UInt8(vertical >> 14))
    guard width > 0, height > 0 else {
      throw MediaError(.corrupt, "VP8 key frame of size \(width)x\(height); neither may be 0")
    }
  }

  /// Of a whole frame, which has a version that is defined, and its first partition. `.corrupt`: it is none.
  public init(ofFrame data: UnsafeRawBufferPointer) throws(MediaError) {
    try self.init(parsing: data)
    guard version <= 3 else { throw MediaError(.corrupt, "VP8 frame of version \(version); accepted: 0 to 3") }
    guard headSize <= data.count else {
      throw MediaError(
        .corrupt, "VP8 frame whose first partition has \(firstPartitionSize) bytes, with \(data.count - size) after the header")
    }
  }
}
