import Glibc

/// Text that comes from, and goes to, the other side of the border.
public enum ForeignText {
  /// A copy of a string of at most `limit` bytes. NULL, more bytes and what is no UTF-8 are refused in words.
  public static func read(_ pointer: UnsafePointer<CChar>?, limit: Int, argument: String) throws(MediaError) -> String {
    guard let pointer else { throw MediaError(.invalid, "\(argument) is NULL; accepted: UTF-8 of at most \(limit) bytes") }
    let length = strnlen(pointer, limit + 1)
    guard length <= limit else { throw MediaError(.invalid, "\(argument) is longer than \(limit) bytes, the maximum") }
    // What had to be repaired is not what was given. Repairing and comparing costs a fraction of String(validating:as:), which is generic.
    var text = String(decoding: UnsafeRawBufferPointer(start: pointer, count: length), as: UTF8.self)
    let isSame = text.withUTF8 { bytes in
      guard let base = bytes.baseAddress, !bytes.isEmpty else { return length == 0 }
      return bytes.count == length && memcmp(base, pointer, length) == 0
    }
    guard isSame else { throw MediaError(.invalid, "\(argument) is not valid UTF-8") }
    return text
  }

  /// The same for texts that may be missing.
  public static func readOptional(_ pointer: UnsafePointer<CChar>?, limit: Int, argument: String) throws(MediaError) -> String? {
    pointer == nil ? nil : try read(pointer, limit: limit, argument: argument)
  }

  /// A copy for diagnostics, where a broken text is better than none: cut and repaired.
  public static func readLossy(_ pointer: UnsafePointer<CChar>?, limit: Int) -> String {
    guard let pointer else { return "" }
    let bytes = UnsafeRawBufferPointer(start: pointer, count: strnlen(pointer, limit))
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Fills a fixed buffer with the text and NUL, cut at a character's border when it is too long.
  public static func write(_ text: String, to buffer: UnsafeMutableRawBufferPointer) {
    guard !buffer.isEmpty else { return }
    var length = 0
    for scalar in text.unicodeScalars {
      let width = UTF8.width(scalar)
      guard length + width < buffer.count else { break }
      length += width
    }
    buffer.copyBytes(from: text.utf8.prefix(length))
    buffer[length] = 0
  }
}
