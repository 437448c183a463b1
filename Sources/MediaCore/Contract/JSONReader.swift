/// Reads JSON (RFC 8259) and nothing but: no comments, no comma too many, no name twice in an object. A fault is reported with its line
/// and column.
public struct JSONReader {
  /// Levels of arrays and objects in each other.
  public static let deepest = 64

  private let bytes: [UInt8]
  private let name: String
  /// Values that may still come.
  private var room: Int
  private var place = 0

  /// `name` begins the text of every error: the file's. `mostValues`: of all levels together, names of members not counted. All errors
  /// are `.corrupt`,
  /// but `.limit` for too many values.
  public static func read(_ bytes: [UInt8], name: String, mostValues: Int = .max) throws(MediaError) -> JSON {
    var reader = JSONReader(bytes: bytes, name: name, mostValues: mostValues)
    guard String(validating: bytes, as: UTF8.self) != nil else { throw MediaError(.corrupt, "\(name) is not valid UTF-8") }
    let value = try reader.value(depth: 0)
    reader.skipSpace()
    guard reader.place == bytes.count else { throw reader.fault("the end of the file", reader.place) }
    return value
  }

  private init(bytes: [UInt8], name: String, mostValues: Int) {
    (self.bytes, self.name, room) = (bytes, name, mostValues)
  }

  private var next: UInt8? { place < bytes.count ? bytes[place] : nil }

  private func fault(_ expected: String, _ place: Int) -> MediaError {
    let before = bytes[..<min(place, bytes.count)]
    let line = before.count { $0 == 10 } + 1
    let column = before.count - (before.lastIndex(of: 10).map { $0 + 1 } ?? 0) + 1
    let found = place < bytes.count ? "" : ", and the file ends"
    return MediaError(.corrupt, "\(name), line \(line), column \(column): expected: \(expected)\(found)")
  }

  private mutating func skipSpace() {
    while let byte = next, [0x20, 0x09, 0x0A, 0x0D].contains(byte) { place += 1 }
  }

  private mutating func take(_ byte: UInt8) -> Bool {
    guard next == byte else { return false }
    place += 1
    return true
  }

  // MARK: Values

  private mutating func value(depth: Int) throws(MediaError) -> JSON {
    skipSpace()
    guard room > 0 else { throw MediaError(.limit, "\(name) has too many values") }
    room -= 1
    guard depth <= JSONReader.deepest else { throw fault("at most \(JSONReader.deepest) levels", place) }
    switch next {
    case UInt8(ascii: "{"): return try object(depth: depth)
    case UInt8(ascii: "["): return try array(depth: depth)
    case UInt8(ascii: "\""): return .text(try string())
    case let byte? where byte == UInt8(ascii: "-") || JSONReader.isDigit(byte): return try number()
    default: break
    }
    for (word, value) in [("null", JSON.null), ("true", .bool(true)), ("false", .bool(false))] where bytes[place...].starts(with: word.utf8)
    {
      place += word.utf8.count
      return value
    }
    throw fault("a value", place)
  }

  private mutating func object(depth: Int) throws(MediaError) -> JSON {
    var members: [(String, JSON)] = []
    var names: Set<String> = []
    place += 1
    skipSpace()
    if take(UInt8(ascii: "}")) { return .object(members) }
    while true {
      skipSpace()
      let start = place
      guard next == UInt8(ascii: "\"") else { throw fault("a name in quotes", place) }
      let key = try string()
      guard names.insert(key).inserted else { throw fault("each name once; \"\(key)\" is repeated", start) }
      skipSpace()
      guard take(UInt8(ascii: ":")) else { throw fault("a colon", place) }
      members.append((key, try value(depth: depth + 1)))
      skipSpace()
      if take(UInt8(ascii: "}")) { return .object(members) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or }", place) }
    }
  }

  private mutating func array(depth: Int) throws(MediaError) -> JSON {
    var values: [JSON] = []
    place += 1
    skipSpace()
    if take(UInt8(ascii: "]")) { return .array(values) }
    while true {
      values.append(try value(depth: depth + 1))
      skipSpace()
      if take(UInt8(ascii: "]")) { return .array(values) }
      guard take(UInt8(ascii: ",")) else { throw fault("a comma or ]", place) }
    }
  }

  // MARK: Numbers

  /// Whole ones exactly, as far as 128 bits go; the others as a double, which must be finite.
  private mutating func number() throws(MediaError) -> JSON {
    let start = place
    _ = take(UInt8(ascii: "-"))
    let first = place
    guard digits() else { throw fault("a digit", place) }
    guard bytes[first] != UInt8(ascii: "0") || place == first + 1 else { throw fault("a number without leading zeros", start) }
    var isWhole = true
    if take(UInt8(ascii: ".")) {
      isWhole = false
      guard digits() else { throw fault("a digit", place) }
    }
    if take(UInt8(ascii: "e")) || take(UInt8(ascii: "E")) {
      isWhole = false
      if !take(UInt8(ascii: "+")) { _ = take(UInt8(ascii: "-")) }
      guard digits() else { throw fault("a digit", place) }
    }
    let text = String(decoding: bytes[start..<place], as: UTF8.self)
    if isWhole, let value = Int128(text) { return .integer(value) }
    guard let value = Double(text), value.isFinite else { throw fault("a number of at most 1.8e308", start) }
    return .number(value)
  }

  private mutating func digits() -> Bool {
    let start = place
    while let byte = next, JSONReader.isDigit(byte) { place += 1 }
    return place > start
  }

  private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }

  // MARK: Texts

  private mutating func string() throws(MediaError) -> String {
    var text: [UInt8] = []
    place += 1
    while let byte = next {
      place += 1
      switch byte {
      case UInt8(ascii: "\""): return String(decoding: text, as: UTF8.self)
      case UInt8(ascii: "\\"): text += try escape()
      case 0..<32: throw fault("a control character as \\u00..", place - 1)
      default: text.append(byte)
      }
    }
    throw fault("the closing quote", place)
  }

  private mutating func escape() throws(MediaError) -> [UInt8] {
    let start = place - 1
    guard let byte = next else { throw fault("the closing quote", place) }
    place += 1
    switch byte {
    case UInt8(ascii: "\""), UInt8(ascii: "\\"), UInt8(ascii: "/"): return [byte]
    case UInt8(ascii: "b"): return [8]
    case UInt8(ascii: "f"): return [12]
    case UInt8(ascii: "n"): return [10]
    case UInt8(ascii: "r"): return [13]
    case UInt8(ascii: "t"): return [9]
    case UInt8(ascii: "u"):
      var value = try hexadecimal()
      if (0xD800..<0xDC00).contains(value) {
        guard take(UInt8(ascii: "\\")), take(UInt8(ascii: "u")) else { throw fault("the second half of a pair of \\u", start) }
        let low = try hexadecimal()
        guard (0xDC00..<0xE000).contains(low) else { throw fault("the second half of a pair of \\u", start) }
        value = 0x10000 + (value - 0xD800) << 10 + (low - 0xDC00)
      }
      guard let scalar = Unicode.Scalar(value) else { throw fault("the first half of a pair of \\u", start) }
      return Array(String(Character(scalar)).utf8)
    default: throw fault("one of \\\" \\\\ \\/ \\b \\f \\n \\r \\t \\u", start)
    }
  }

  private mutating func hexadecimal() throws(MediaError) -> UInt32 {
    let end = place + 4
    guard end <= bytes.count, let value = UInt32(String(decoding: bytes[place..<end], as: UTF8.self), radix: 16),
      bytes[place..<end].allSatisfy({ $0 != UInt8(ascii: "+") && $0 != UInt8(ascii: "-") })
    else { throw fault("four hexadecimal digits", place) }
    place = end
    return value
  }
}
