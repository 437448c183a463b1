/// Header fields (RFC 9110, section 5), in their order. Letters of names count the same in both cases.
public struct HTTPFields: Sendable, Equatable, ExpressibleByDictionaryLiteral {
  /// One line of them.
  public struct Field: Sendable, Equatable {
    /// As it was written.
    public let name: String
    /// Without blanks around it.
    public let value: String
  }

  /// As they came, or are to be written.
  public private(set) var list: [Field] = []

  /// None.
  public init() {}

  /// In that order. Nothing is checked: the writer refuses what cannot be written.
  public init(dictionaryLiteral elements: (String, String)...) {
    for (name, value) in elements { append(name, value) }
  }

  /// After the others. Nothing is checked: the writer refuses what cannot be written.
  public mutating func append(_ name: String, _ value: String) { list.append(Field(name: name, value: value)) }

  /// In place of all of that name.
  public mutating func set(_ name: String, _ value: String) {
    remove(name)
    append(name, value)
  }

  /// All of that name.
  public mutating func remove(_ name: String) { list.removeAll { HTTPText.equal($0.name, name) } }

  /// The value; those of repeated fields are joined by commas (RFC 9110, section 5.3), except of Set-Cookie, of which it is the first. nil:
  /// there is none.
  public subscript(_ name: String) -> String? {
    let all = values(name)
    guard all.count > 1, !HTTPText.equal(name, "Set-Cookie") else { return all.first }
    return all.joined(separator: ", ")
  }

  /// Each as it came.
  public func values(_ name: String) -> [String] { list.filter { HTTPText.equal($0.name, name) }.map(\.value) }

  /// The elements of a list (RFC 9110, section 5.6.1) in all fields of that name, commas in quoted strings aside.
  public func elements(_ name: String) -> [String] {
    values(name).flatMap { HTTPText.pieces($0[...], between: UInt8(ascii: ",")).map { String($0) } }
  }

  /// Whether a list has that token, whatever its case.
  public func has(_ token: String, in name: String) -> Bool { elements(name).contains { HTTPText.equal($0, token) } }

  /// The media type without its parameters, in small letters (RFC 9110, section 8.3); nil: none, or more than one.
  public var contentType: String? {
    let all = values("Content-Type")
    guard all.count == 1 else { return nil }
    return HTTPText.pieces(all[0][...], between: UInt8(ascii: ";")).first.map { HTTPText.lower($0) }
  }
}
