/// Letters of HTTP (RFC 9110, section 5.6), by bytes: what combines with a letter of ASCII does not hide it.
enum HTTPText {
  static let space = UInt8(ascii: " ")
  static let tab = UInt8(ascii: "\t")
  static let lineFeed = UInt8(ascii: "\n")
  static let carriageReturn = UInt8(ascii: "\r")

  static func isLetterOrDigit(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
    default: false
    }
  }

  /// tchar.
  static func isToken(_ byte: UInt8) -> Bool {
    switch byte {
    case _ where isLetterOrDigit(byte): true
    case UInt8(ascii: "!"), UInt8(ascii: "#")...UInt8(ascii: "'"), UInt8(ascii: "*"), UInt8(ascii: "+"), UInt8(ascii: "-"),
      UInt8(ascii: "."), UInt8(ascii: "^")...UInt8(ascii: "`"), UInt8(ascii: "|"), UInt8(ascii: "~"):
      true
    default: false
    }
  }

  static func isToken(_ text: some StringProtocol) -> Bool { !text.isEmpty && text.utf8.allSatisfy { isToken($0) } }

  /// What a line may have besides its end.
  static func isVisibleOrBlank(_ byte: UInt8) -> Bool { byte == tab || (byte >= space && byte != 0x7F) }

  /// A value that cannot begin another line, and that is read as it is written.
  static func isValue(_ text: String) -> Bool {
    text.utf8.allSatisfy { isVisibleOrBlank($0) } && trimmed(text[...]).utf8.count == text.utf8.count
  }

  /// A request's target, or a part of one.
  static func isTarget(_ text: some StringProtocol) -> Bool { !text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) } }

  /// Without blanks around it.
  static func trimmed(_ text: Substring) -> Substring {
    var bytes = text.utf8
    while bytes.first == space || bytes.first == tab { bytes.removeFirst() }
    while bytes.last == space || bytes.last == tab { bytes.removeLast() }
    return Substring(bytes)
  }

  static func lower(_ byte: UInt8) -> UInt8 { (UInt8(ascii: "A")...UInt8(ascii: "Z")).contains(byte) ? byte | 0x20 : byte }

  /// In small letters of ASCII.
  static func lower(_ text: some StringProtocol) -> String { String(decoding: text.utf8.map { lower($0) }, as: UTF8.self) }

  /// Whatever the case of their letters.
  static func equal(_ one: some StringProtocol, _ other: some StringProtocol) -> Bool {
    one.utf8.count == other.utf8.count && one.utf8.elementsEqual(other.utf8) { lower($0) == lower($1) }
  }

  /// Digits and nothing else; nil also for more than 18 of them.
  static func number(_ text: some StringProtocol) -> Int? {
    (1...18).contains(text.utf8.count) && text.utf8.allSatisfy { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains($0) } ? Int(text) : nil
  }

  static func isHexadecimal(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "a")...UInt8(ascii: "f"), UInt8(ascii: "A")...UInt8(ascii: "F"): true
    default: false
    }
  }

  /// As a part of a query, with escapes for whatever means something there (RFC 3986, section 2.3).
  static func escaped(_ text: String) -> String {
    var bytes: [UInt8] = []
    let digits = Array("0123456789ABCDEF".utf8)
    for byte in text.utf8 {
      if isLetterOrDigit(byte) || "-._~".utf8.contains(byte) {
        bytes.append(byte)
      } else {
        bytes += [UInt8(ascii: "%"), digits[Int(byte >> 4)], digits[Int(byte & 15)]]
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  /// Before and after the first one; nil: there is none.
  static func cut(_ text: Substring, at letter: UInt8) -> (before: Substring, after: Substring)? {
    text.utf8.firstIndex(of: letter).map { (text[..<$0], text[text.utf8.index(after: $0)...]) }
  }

  /// The pieces between such letters that stand in no quoted string, without blanks around them; empty ones are dropped (RFC 9110, section
  /// 5.6.1).
  static func pieces(_ text: Substring, between separator: UInt8) -> [Substring] {
    var found: [Substring] = []
    var start = text.startIndex
    var (isQuoted, isEscaped) = (false, false)
    for place in text.utf8.indices {
      let byte = text.utf8[place]
      if isEscaped {
        isEscaped = false
      } else if byte == UInt8(ascii: "\\"), isQuoted {
        isEscaped = true
      } else if byte == UInt8(ascii: "\"") {
        isQuoted.toggle()
      } else if byte == separator, !isQuoted {
        found.append(trimmed(text[start..<place]))
        start = text.utf8.index(after: place)
      }
    }
    found.append(trimmed(text[start...]))
    return found.filter { !$0.isEmpty }
  }

  /// A token as it stands, or what a quoted string says (RFC 9110, section 5.6.4).
  static func unquoted(_ text: Substring) -> String {
    guard text.utf8.count >= 2, text.utf8.first == UInt8(ascii: "\""), text.utf8.last == UInt8(ascii: "\"") else { return String(text) }
    var bytes: [UInt8] = []
    var isEscaped = false
    for byte in text.utf8.dropFirst().dropLast() {
      if byte == UInt8(ascii: "\\"), !isEscaped {
        isEscaped = true
      } else {
        bytes.append(byte)
        isEscaped = false
      }
    }
    return String(decoding: bytes, as: UTF8.self)
  }
}
