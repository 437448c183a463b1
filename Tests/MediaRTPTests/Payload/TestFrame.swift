@testable import MediaRTP

/// Frames of every video codec, in form: their beginnings are of real encoders (libx264, libvpx, libaom), what follows is any bytes.
enum TestFrame {
  static let formats: [RTPEncoding] = [.vp8, .h264(), .vp9, .av1]

  static func make(_ encoding: RTPEncoding, _ size: Int, isKey: Bool, _ number: Int) -> [UInt8] {
    switch encoding {
    case .vp8:
      var frame = filled(max(10, size)) { UInt8(truncatingIfNeeded: $0 &* 31 &+ number) }
      let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
      frame.replaceSubrange(0..<head.count, with: head)
      return frame
    case .vp9: return bytes(isKey ? vp9Key : vp9Delta) + content(size, number)
    case .av1: return bytes(av1Delimiter) + (isKey ? bytes(av1Sequence) : []) + av1Frame(isKey: isKey, size, number)
    default:
      let code: [UInt8] = [0, 0, 0, 1]
      guard isKey else { return code + bytes("419a3b10") + content(size, number) }
      // Two slices, the first of which is small.
      let units = [
        bytes(h264Sequence), bytes(h264Parameters), bytes("658884") + content(40, number), bytes("6501f4") + content(size, number)
      ]
      return units.flatMap { code + $0 }
    }
  }

  /// 320 × 182 or so, as all of these.
  static let h264Sequence = "6764000bacb202a33c44d808800000030080000005078a1524"
  static let h264Parameters = "68ebc3cb22c0"
  static let vp9Key = "824983420014100b560638241c184a000a605f7dbfc6ff"
  static let vp9Delta = "86004092f121400000807e9e858fed9f2637ef4e19"
  static let av1Delimiter = "1200"
  static let av1Sequence = "0a0b000000043d06d4daf90040"

  private static func av1Frame(isKey: Bool, _ size: Int, _ number: Int) -> [UInt8] {
    let body = bytes(isKey ? "100084000204" : "30038080fdf8") + content(size, number)
    let length = AV1Unit.size(body.count)
    return [0x32] + (0..<length.count).map { UInt8(truncatingIfNeeded: length.bytes >> UInt64(8 * $0)) } + body
  }

  /// None of which is 0, 1 or 3: no start codes in it.
  static func content(_ size: Int, _ number: Int) -> [UInt8] {
    filled(max(1, size)) { UInt8(4 + ($0 * 31 + $0 / 251 + number * 7) % 250) }
  }

  /// As `map`, which takes ten times as long where it is not optimised.
  private static func filled(_ count: Int, _ byte: (Int) -> UInt8) -> [UInt8] {
    [UInt8](unsafeUninitializedCapacity: count) { bytes, filled in
      guard let first = bytes.baseAddress else { return }
      while filled < count {
        first[filled] = byte(filled)
        filled += 1
      }
    }
  }
}
