import MediaCore

/// The uncompressed head of a VP8 frame: RFC 6386, section 9.1.
public struct VP8Header: Sendable, Equatable {
  /// Width and height have 14 bits.
  public static let maximumDimension: UInt32 = 16383

  public var isKeyFrame: Bool
  public var version: UInt8
  public var isShown: Bool
  /// Bytes of the first partition, which lies whole within the data.
  public var firstPartitionSize: Int
  /// Of the picture; 0 for all but key frames.
  public var width: UInt32
  public var height: UInt32
  /// How the picture is meant to be enlarged for showing (0: not, 1: 5/4, 2: 5/3, 3: 2); 0 for all but key frames.
  public var horizontalScale: UInt8
  public var verticalScale: UInt8

  public var common: EncodedHeader { EncodedHeader(isKeyFrame: isKeyFrame, isShown: isShown, width: width, height: height) }

  public static func parse(_ data: UnsafeRawBufferPointer) throws(MediaError) -> VP8Header {
    guard data.count >= 3 else {
      throw MediaError(.corrupt, "VP8 frame of \(data.count) bytes; the frame tag alone has 3")
    }
    let tag = UInt32(data[0]) | UInt32(data[1]) << 8 | UInt32(data[2]) << 16
    var header = VP8Header(
      isKeyFrame: tag & 1 == 0, version: UInt8(tag >> 1 & 7), isShown: tag >> 4 & 1 == 1, firstPartitionSize: Int(tag >> 5), width: 0,
      height: 0, horizontalScale: 0, verticalScale: 0)
    guard header.version <= 3 else {
      throw MediaError(.corrupt, "VP8 frame of version \(header.version); accepted: 0 to 3")
    }
    let headSize = header.isKeyFrame ? 10 : 3
    guard data.count >= headSize else {
      throw MediaError(.corrupt, "VP8 key frame of \(data.count) bytes; its header alone has 10")
    }
    if header.isKeyFrame {
      guard data[3] == 0x9D, data[4] == 0x01, data[5] == 0x2A else {
        let found = (3..<6).map { String(data[$0], radix: 16) }.joined(separator: " ")
        throw MediaError(.corrupt, "VP8 key frame with the start code \(found); it must be 9d 1 2a")
      }
      let horizontal = UInt32(data[6]) | UInt32(data[7]) << 8
      let vertical = UInt32(data[8]) | UInt32(data[9]) << 8
      header.width = horizontal & 0x3FFF
      header.height = vertical & 0x3FFF
      header.horizontalScale = UInt8(horizontal >> 14)
      header.verticalScale = UInt8(vertical >> 14)
      guard header.width > 0, header.height > 0 else {
        throw MediaError(.corrupt, "VP8 key frame of size \(header.width)x\(header.height); neither may be 0")
      }
    }
    guard header.firstPartitionSize <= data.count - headSize else {
      throw MediaError(
        .corrupt, "VP8 frame whose first partition has \(header.firstPartitionSize) bytes, with \(data.count - headSize) after the header")
    }
    return header
  }
}
