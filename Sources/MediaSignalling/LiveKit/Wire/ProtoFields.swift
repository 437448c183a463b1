import MediaCore

/// What a message names its fields to: it writes those that are not empty, or reads the one that has come. As JSON it writes or reads all
/// (ProtoObject.swift).
struct ProtoFields {
  /// Bytes of a message.
  static let longest = 262_144
  /// In one message, with those of the messages in it: an empty one of two bytes becomes hundreds in memory.
  static let most = 8_192

  private enum Value {
    case number(UInt64)
    case fixed32(UInt32)
    case fixed64
    case bytes(Range<Int>)
  }

  /// What was written.
  private(set) var output: [UInt8] = []
  private let input: [UInt8]
  private let isReading: Bool
  /// Of the field that is read. 0: it was taken, or none is.
  private var current = 0
  /// All its bytes.
  private var whole = 0..<0
  private var value = Value.fixed64
  private let most: Int
  private var left: Int
  /// nil: the message is not JSON.
  var object: ProtoObject?

  /// Writes.
  init() {
    (input, isReading, most, left) = ([], false, 0, 0)
  }

  /// At most so many fields.
  init(reading bytes: [UInt8], most: Int) {
    (input, isReading, self.most, left) = (bytes, true, most, most)
  }

  /// By the names of fields: those without one are passed over.
  init(_ object: ProtoObject) {
    (input, isReading, most, left) = ([], true, 0, 0)
    self.object = object
  }

  // -------------------------------------------------------------------------------------------------------------------- reading

  @inline(never)
  mutating func read<M: ProtoMessage>(_ message: inout M, in range: Range<Int>) throws(MediaError) {
    var place = range.lowerBound
    while place < range.upperBound {
      try next(&place, range.upperBound)
      try message.visit(&self)
      current = 0
    }
  }

  private mutating func count() throws(MediaError) {
    guard left > 0 else { throw MediaError(.limit, "LiveKit: a message has more than \(most) fields") }
    left -= 1
  }

  /// The next field. Apart, so that it is not compiled once more for each message.
  @inline(never)
  private mutating func next(_ place: inout Int, _ end: Int) throws(MediaError) {
    try count()
    let start = place
    let key = try varint(&place, end)
    guard key >> 3 > 0, key >> 3 <= 536_870_911 else { throw MediaError(.corrupt, "LiveKit: a message has the field \(key >> 3)") }
    let number = Int(key >> 3)
    switch key & 7 {
    case 0: value = .number(try varint(&place, end))
    case 1:
      _ = try take(8, &place, end, of: number)
      value = .fixed64
    case 2:
      let length = try varint(&place, end)
      value = .bytes(try take(length, &place, end, of: number))
    case 5:
      let bytes = try take(4, &place, end, of: number)
      value = .fixed32(input[bytes].reversed().reduce(0) { $0 << 8 | UInt32($1) })
    // Groups, which version 3 has not, and what was never defined.
    default: throw MediaError(.corrupt, "LiveKit: field \(number) of a message is of the unknown kind \(key & 7)")
    }
    (current, whole) = (number, start..<place)
  }

  private func take(_ length: UInt64, _ place: inout Int, _ end: Int, of number: Int) throws(MediaError) -> Range<Int> {
    guard length <= UInt64(end - place) else {
      throw MediaError(.corrupt, "LiveKit: field \(number) of a message has \(length) bytes, and \(end - place) are left")
    }
    defer { place += Int(length) }
    return place..<place + Int(length)
  }

  private func varint(_ place: inout Int, _ end: Int) throws(MediaError) -> UInt64 {
    var number: UInt64 = 0
    for shift in stride(from: 0 as UInt64, through: 63, by: 7) {
      guard place < end else { throw MediaError(.corrupt, "LiveKit: a message ends within a number") }
      let byte = input[place]
      place += 1
      number |= UInt64(byte & 0x7F) << shift
      if byte < 0x80 { return number }
    }
    throw MediaError(.corrupt, "LiveKit: a message has a number of more than 10 bytes")
  }

  /// The one that is read is of this number, and now taken.
  private mutating func isNext(_ number: Int) -> Bool {
    guard current == number else { return false }
    current = 0
    return true
  }

  private func text(_ range: Range<Int>) throws(MediaError) -> String {
    guard let text = String(validating: input[range], as: UTF8.self) else {
      throw MediaError(.corrupt, "LiveKit: a text of \(range.count) bytes in a message is not valid UTF-8")
    }
    return text
  }

  // -------------------------------------------------------------------------------------------------------------------- writing

  private mutating func write(_ number: UInt64) {
    var rest = number
    while rest >= 0x80 {
      output.append(UInt8(truncatingIfNeeded: rest) | 0x80)
      rest >>= 7
    }
    output.append(UInt8(rest))
  }

  private mutating func write(_ number: Int, bytes: some Collection<UInt8>) {
    write(UInt64(number) << 3 | 2)
    write(UInt64(bytes.count))
    output += bytes
  }

  @inline(never)
  private mutating func write(_ number: Int, encoded bytes: [UInt8]) { write(number, bytes: bytes) }

  // --------------------------------------------------------------------------------------------------------------------- numbers

  /// uint32, int32, uint64, int64. What does not fit is cut, as everywhere in this encoding.
  @inline(never)
  mutating func number(_ number: Int, _ field: inout some FixedWidthInteger) {
    if !isReading {
      guard field != 0 else { return }
      write(UInt64(number) << 3)
      write(UInt64(truncatingIfNeeded: field))
    } else if isNext(number), case .number(let value) = value {
      field = .init(truncatingIfNeeded: value)
    }
  }

  @inline(never)
  mutating func flag(_ number: Int, _ field: inout Bool) {
    var value: UInt64 = field ? 1 : 0
    self.number(number, &value)
    field = value != 0
  }

  @inline(never)
  mutating func float(_ number: Int, _ field: inout Float) {
    if !isReading {
      guard field.bitPattern != 0 else { return }
      write(UInt64(number) << 3 | 5)
      for shift in stride(from: 0, to: 32, by: 8) { output.append(UInt8(truncatingIfNeeded: field.bitPattern >> UInt32(shift))) }
    } else if isNext(number), case .fixed32(let bits) = value {
      field = Float(bitPattern: bits)
    }
  }

  /// One of a list. A value that is not in it is read as the first.
  mutating func choice<E: ProtoChoice>(_ number: Int, _ field: inout E) {
    var value = field.rawValue
    self.number(number, &value)
    field = E(rawValue: value) ?? E(rawValue: 0) ?? field
  }

  /// Several of a list, written together; those that are not in it are left out.
  @inline(never)
  mutating func choices<E: ProtoChoice>(_ number: Int, _ field: inout [E]) throws(MediaError) {
    if !isReading {
      guard !field.isEmpty else { return }
      var packed = ProtoFields()
      for one in field { packed.write(UInt64(truncatingIfNeeded: one.rawValue)) }
      write(number, bytes: packed.output)
    } else if isNext(number) {
      switch value {
      case .number(let value): if let one = E(rawValue: Int32(truncatingIfNeeded: value)) { field.append(one) }
      case .bytes(let range):
        var place = range.lowerBound
        while place < range.upperBound {
          try count()
          let value = try varint(&place, range.upperBound)
          if let one = E(rawValue: Int32(truncatingIfNeeded: value)) { field.append(one) }
        }
      default: break
      }
    }
  }

  // ----------------------------------------------------------------------------------------------------------------------- bytes

  @inline(never)
  mutating func text(_ number: Int, _ field: inout String) throws(MediaError) {
    if !isReading {
      if !field.isEmpty { write(number, bytes: field.utf8) }
    } else if isNext(number), case .bytes(let range) = value {
      field = try text(range)
    }
  }

  @inline(never)
  mutating func texts(_ number: Int, _ field: inout [String]) throws(MediaError) {
    if !isReading {
      for text in field { write(number, bytes: text.utf8) }
    } else if isNext(number), case .bytes(let range) = value {
      field.append(try text(range))
    }
  }

  @inline(never)
  mutating func bytes(_ number: Int, _ field: inout [UInt8]) {
    if !isReading {
      if !field.isEmpty { write(number, bytes: field) }
    } else if isNext(number), case .bytes(let range) = value {
      field = Array(input[range])
    }
  }

  /// One of several fields, of which one is there: written if it is empty too. nil: it is another one.
  @inline(never)
  mutating func bytes(_ number: Int, _ field: inout [UInt8]?) {
    if !isReading {
      if let field { write(number, bytes: field) }
    } else if isNext(number), case .bytes(let range) = value {
      field = Array(input[range])
    }
  }

  /// All fields that were not named before, as they stand: to be handed on.
  mutating func rest(_ field: inout [UInt8]) {
    if !isReading {
      output += field
    } else if current != 0 {
      field += input[whole]
      current = 0
    }
  }

  /// A map of texts by texts, written in the order of its keys.
  @inline(never)
  mutating func map(_ number: Int, _ field: inout [String: String]) throws(MediaError) {
    if !isReading {
      for (key, value) in field.inKeyOrder { write(number, bytes: ProtoEntry(key: key, value: value).encoded) }
    } else if isNext(number), case .bytes(let range) = value {
      var entry = ProtoEntry()
      try read(&entry, in: range)
      field[entry.key] = entry.value
    }
  }

  // -------------------------------------------------------------------------------------------------------------------- messages

  /// nil: it is not there. One that comes twice is one: the second adds to the first.
  @inline(never)
  mutating func message<M: ProtoMessage>(_ number: Int, _ field: inout M?) throws(MediaError) {
    if !isReading {
      if let message = field { write(number, encoded: message.encoded) }
    } else if isNext(number), case .bytes(let range) = value {
      var message = field ?? M()
      try read(&message, in: range)
      field = message
    }
  }

  @inline(never)
  mutating func messages<M: ProtoMessage>(_ number: Int, _ field: inout [M]) throws(MediaError) {
    if !isReading {
      for message in field { write(number, encoded: message.encoded) }
    } else if isNext(number), case .bytes(let range) = value {
      var message = M()
      try read(&message, in: range)
      field.append(message)
    }
  }

  /// One of several messages, of which one alone can be there: `part` is its content if `whole` is that one.
  mutating func one<W, M: ProtoMessage>(_ number: Int, of whole: inout W, _ make: (M) -> W, _ part: (W) -> M?) throws(MediaError) {
    let isNext = isReading && current == number
    var message = part(whole)
    try self.message(number, &message)
    if isNext, let message { whole = make(message) }
  }

  /// The same, of a text. One that is there is written if it is empty too.
  mutating func word<W>(_ number: Int, of whole: inout W, _ make: (String) -> W, _ part: (W) -> String?) throws(MediaError) {
    if !isReading {
      if let text = part(whole) { write(number, bytes: text.utf8) }
    } else if isNext(number), case .bytes(let range) = value {
      whole = make(try text(range))
    }
  }
}

/// A value of a list, by its number.
protocol ProtoChoice: RawRepresentable<Int32>, Sendable, Equatable {}

private struct ProtoEntry: ProtoMessage {
  var key = ""
  var value = ""

  init() {}

  init(key: String, value: String) {
    (self.key, self.value) = (key, value)
  }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &key)
    try fields.text(2, &value)
  }
}
