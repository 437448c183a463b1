import Glibc
import MediaCore
import Testing

@testable import MediaCodecs

/// A picture that moves, with structure and soft edges, and ways to measure what became of it.
enum MovingPicture {
  static func draw(_ frame: GuardedFrame, at time: Int) {
    func wave(_ x: Int, _ y: Int, _ period: Double) -> Double {
      sin((Double(x) + 2 * Double(time)) / period) * cos((Double(y) - Double(time)) / period)
    }
    frame.fill { plane, row, byte in
      if plane == 0 { return UInt8(128 + 70 * wave(byte, row, 9) + 20 * wave(byte, row, 3.5)) }
      let isV = frame.format == .nv12 ? byte % 2 == 1 : plane == 2
      let column = frame.format == .nv12 ? byte / 2 : byte
      return UInt8(128 + (isV ? 40 : -40) * wave(2 * column, 2 * row, 30))
    }
  }

  /// Of luma and chroma together, between a frame and a decoded picture.
  static func psnr(_ frame: GuardedFrame, _ picture: DecodedFrame) throws -> Double {
    let copy = GuardedFrame(frame.format, frame.width, frame.height)
    try VideoConverter.convert(picture, color: ColorSpace(), into: copy.frame, scratch: ConversionScratch())
    var (error, count) = (0, 0)
    for plane in frame.planes.indices {
      let (bytes, rows) = (frame.rowBytes(plane), frame.rows(plane))
      count += rows * bytes
      for row in 0..<rows {
        let (left, right) = (frame.planes[plane] + row * frame.strides[plane], copy.planes[plane] + row * copy.strides[plane])
        // Not over a range, which takes ten times as long where it is not optimised.
        var byte = 0
        while byte < bytes {
          let difference = Int(left[byte]) - Int(right[byte])
          error += difference * difference
          byte += 1
        }
      }
    }
    return error == 0 ? .infinity : 10 * log10(255 * 255 / (Double(error) / Double(count)))
  }
}

extension VP8Decoder {
  func decode(_ bytes: [UInt8]) throws -> DecodedFrame? {
    // The picture is in the decoder's memory, not in the array's.
    try bytes.withUnsafeBytes { try decode($0) }
  }
}

extension VP8Encoder {
  /// The bytes of a frame, copied; nil when it was left out.
  func encode(_ frame: GuardedFrame, at index: Int, fps: Int = 30, key: Bool = false) throws -> (
    bytes: [UInt8], isKey: Bool, isDroppable: Bool
  )? {
    let interval = Int64(1_000_000_000 / fps)
    return try encode(UnsafePointer(frame.frame), timestamp: Int64(index) * interval, duration: interval, forceKeyFrame: key) { packet in
      (Array(packet.data), packet.isKeyFrame, packet.isDroppable)
    }
  }

  /// ...of a frame that must not be left out.
  func mustEncode(_ frame: GuardedFrame, at index: Int, fps: Int = 30, key: Bool = false) throws -> (
    bytes: [UInt8], isKey: Bool, isDroppable: Bool
  ) {
    try #require(try encode(frame, at: index, fps: fps, key: key), "frame \(index) was left out")
  }
}
