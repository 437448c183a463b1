import CMediaSDK
import MediaCore

/// What clients of LiveKit may send each other through a server: what this library encodes, and H.264, which it passes on as it is.
enum ForwardedCodec: CaseIterable {
  case vp8, h264, opus

  init?(_ fourcc: UInt32) {
    guard let found = ForwardedCodec.allCases.first(where: { $0.fourcc == fourcc }) else { return nil }
    self = found
  }

  /// As descriptions and LiveKit name it, in small letters.
  init?(named name: String) {
    guard let found = ForwardedCodec.allCases.first(where: { $0.name == name }) else { return nil }
    self = found
  }

  var name: String {
    switch self {
    case .vp8: "vp8"
    case .h264: "h264"
    case .opus: "opus"
    }
  }

  var fourcc: UInt32 {
    switch self {
    case .vp8: UInt32(MSDK_CODEC_VP8)
    case .h264: 0x3436_3248
    case .opus: UInt32(MSDK_CODEC_OPUS)
    }
  }
}
