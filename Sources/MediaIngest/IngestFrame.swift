import CMediaSDK
import MediaCore

/// What the header of a frame says, after everything in it was checked.
public struct IngestFrame: Sendable, Equatable {
  /// For VP8 the pixel format is a stand-in.
  public let format: VideoFormat
  /// MSDK_CODEC_*.
  public let codec: UInt32
  /// Of VP8; false for raw frames.
  let isKeyFrame: Bool
  /// MSDK_ROTATE_* | MSDK_MIRROR, 0...7.
  public let orientation: UInt32
  /// Bytes, by plane; 0 for planes that the format does not have.
  let strides: SIMD4<UInt32>
  /// Bytes of all planes with the padding of their rows, or of the VP8 frame.
  let payloadSize: Int
  private let timestamp: Int64

  private static let oldest: Int64 = 10_000_000_000

  /// When the picture was captured, as far as that can be.
  func captured(arriving now: Int64) -> Int64 {
    timestamp > 0 && timestamp <= now && now - timestamp <= IngestFrame.oldest ? timestamp : now
  }

  init(_ bytes: UnsafeRawBufferPointer, _ rules: IngestRules) throws(IngestRefusal) {
    let fourcc: UInt32 = bytes.number(at: 0)
    let flags: UInt32 = bytes.number(at: 12)
    let (matrix, fullRange): (UInt32, UInt32) = (bytes.number(at: 48), bytes.number(at: 52))
    let payload: UInt64 = bytes.number(at: 56)
    orientation = bytes.number(at: 24)
    timestamp = bytes.number(at: 16)
    strides = SIMD4(bytes.number(at: 32), bytes.number(at: 36), bytes.number(at: 40), bytes.number(at: 44))
    codec = fourcc == UInt32(MSDK_CODEC_VP8) ? fourcc : 0
    isKeyFrame = flags & 1 != 0
    guard codec != 0 || flags == 0, flags <= 1 else { throw IngestRefusal(.malformed, "flags is \(flags)") }
    guard orientation < 8 else { throw IngestRefusal(.malformed, "orientation is \(orientation); accepted: 0..7") }
    guard fullRange <= 1 else { throw IngestRefusal(.malformed, "color_full_range is \(fullRange); accepted: 0, 1") }
    guard let pixelFormat = codec != 0 ? PixelFormat.nv12 : PixelFormat(rawValue: fourcc) else {
      let names = PixelFormat.allCases.map(\.name).joined(separator: ", ")
      throw IngestRefusal(.format, "format is \(FourCC.text(fourcc)); accepted: \(names), VP8")
    }
    let color = ColorSpace(primaries: 0, transfer: 0, matrix: matrix, fullRange: fullRange == 1)
    format = VideoFormat(
      pixelFormat, width: bytes.number(at: 4), height: bytes.number(at: 8), frameRate: rules.frameRate, color: color,
      contentHint: UInt32(MSDK_CONTENT_TEXT))
    try IngestFrame.check(format, rules)
    guard payload <= UInt64(rules.largestPayload) else {
      throw IngestRefusal(.tooLarge, "the payload is \(payload) bytes; accepted: at most \(rules.largestPayload)")
    }
    payloadSize = Int(payload)
    try checkPlanes(count: bytes.number(at: 28))
  }

  private static func check(_ format: VideoFormat, _ rules: IngestRules) throws(IngestRefusal) {
    do throws(MediaError) {
      try Dimensions.check(width: format.width, height: format.height, argument: "the frame")
      try rules.limits.check(format, of: .screenShare, argument: "the frame")
    } catch {
      throw IngestRefusal(.format, error.text)
    }
  }

  private func checkPlanes(count: UInt32) throws(IngestRefusal) {
    let planes = codec == 0 ? format.pixelFormat.planeCount : 0
    guard count == UInt32(planes) else {
      throw IngestRefusal(.malformed, "planes is \(count); \(codec == 0 ? format.pixelFormat.name : "VP8") has \(planes)")
    }
    for plane in 0..<4 {
      let stride = strides[plane]
      guard plane < planes else {
        guard stride == 0 else {
          throw IngestRefusal(.malformed, "stride[\(plane)] is \(stride) for a plane that the format does not have")
        }
        continue
      }
      let rowBytes = UInt32(format.pixelFormat.rowBytes(plane: plane, width: Int(format.width)))
      guard stride >= rowBytes, stride <= rowBytes + IngestWire.mostPadding else {
        throw IngestRefusal(
          .malformed, "stride[\(plane)] is \(stride); accepted: \(rowBytes)..\(rowBytes + IngestWire.mostPadding)")
      }
    }
    if codec != 0 {
      guard (1...EncodedFrame.largest).contains(payloadSize) else {
        throw IngestRefusal(.malformed, "the VP8 frame has \(payloadSize) bytes; accepted: 1..\(EncodedFrame.largest)")
      }
      return
    }
    let needed = VideoFrame.packedSize(format, strides: strides)
    guard payloadSize == needed else {
      throw IngestRefusal(.malformed, "the payload is \(payloadSize) bytes; the planes have \(needed)")
    }
  }
}
