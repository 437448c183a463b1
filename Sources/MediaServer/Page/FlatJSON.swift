import MediaCore

/// Reads an object of JSON (RFC 8259) without others in it: what a page says needs no more, and what is nested cannot be deep.
enum FlatJSON {
  enum Value: Equatable {
    case null
    case bool(Bool)
    case number(Double)
    case text(String)
  }

  /// Members of an object.
  private static let most = 16
  /// Bytes of a number.
  private static let longestNumber = 32

  /// The members by their names, each once. Throws `.corrupt`.
  static func read(_ text: String) throws(MediaError) -> [String: Value] {
    var reader = Reader(bytes: Array(text.utf8))
    let fields = try reader.object()
    reader.skipBlanks()
    guard reader.next == nil else { throw Reader.wrong(reader.place) }
    return fields
  }

  private struct Reader {
    let bytes: [UInt8]
    var place = 0

    init(bytes: [UInt8]) { self.bytes = bytes }

    var next: UInt8? { place < bytes.count ? bytes[place] : nil }

    static func wrong(_ place: Int) -> MediaError { MediaError(.corrupt, "a message is not a flat object of JSON, at byte \(place)") }

    mutating func skipBlanks() {
      while let byte = next, byte == 0x20 || byte == 0x09 || byte == 0x0A || byte == 0x0D { place += 1 }
    }

    mutating func take(_ byte: UInt8) throws(MediaError) {
      skipBlanks()
      guard next == byte else { throw Reader.wrong(place) }
      place += 1
    }

    mutating func object() throws(MediaError) -> [String: Value] {
      var fields: [String: Value] = [:]
      try take(UInt8(ascii: "{"))
      skipBlanks()
      if next == UInt8(ascii: "}") {
        place += 1
        return fields
      }
      while true {
        skipBlanks()
        let name = try text()
        try take(UInt8(ascii: ":"))
        let value = try value()
        guard fields.updateValue(value, forKey: name) == nil, fields.count <= FlatJSON.most else { throw Reader.wrong(place) }
        skipBlanks()
        guard next == UInt8(ascii: ",") else { break }
        place += 1
      }
      try take(UInt8(ascii: "}"))
      return fields
    }

    private mutating func value() throws(MediaError) -> Value {
      skipBlanks()
      switch next {
      case UInt8(ascii: "\"")?: return .text(try text())
      case UInt8(ascii: "t")?: return try word("true", .bool(true))
      case UInt8(ascii: "f")?: return try word("false", .bool(false))
      case UInt8(ascii: "n")?: return try word("null", .null)
      default: return try number()
      }
    }

    private mutating func word(_ word: String, _ value: Value) throws(MediaError) -> Value {
      guard bytes[place...].starts(with: word.utf8) else { throw Reader.wrong(place) }
      place += word.utf8.count
      return value
    }

    private mutating func number() throws(MediaError) -> Value {
      let begin = place
      while let byte = next, (0x30...0x39).contains(byte) || Array("+-.eE".utf8).contains(byte) { place += 1 }
      let digits = bytes[begin..<place]
      guard let first = digits.first, first == UInt8(ascii: "-") || (0x30...0x39).contains(first), digits.count <= FlatJSON.longestNumber,
        let value = Double(String(decoding: digits, as: UTF8.self)), value.isFinite
      else { throw Reader.wrong(begin) }
      return .number(value)
    }

    private mutating func text() throws(MediaError) -> String {
      try take(UInt8(ascii: "\""))
      var units: [UInt16] = []
      var result: [UInt8] = []
      /// Units of UTF-16 that were escaped become text with what follows them.
      func flush() throws(MediaError) {
        guard !units.isEmpty else { return }
        guard let text = String(validating: units, as: UTF16.self), !text.utf8.contains(0) else { throw Reader.wrong(place) }
        result.append(contentsOf: text.utf8)
        units.removeAll()
      }
      while let byte = next {
        place += 1
        switch byte {
        case UInt8(ascii: "\""):
          try flush()
          // The whole is UTF-8, and escapes are.
          return String(decoding: result, as: UTF8.self)
        case UInt8(ascii: "\\"):
          let unit = try escaped()
          units.append(unit)
        case 0..<0x20: throw Reader.wrong(place)
        default:
          try flush()
          result.append(byte)
        }
      }
      throw Reader.wrong(place)
    }

    private mutating func escaped() throws(MediaError) -> UInt16 {
      guard let byte = next else { throw Reader.wrong(place) }
      place += 1
      switch byte {
      case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return UInt16(byte)
      case UInt8(ascii: "b"): return 0x08
      case UInt8(ascii: "f"): return 0x0C
      case UInt8(ascii: "n"): return 0x0A
      case UInt8(ascii: "r"): return 0x0D
      case UInt8(ascii: "t"): return 0x09
      case UInt8(ascii: "u"):
        guard bytes.count - place >= 4, bytes[place..<place + 4].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") }),
          let unit = UInt16(String(decoding: bytes[place..<place + 4], as: UTF8.self), radix: 16)
        else { throw Reader.wrong(place) }
        place += 4
        return unit
      default: throw Reader.wrong(place)
      }
    }
  }
}
