import CMediaSDK

/// The four characters of a codec or of a pixel format that has no name here, for error texts.
public enum FourCC {
  /// Frames, or samples, that are not encoded.
  public static let raw = UInt32(MSDK_CODEC_RAW)

  /// "AV01", or the number where these are no printable characters.
  public static func text(_ fourcc: UInt32) -> String {
    let bytes = (0..<4).map { UInt8(truncatingIfNeeded: fourcc >> ($0 * 8)) }
    guard bytes.allSatisfy({ (0x20...0x7E).contains($0) }) else { return "0x\(String(fourcc, radix: 16))" }
    return String(decoding: bytes.prefix { $0 != 0x20 }, as: UTF8.self)
  }
}
