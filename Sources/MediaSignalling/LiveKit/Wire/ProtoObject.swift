import MediaCore
import MediaSDP

// Messages as JSON, by the mapping of Protocol Buffers (https://protobuf.dev/programming-guides/json/), for the fields that a message names by
// a text beside their number. Written as by the servers that Twirp generates in Go, and so by LiveKit's: with the names of the definition, and
// with the fields that are empty. Read as there too: under these names or in lowerCamelCase; what is not known is skipped.
//
// Nothing here is inlined: compiled anew for each field and message it made the library 100 KB larger.

/// An object of JSON: all members, of which a message takes those that it names, or those that it has written.
struct ProtoObject {
  let isReading: Bool
  fileprivate(set) var members: [(String, JSON)] = []
}

/// A value of a list that has a name.
protocol ProtoNamedChoice: ProtoChoice {
  /// Of the values from 0 on, a blank between them.
  static var names: String { get }
}

extension ProtoMessage {
  /// Throws `.corrupt` for what is no such message. `name` begins the texts of errors.
  @inline(never)
  init(json: JSON, name: String) throws(MediaError) {
    self.init()
    var copy = self
    try ProtoFields.read(json, name) { fields throws(MediaError) in try copy.visit(&fields) }
    self = copy
  }

  @inline(never)
  var json: JSON {
    var copy = self
    return ProtoFields.written { fields throws(MediaError) in try copy.visit(&fields) }
  }
}

extension ProtoFields {
  @inline(never)
  fileprivate static func refused(_ name: String, _ accepted: String) -> MediaError {
    MediaError(.corrupt, "LiveKit: \"\(name)\" in JSON is of another kind; accepted: \(accepted)")
  }

  @inline(never)
  fileprivate static func read(
    _ json: JSON, _ name: String, _ visit: (inout ProtoFields) throws(MediaError) -> Void
  ) throws(MediaError) {
    guard case .object(let members) = json else { throw refused(name, "an object") }
    var fields = ProtoFields(ProtoObject(isReading: true, members: members))
    try visit(&fields)
  }

  @inline(never)
  fileprivate static func written(_ visit: (inout ProtoFields) throws(MediaError) -> Void) -> JSON {
    var fields = ProtoFields(ProtoObject(isReading: false))
    // Only what is read throws.
    try? visit(&fields)
    return .object(fields.object?.members ?? [])
  }

  /// What is read under that name. nil: nothing is, or null, which says the same; or `value` was written.
  @inline(never)
  private mutating func member(_ name: String, _ value: JSON) throws(MediaError) -> JSON? {
    guard let object, object.isReading else {
      object?.members.append((name, value))
      return nil
    }
    let camel = ProtoFields.camel(name)
    var found: JSON?
    for (key, value) in object.members where key == name || key == camel {
      guard found == nil else { throw ProtoFields.refused(name, "one value") }
      found = value
    }
    if case .null? = found { return nil }
    return found
  }

  @inline(never)
  private static func camel(_ name: String) -> String {
    var (bytes, isFirst): ([UInt8], Bool) = ([], false)
    for byte in name.utf8 {
      if byte != UInt8(ascii: "_") { bytes.append(isFirst ? byte & 0xDF : byte) }
      isFirst = byte == UInt8(ascii: "_")
    }
    return String(decoding: bytes, as: UTF8.self)
  }

  @inline(never)
  private static func string(_ json: JSON, _ name: String) throws(MediaError) -> String {
    guard let text = json.string else { throw refused(name, "a text") }
    return text
  }

  @inline(never)
  private static func list(_ json: JSON, _ name: String) throws(MediaError) -> [JSON] {
    guard case .array(let values) = json else { throw refused(name, "a list") }
    return values
  }

  // --------------------------------------------------------------------------------------------------------------------- numbers

  /// Of 64 bits: written as a text, as numbers of JavaScript have 53. Read from either.
  @inline(never)
  mutating func number<N: FixedWidthInteger>(_ number: Int, _ name: String, _ field: inout N) throws(MediaError) {
    guard object != nil else { return self.number(number, &field) }
    guard let found = try whole(name, Int128(field), bits: N.bitWidth) else { return }
    guard let value = N(exactly: found) else { throw ProtoFields.refused(name, "a whole number of \(N.bitWidth) bits") }
    field = value
  }

  /// What is read; nil: nothing is.
  @inline(never)
  private mutating func whole(_ name: String, _ value: Int128, bits: Int) throws(MediaError) -> Int128? {
    guard var found = try member(name, bits == 64 ? .text("\(value)") : .integer(value)) else { return nil }
    if let text = found.string { found = try JSONReader.read(Array(text.utf8), name: "a number in a text", mostValues: 1) }
    switch found {
    case .integer(let value): return value
    case .number(let value): if let value = Int64(exactly: value) { return Int128(value) }
    default: break
    }
    throw ProtoFields.refused(name, "a whole number of \(bits) bits")
  }

  @inline(never)
  mutating func flag(_ number: Int, _ name: String, _ field: inout Bool) throws(MediaError) {
    guard object != nil else { return flag(number, &field) }
    guard let found = try member(name, .bool(field)) else { return }
    guard case .bool(let value) = found else { throw ProtoFields.refused(name, "true, false") }
    field = value
  }

  mutating func choice<E: ProtoNamedChoice>(_ number: Int, _ name: String, _ field: inout E) throws(MediaError) {
    var value = field.rawValue
    try choice(number, name, &value, E.names)
    field = E(rawValue: value) ?? E(rawValue: 0) ?? field
  }

  @inline(never)
  private mutating func choice(_ number: Int, _ name: String, _ field: inout Int32, _ names: String) throws(MediaError) {
    guard object != nil else { return self.number(number, &field) }
    if let found = try member(name, ProtoFields.written(field, names)) { field = try ProtoFields.value(found, name, names) ?? field }
  }

  @inline(never)
  mutating func choices<E: ProtoNamedChoice>(_ number: Int, _ name: String, _ field: inout [E]) throws(MediaError) {
    guard object != nil else { return try choices(number, &field) }
    var written: [JSON] = []
    for one in field { written.append(ProtoFields.written(one.rawValue, E.names)) }
    guard let found = try member(name, .array(written)) else { return }
    for one in try ProtoFields.list(found, name) {
      if let value = try ProtoFields.value(one, name, E.names), let one = E(rawValue: value) { field.append(one) }
    }
  }

  @inline(never)
  private static func written(_ value: Int32, _ names: String) -> JSON {
    let all = names.utf8.split(separator: UInt8(ascii: " "))
    return all.indices.contains(Int(value)) ? .text(String(all[Int(value)]) ?? "") : .whole(value)
  }

  /// nil: it has a name that is not known.
  @inline(never)
  private static func value(_ json: JSON, _ name: String, _ names: String) throws(MediaError) -> Int32? {
    if case .text(let text) = json {
      return names.utf8.split(separator: UInt8(ascii: " ")).firstIndex { $0.elementsEqual(text.utf8) }.map { Int32($0) }
    }
    guard let value = json.whole(Int32.self) else { throw refused(name, "a name or a number of 32 bits") }
    return value
  }

  // ----------------------------------------------------------------------------------------------------------------------- bytes

  @inline(never)
  mutating func text(_ number: Int, _ name: String, _ field: inout String) throws(MediaError) {
    guard object != nil else { return try text(number, &field) }
    if let found = try member(name, .text(field)) { field = try ProtoFields.string(found, name) }
  }

  @inline(never)
  mutating func texts(_ number: Int, _ name: String, _ field: inout [String]) throws(MediaError) {
    guard object != nil else { return try texts(number, &field) }
    guard let found = try member(name, .texts(field)) else { return }
    for one in try ProtoFields.list(found, name) { field.append(try ProtoFields.string(one, name)) }
  }

  @inline(never)
  mutating func bytes(_ number: Int, _ name: String, _ field: inout [UInt8]) throws(MediaError) {
    guard object != nil else { return bytes(number, &field) }
    guard let found = try member(name, .text(Base64.encode(field))) else { return }
    guard let bytes = Base64.eitherDecode(try ProtoFields.string(found, name)) else { throw ProtoFields.refused(name, "base64") }
    field = bytes
  }

  @inline(never)
  mutating func map(_ number: Int, _ name: String, _ field: inout [String: String]) throws(MediaError) {
    guard object != nil else { return try map(number, &field) }
    var written: [(String, JSON)] = []
    for (key, value) in field.inKeyOrder { written.append((key, .text(value))) }
    guard let found = try member(name, .object(written)) else { return }
    guard case .object(let members) = found else { throw ProtoFields.refused(name, "an object") }
    for (key, value) in members { field[key] = try ProtoFields.string(value, name) }
  }

  // -------------------------------------------------------------------------------------------------------------------- messages

  @inline(never)
  mutating func message<M: ProtoMessage>(_ number: Int, _ name: String, _ field: inout M?) throws(MediaError) {
    guard object != nil else { return try message(number, &field) }
    if let found = try member(name, field?.json ?? .null) { field = try M(json: found, name: name) }
  }

  @inline(never)
  mutating func messages<M: ProtoMessage>(_ number: Int, _ name: String, _ field: inout [M]) throws(MediaError) {
    guard object != nil else { return try messages(number, &field) }
    var written: [JSON] = []
    for one in field { written.append(one.json) }
    guard let found = try member(name, .array(written)) else { return }
    for one in try ProtoFields.list(found, name) { field.append(try M(json: one, name: name)) }
  }
}
