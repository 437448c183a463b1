import MediaCore

/// A URL taken apart (RFC 3986): `scheme:path?query`, or `scheme://user@host:port/path?query`. What a scheme wants of these is for the
/// scheme to say. Parts stand as they were written. A # is no fragment, as no scheme here has one. Plain values; nothing is looked up.
public struct ParsedURL: Sendable {
  /// Who is reached.
  public struct Authority: Sendable {
    /// Before the last @.
    public let user: Substring?
    /// Without its brackets, and with the percent sign of a zone, which a URL writes %25 (RFC 6874).
    public let host: String
    /// As addresses of IPv6 are.
    public let isBracketed: Bool
    /// As it stands behind the colon.
    let digits: Substring?

    /// nil for brackets that do not match, and for more than one colon outside of them.
    public init?(_ text: Substring) {
      let parted = text.cut(atLast: UInt8(ascii: "@"))
      user = parted?.before
      var name = parted?.after ?? text
      var port: Substring?
      isBracketed = name.utf8.first == UInt8(ascii: "[")
      if isBracketed {
        guard let (inner, outer) = Substring(name.utf8.dropFirst()).cut(at: UInt8(ascii: "]")) else { return nil }
        guard outer.isEmpty || outer.utf8.first == UInt8(ascii: ":") else { return nil }
        (name, port) = (inner, outer.isEmpty ? nil : Substring(outer.utf8.dropFirst()))
      } else if let (before, after) = name.cut(at: UInt8(ascii: ":")) {
        guard !after.utf8.contains(UInt8(ascii: ":")) else { return nil }
        (name, port) = (before, after)
      }
      let zone = name.cut(at: UInt8(ascii: "%")).flatMap { $0.after.hasPrefix("25") ? "\($0.before)%\($0.after.dropFirst(2))" : nil }
      (host, digits) = (zone ?? String(name), port)
    }

    /// nil where there is none. `name` is what an error calls it. Throws `.range` for what is no number of `least...65535`.
    public func port(_ name: String, from least: UInt64 = 1) throws(MediaError) -> UInt16? {
      try digits.map { (digits) throws(MediaError) in try ParsedURL.port(digits, name, from: least) }
    }
  }

  /// Bytes of a whole URL.
  public static let longest = 2048
  /// What errors call the URL, and what they say is accepted.
  public let argument: String
  private let form: String
  let scheme: Substring
  /// nil without "//".
  public let authority: Authority?
  /// 1..65535; nil: the URL has none.
  public let port: UInt16?
  /// With its first slash, or the # that ended the authority.
  public let path: Substring
  /// nil without a question mark.
  public let query: Substring?
  let place: Substring

  /// `form` follows "accepted: " in errors. Throws `.limit` for more than `longest` bytes, `.unsupported` for another scheme (letters are
  /// small ones), `.invalid` and `.range` for a host and port that cannot be such. No error repeats a user or a query.
  public init(_ url: String, scheme: String, argument: String, form: String) throws(MediaError) {
    guard url.utf8.count <= ParsedURL.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(ParsedURL.longest)")
    }
    guard let (name, rest) = ParsedURL.split(url), name == scheme else { throw ParsedURL.otherBeginning(url[...], argument, form) }
    let parted = rest.cut(at: UInt8(ascii: "?"))
    let front = parted?.before ?? rest
    (self.argument, self.form, self.scheme, query) = (argument, form, name, parted?.after)
    guard front.utf8.starts(with: "//".utf8) else {
      (authority, port, path, place) = (nil, nil, front, "")
      return
    }
    let behind = front.utf8.dropFirst(2)
    let end = behind.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "#") } ?? behind.endIndex
    (place, path) = (front[behind.startIndex..<end], front[end...])
    guard let authority = Authority(place) else { throw ParsedURL.noPlace(place, argument, form) }
    self.authority = authority
    port = try authority.port("\(argument)'s port")
  }

  /// The scheme, and what follows its colon; nil without a colon. For schemes that have no parts.
  public static func split(_ url: String) -> (scheme: Substring, rest: Substring)? {
    url[...].cut(at: UInt8(ascii: ":")).map { ($0.before, $0.after) }
  }

  /// Host and port, which the scheme requires. Throws `.unsupported` without "//", `.invalid` without a port.
  public func hostAndPort() throws(MediaError) -> (host: Authority, port: UInt16) {
    guard let authority else { throw ParsedURL.otherBeginning(scheme, argument, form) }
    guard let port else { throw ParsedURL.noPlace(place, argument, form) }
    return (authority, port)
  }

  private static func otherBeginning(_ text: Substring, _ argument: String, _ form: String) -> MediaError {
    MediaError(.unsupported, "\(argument) begins with \"\(text.prefix { !":?@".contains($0) }.prefix(32))\"; accepted: \(form)")
  }

  private static func noPlace(_ place: Substring, _ argument: String, _ form: String) -> MediaError {
    let shown = place.cut(atLast: UInt8(ascii: "@"))?.after ?? place
    return MediaError(.invalid, "\(argument) has \"\(shown.prefix(64))\" for address and port; accepted: \(form)")
  }

  /// Digits and nothing else.
  public static func number(_ text: Substring) -> UInt64? { text.utf8.allSatisfy { (48...57).contains($0) } ? UInt64(text) : nil }

  static func port(_ digits: Substring, _ name: String, from least: UInt64) throws(MediaError) -> UInt16 {
    guard let value = number(digits), (least...65_535).contains(value) else {
      throw MediaError(.range, "\(name) is \"\(digits.prefix(32))\"; accepted: \(least)..65535")
    }
    return UInt16(truncatingIfNeeded: value)
  }

  /// What percent signs escape is put in its place (RFC 3986, section 2.1). nil for an escape without two hexadecimal digits, for a NUL,
  /// and for what is not UTF-8 then.
  public static func decoded(_ text: Substring) -> String? {
    var bytes: [UInt8] = []
    var rest = text.utf8[...]
    while let byte = rest.popFirst() {
      guard byte == UInt8(ascii: "%") else {
        bytes.append(byte)
        continue
      }
      guard let high = rest.popFirst().flatMap(digit), let low = rest.popFirst().flatMap(digit) else { return nil }
      bytes.append(high << 4 | low)
    }
    return bytes.contains(0) ? nil : String(validating: bytes, as: UTF8.self)
  }

  private static func digit(_ byte: UInt8) -> UInt8? { Character(UnicodeScalar(byte)).hexDigitValue.map { UInt8(truncatingIfNeeded: $0) } }
}
