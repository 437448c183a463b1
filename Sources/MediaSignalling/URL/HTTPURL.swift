import MediaCore
import MediaSDP

/// A URL of http or https (RFC 9110, section 4.2), and what a reference means in it (RFC 3986, section 5). Nothing is looked up.
public struct HTTPURL: Sendable, Equatable, CustomStringConvertible {
  /// https.
  public let isSecure: Bool
  /// A name in small letters, or an address, without brackets; of IPv6 perhaps with a zone.
  public let host: String
  /// As addresses of IPv6 are.
  private let isBracketed: Bool
  /// The usual one, if the URL has none.
  public let port: UInt16
  /// Begins with a slash; without segments that are dots.
  let path: String
  let query: String?

  /// Bytes of a URL.
  public static let longest = ParsedURL.longest

  /// Both schemes, without a user: what follows a # is dropped. Throws `.limit`, `.unsupported` for another scheme, `.invalid` and
  /// `.range`.
  public init(_ text: String, argument: String) throws(MediaError) {
    guard text.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(argument) has \(text.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    guard text.isEmpty || HTTPText.isTarget(text) else {
      throw MediaError(
        .invalid, "\(argument) has a byte that is not a visible letter of ASCII; accepted: % and two hexadecimal digits for it")
    }
    let parted = ParsedURL.split(text)
    let scheme = HTTPText.lower(parted?.scheme ?? "")
    guard let rest = parted?.rest, scheme == "http" || scheme == "https" else {
      throw MediaError(.unsupported, "\(argument) begins with \"\(HTTPURL.shown(text))\"; accepted: http://… and https://…")
    }
    guard rest.utf8.starts(with: "//".utf8) else { throw HTTPURL.noHost(argument) }
    try self.init(isSecure: scheme == "https", Substring(rest.utf8.dropFirst(2)), argument)
  }

  /// After "//".
  private init(isSecure: Bool, _ text: Substring, _ argument: String) throws(MediaError) {
    let end = text.utf8.firstIndex { $0 == UInt8(ascii: "/") || $0 == UInt8(ascii: "?") || $0 == UInt8(ascii: "#") } ?? text.endIndex
    guard let authority = ParsedURL.Authority(text[..<end]), HTTPURL.isHost(authority) else { throw HTTPURL.noHost(argument) }
    guard authority.user == nil else {
      throw MediaError(.invalid, "\(argument) has a user before its host, but URLs are logged; accepted: a token that is passed by itself")
    }
    self.isSecure = isSecure
    (host, isBracketed) = (HTTPText.lower(authority.host), authority.isBracketed)
    port = try authority.port("\(argument)'s port") ?? (isSecure ? 443 : 80)
    let (path, query) = HTTPURL.parts(text[end...])
    (self.path, self.query) = (HTTPURL.withoutDots(path.isEmpty ? "/" : path), query.map { String($0) })
  }

  private init(_ base: HTTPURL, path: String, query: String?) {
    (isSecure, host, isBracketed, port) = (base.isSecure, base.host, base.isBracketed, base.port)
    (self.path, self.query) = (path, query)
  }

  /// Where a reference in a message from here leads (RFC 3986, section 5.2). Throws as the initializer does.
  public func resolve(_ reference: String, argument: String) throws(MediaError) -> HTTPURL {
    guard reference.utf8.count <= HTTPURL.longest, reference.isEmpty || HTTPText.isTarget(reference) else {
      throw MediaError(.invalid, "\(argument) is not a URL; accepted: at most \(HTTPURL.longest) visible letters of ASCII")
    }
    if HTTPURL.hasScheme(reference) { return try HTTPURL(reference, argument: argument) }
    if reference.utf8.starts(with: "//".utf8) {
      return try HTTPURL(isSecure: isSecure, Substring(reference.utf8.dropFirst(2)), argument)
    }
    let (path, query) = HTTPURL.parts(reference[...])
    let url: HTTPURL
    if path.isEmpty {
      url = HTTPURL(self, path: self.path, query: query.map { String($0) } ?? self.query)
    } else {
      let isAbsolute = path.utf8.first == UInt8(ascii: "/")
      let folder = self.path[...(self.path.utf8.lastIndex(of: UInt8(ascii: "/")) ?? self.path.startIndex)]
      url = HTTPURL(self, path: HTTPURL.withoutDots(isAbsolute ? path : "\(folder)\(path)"), query: query.map { String($0) })
    }
    guard url.text.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(argument) leads to a URL of \(url.text.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    return url
  }

  /// For the request: path and query.
  public var target: String { path + (query.map { "?\($0)" } ?? "") }

  /// For the field Host; the usual port is not written, nor a zone, which means something here only.
  public var hostField: String {
    let name = isBracketed ? "[\(HTTPText.cut(host[...], at: UInt8(ascii: "%"))?.before ?? host[...])]" : host
    return port == (isSecure ? 443 : 80) ? name : "\(name):\(port)"
  }

  /// Scheme, host and port (RFC 6454): whoever may know a secret of the one may know it of the other.
  public func hasOrigin(of other: HTTPURL) -> Bool {
    (isSecure, host, port) == (other.isSecure, other.host, other.port)
  }

  /// The whole URL.
  public var text: String { "\(isSecure ? "https" : "http")://\(hostField)\(target)" }

  /// Without the query, which may hold a secret.
  public var description: String { "\(isSecure ? "https" : "http")://\(hostField)\(path)\(query == nil ? "" : "?…")" }

  // MARK: Parts

  private static func parts(_ text: Substring) -> (path: Substring, query: Substring?) {
    let whole = HTTPText.cut(text, at: UInt8(ascii: "#"))?.before ?? text
    return HTTPText.cut(whole, at: UInt8(ascii: "?")).map { ($0.before, $0.after) } ?? (whole, nil)
  }

  private static func hasScheme(_ text: String) -> Bool {
    guard
      let place = text.utf8.firstIndex(where: { [UInt8(ascii: ":"), UInt8(ascii: "/"), UInt8(ascii: "?"), UInt8(ascii: "#")].contains($0) })
    else { return false }
    return text.utf8[place] == UInt8(ascii: ":")
  }

  private static func isHost(_ authority: ParsedURL.Authority) -> Bool {
    let accepted = authority.isBracketed ? Array(":.%-_~".utf8) : Array("-._~".utf8)
    return !authority.host.isEmpty && authority.host.utf8.count <= 255
      && authority.host.utf8.allSatisfy { HTTPText.isLetterOrDigit($0) || accepted.contains($0) }
  }

  /// RFC 3986, section 5.2.4.
  private static func withoutDots(_ path: some StringProtocol) -> String {
    var kept: [Substring.UTF8View] = []
    let segments = Substring(path).utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false).dropFirst()
    for (place, segment) in segments.enumerated() {
      let isLast = place == segments.count - 1
      if segment.elementsEqual("..".utf8) {
        if !kept.isEmpty { kept.removeLast() }
        if isLast { kept.append(Substring("").utf8) }
      } else if segment.elementsEqual(".".utf8) {
        if isLast { kept.append(Substring("").utf8) }
      } else {
        kept.append(segment)
      }
    }
    return kept.reduce(into: "") { $0 += "/\(Substring($1))" }
  }

  private static func shown(_ text: String) -> Substring { text.prefix { !":?@/".contains($0) }.prefix(32) }

  private static func noHost(_ argument: String) -> MediaError {
    MediaError(.invalid, "\(argument) has no host that can be one; accepted: http://HOST/… and https://HOST:PORT/…")
  }
}
