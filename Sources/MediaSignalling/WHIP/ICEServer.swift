import MediaSDP

/// A server of STUN or TURN as a URI names it (RFC 7064, RFC 7065). Its name is not looked up.
public struct ICEServer: Sendable, Equatable, CustomStringConvertible {
  /// What it is, and over what.
  public enum Kind: String, Sendable {
    case stun, stuns, turn, turns
  }

  /// The scheme.
  public let kind: Kind
  /// A name or an address, without brackets.
  public let host: String
  /// The usual one of the kind, if the URI has none.
  public let port: UInt16
  /// Of turn: over TCP instead of UDP, and of turns: TLS instead of DTLS.
  public let isOverTCP: Bool
  /// Of turn and turns.
  public var user: String?
  /// A secret.
  public var password: String?

  /// Bytes of a URI, of a user and of a password.
  static let longest = 512

  /// nil for what is none.
  public init?(_ uri: String, user: String? = nil, password: String? = nil) {
    guard uri.utf8.count <= ICEServer.longest, HTTPText.isTarget(uri), let (scheme, rest) = ParsedURL.split(uri),
      let kind = Kind(rawValue: HTTPText.lower(scheme)), (user?.utf8.count ?? 0) <= ICEServer.longest,
      (password?.utf8.count ?? 0) <= ICEServer.longest
    else { return nil }
    let parted = HTTPText.cut(rest, at: UInt8(ascii: "?"))
    guard let authority = ParsedURL.Authority(parted?.before ?? rest), authority.user == nil, !authority.host.isEmpty,
      authority.host.utf8.allSatisfy({ HTTPText.isLetterOrDigit($0) || Array(":.%-_".utf8).contains($0) }),
      let port = try? authority.port("port") ?? (kind == .stun || kind == .turn ? 3478 : 5349)
    else { return nil }
    switch parted?.after {
    case nil: isOverTCP = kind == .stuns || kind == .turns
    case "transport=udp" where kind == .turn || kind == .turns: isOverTCP = false
    case "transport=tcp" where kind == .turn || kind == .turns: isOverTCP = true
    default: return nil
    }
    (self.kind, host, self.port, self.user, self.password) = (kind, authority.host, port, user, password)
  }

  /// With the transport where it is not the usual one; for a field Link.
  public var uri: String {
    // The percent sign of a zone is escaped (RFC 6874).
    let plain = HTTPText.cut(host[...], at: UInt8(ascii: "%")).map { "\($0.before)%25\($0.after)" } ?? host
    let name = host.utf8.contains(UInt8(ascii: ":")) ? "[\(plain)]" : plain
    let usual = kind == .stuns || kind == .turns
    return "\(kind.rawValue):\(name):\(port)\(isOverTCP == usual ? "" : isOverTCP ? "?transport=tcp" : "?transport=udp")"
  }

  /// Without user and password.
  public var description: String { uri }
}

/// Servers of ICE in fields Link (RFC 8288; RFC 9725, section 4.6).
enum ICEServerLinks {
  /// Of one response, and links that are looked at.
  static let most = 16

  /// Links to other things, and to servers that cannot be one, are skipped.
  static func read(_ fields: HTTPFields) -> [ICEServer] {
    fields.elements("Link").prefix(most).compactMap { server($0[...]) }
  }

  private static func server(_ link: Substring) -> ICEServer? {
    guard link.utf8.first == UInt8(ascii: "<"), let (target, rest) = HTTPText.cut(Substring(link.utf8.dropFirst()), at: UInt8(ascii: ">"))
    else { return nil }
    var values: [String: String] = [:]
    for piece in HTTPText.pieces(rest, between: UInt8(ascii: ";")).prefix(most) {
      let parted = HTTPText.cut(piece, at: UInt8(ascii: "="))
      let name = HTTPText.lower(HTTPText.trimmed(parted?.before ?? piece))
      // The first of a name counts (RFC 8288, section 3.3).
      if values[name] == nil { values[name] = HTTPText.unquoted(HTTPText.trimmed(parted?.after ?? "")) }
    }
    let relations = values["rel"]?.utf8.split(separator: HTTPText.space).map { Substring($0) } ?? []
    guard relations.contains(where: { HTTPText.equal($0, "ice-server") }),
      HTTPText.equal(values["credential-type"] ?? "password", "password")
    else { return nil }
    return ICEServer(String(target), user: values["username"], password: values["credential"])
  }

  static func write(_ servers: [ICEServer], to fields: inout HTTPFields) {
    for server in servers.prefix(most) {
      var value = "<\(server.uri)>; rel=\"ice-server\""
      if let user = server.user, let password = server.password {
        value += "; username=\"\(quoted(user))\"; credential=\"\(quoted(password))\"; credential-type=\"password\""
      }
      fields.append("Link", value)
    }
  }

  private static func quoted(_ text: String) -> String {
    let escaped = [UInt8(ascii: "\""), UInt8(ascii: "\\")]
    return String(decoding: text.utf8.flatMap { escaped.contains($0) ? [UInt8(ascii: "\\"), $0] : [$0] }, as: UTF8.self)
  }
}
