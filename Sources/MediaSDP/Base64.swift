/// Bytes as text (RFC 4648, sections 4 and 5).
public enum Base64 {
  private static let letters = Array("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/".utf8)

  /// With its padding.
  public static func encode(_ bytes: [UInt8]) -> String {
    var text: [UInt8] = []
    for start in stride(from: 0, to: bytes.count, by: 3) {
      let group = bytes[start..<min(start + 3, bytes.count)]
      var value = 0
      for place in 0..<3 { value = value << 8 | (place < group.count ? Int(group[start + place]) : 0) }
      for place in 0..<4 { text.append(place <= group.count ? letters[value >> (18 - place * 6) & 63] : UInt8(ascii: "=")) }
    }
    return String(decoding: text, as: UTF8.self)
  }

  /// nil for what is none. The padding may be left out.
  public static func decode(_ text: some StringProtocol) -> [UInt8]? {
    var characters = Array(text.utf8)
    for _ in 0..<2 where characters.last == UInt8(ascii: "=") { characters.removeLast() }
    guard characters.count % 4 != 1 else { return nil }
    var bytes: [UInt8] = []
    var (value, bits) = (0, 0)
    for character in characters {
      guard let digit = letters.firstIndex(of: character) else { return nil }
      value = (value << 6 | digit) & 0xFFFF
      bits += 6
      if bits >= 8 {
        bits -= 8
        bytes.append(UInt8(truncatingIfNeeded: value >> bits))
      }
    }
    return bytes
  }

  /// For urls and JSON Web Tokens: with "-" and "_" in place of "+" and "/", without padding.
  public static func urlEncode(_ bytes: [UInt8]) -> String {
    let swapped = encode(bytes).utf8.lazy.filter { $0 != UInt8(ascii: "=") }.map { swaps[$0] ?? $0 }
    return String(decoding: Array(swapped), as: UTF8.self)
  }

  /// The same back. nil for what is none.
  public static func urlDecode(_ text: some StringProtocol) -> [UInt8]? {
    let bytes = Array(text.utf8)
    guard !bytes.contains(UInt8(ascii: "+")), !bytes.contains(UInt8(ascii: "/")), !bytes.contains(UInt8(ascii: "=")) else { return nil }
    return eitherDecode(text)
  }

  /// Of one or the other. nil for what is none. The padding may be left out.
  public static func eitherDecode(_ text: some StringProtocol) -> [UInt8]? {
    decode(String(decoding: text.utf8.map { byte in swaps.first { $0.value == byte }?.key ?? byte }, as: UTF8.self))
  }

  private static let swaps: [UInt8: UInt8] = [UInt8(ascii: "+"): UInt8(ascii: "-"), UInt8(ascii: "/"): UInt8(ascii: "_")]
}
