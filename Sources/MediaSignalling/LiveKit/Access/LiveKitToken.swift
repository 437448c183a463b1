import COpenSSL
import MediaCore
import MediaSDP

/// Access tokens of LiveKit: JSON Web Tokens (RFC 7519) signed by HMAC-SHA-256 (RFC 7518, section 3.2) with the secret of an API key.
public enum LiveKitToken {
  /// Bytes of a token, as a session can have it (`MSDK_ACCESS_TOKEN_MAX`).
  public static let longest = 4_095
  /// Bytes of a secret, at least: as many as the hash has (RFC 7518, section 3.2).
  public static let shortestSecret = 32
  /// Seconds that a token which somebody asks for may last: up to 365 days.
  public static let lifetimes: ClosedRange<Int64> = 1...31_536_000
  /// Seconds that it lasts unless they say more: 6 hours.
  public static let ordinaryLifetime: Int64 = 21_600
  /// Seconds by which the clocks of who makes a token and of who accepts it may differ.
  public static let skew: Int64 = 60

  /// Made with the secret of `key`, to be accepted from `now` to `expires`, in seconds since 1970.
  ///
  /// Throws `.invalid` if a key, secret or room is empty or too short, if it ends before it begins, or if it became longer than `longest`.
  public static func make(_ grants: LiveKitGrants, key: String, secret: String, now: Int64, expires: Int64) throws(MediaError) -> String {
    guard !key.isEmpty else { throw MediaError(.invalid, "an access token: the API key is empty; accepted: at least 1 byte") }
    guard secret.utf8.count >= shortestSecret else {
      throw MediaError(.invalid, "an access token: the API secret has \(secret.utf8.count) bytes; accepted: at least \(shortestSecret)")
    }
    guard grants.room != "" else { throw MediaError(.invalid, "an access token: the room is empty; accepted: at least 1 byte") }
    guard expires > now else { throw MediaError(.invalid, "an access token: it expires at \(expires), and it is \(now)") }
    guard !grants.joins || !grants.identity.isEmpty && grants.identity.utf8.count <= 256 else {
      throw MediaError(.invalid, "an access token: the user id has \(grants.identity.utf8.count) bytes; accepted: 1 to 256")
    }
    let token = sign(grants.claims(key: key, now: now, expires: expires), secret)
    guard token.utf8.count <= longest else {
      throw MediaError(.invalid, "an access token: it has \(token.utf8.count) bytes; accepted: at most \(longest)")
    }
    return token
  }

  /// What a token grants. `secret` knows that of an API key; `now` is in seconds since 1970.
  ///
  /// Throws `.permission` with the reason for a token that is forged, expired, not valid yet, of an unknown key, or not signed by HS256, and
  /// `.corrupt` for what is none.
  public static func verify(_ token: String, now: Int64, secret: (String) -> String?) throws(MediaError) -> LiveKitGrants {
    guard token.utf8.count <= longest else {
      throw MediaError(.corrupt, "an access token has \(token.utf8.count) bytes; accepted: at most \(longest)")
    }
    let parts = token.utf8.split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false).map { String($0) ?? "" }
    guard parts.count == 3, let head = Base64.urlDecode(parts[0]), let text = Base64.urlDecode(parts[1]),
      let proof = Base64.urlDecode(parts[2])
    else { throw MediaError(.corrupt, "an access token is not a JSON Web Token, three parts in base64url") }
    // Before the rest is looked at: "none" is an algorithm too.
    guard try JSONReader.read(head, name: "the head of an access token", mostValues: 64).member("alg")?.string == "HS256" else {
      throw MediaError(.permission, "an access token is not signed by HS256")
    }
    let claims = try JSONReader.read(text, name: "an access token", mostValues: 1024)
    guard let key = claims.member("iss")?.string, let secret = secret(key), !secret.isEmpty else {
      throw MediaError(.permission, "an access token is of an API key that is not known")
    }
    let expected = signature(of: parts[0] + "." + parts[1], secret: secret)
    guard proof.count == expected.count, CRYPTO_memcmp(proof, expected, expected.count) == 0 else {
      throw MediaError(.permission, "an access token is not signed with the secret of its API key")
    }
    // Each is in whole seconds or not (RFC 7519, section 2).
    guard let expires = claims.member("exp")?.seconds else { throw MediaError(.permission, "an access token never expires") }
    guard expires > Double(now - skew) else { throw MediaError(.permission, "an access token has expired") }
    for name in ["nbf", "iat"] where (claims.member(name)?.seconds ?? 0) > Double(now + skew) {
      throw MediaError(.permission, "an access token is not valid yet")
    }
    return LiveKitGrants(claims: claims)
  }

  /// A token that was verified, signed anew with its key, to be accepted until `expires`, in seconds since 1970; nil: it is accepted until then
  /// itself, its key is not known, or the new one would be longer than `longest`.
  public static func prolonged(_ token: String, until expires: Int64, secret: (String) -> String?) -> String? {
    guard let claims = json(of: token), case .object(let members) = claims, (claims.member("exp")?.seconds ?? 0) < Double(expires),
      let key = claims.member("iss")?.string, let secret = secret(key)
    else { return nil }
    let others = members.filter { $0.0 != "exp" }
    let made = sign(.object(others + [("exp", JSON.whole(expires))]), secret)
    return made.utf8.count <= longest ? made : nil
  }

  /// What a token says, whoever wrote it; nil: it is none. For who shows it: who accepts it verifies it.
  public static func claims(of token: String) -> LiveKitGrants? { json(of: token).map { LiveKitGrants(claims: $0) } }

  private static func json(of token: String) -> JSON? {
    let parts = token.utf8.prefix(longest).split(separator: UInt8(ascii: "."), omittingEmptySubsequences: false)
    guard parts.count == 3, let text = Base64.urlDecode(String(Substring(parts[1]))) else { return nil }
    return try? JSONReader.read(text, name: "an access token", mostValues: 1024)
  }

  /// Whether somebody knows a secret; in a time that says nothing of it.
  public static func isSame(_ given: String, _ secret: String) -> Bool {
    let (given, secret) = (Array(given.utf8), Array(secret.utf8))
    return given.count == secret.count && CRYPTO_memcmp(given, secret, secret.count) == 0
  }

  private static let header = Array(#"{"alg":"HS256","typ":"JWT"}"#.utf8)

  private static func sign(_ claims: JSON, _ secret: String) -> String {
    let body = Base64.urlEncode(header) + "." + Base64.urlEncode(Array(claims.compact.utf8))
    return body + "." + Base64.urlEncode(signature(of: body, secret: secret))
  }

  static func signature(of text: String, secret: String) -> [UInt8] {
    let (text, secret) = (Array(text.utf8), Array(secret.utf8))
    var proof = [UInt8](repeating: 0, count: 32)
    var size: UInt32 = 0
    _ = HMAC(EVP_sha256(), secret, Int32(clamping: secret.count), text, text.count, &proof, &size)
    return proof
  }
}

extension LiveKitGrants {
  fileprivate func claims(key: String, now: Int64, expires: Int64) -> JSON {
    var video: [(String, JSON)] = []
    if let room { video.append(("room", .text(room))) }
    if joins { video.append(("roomJoin", .bool(true))) }
    if isAdministrator { video.append(("roomAdmin", .bool(true))) }
    if listsRooms { video.append(("roomList", .bool(true))) }
    video += [("canPublish", .bool(publishes)), ("canSubscribe", .bool(subscribes))]
    if let publishesData { video.append(("canPublishData", .bool(publishesData))) }
    if !sources.isEmpty { video.append(("canPublishSources", .texts(sources))) }
    if updatesMetadata { video.append(("canUpdateOwnMetadata", .bool(true))) }
    if isHidden { video.append(("hidden", .bool(true))) }
    var members: [(String, JSON)] = [
      ("iss", .text(key)), ("sub", .text(identity)), ("nbf", .whole(now)), ("exp", .whole(expires)), ("video", .object(video))
    ]
    if !name.isEmpty { members.append(("name", .text(name))) }
    if !metadata.isEmpty { members.append(("metadata", .text(metadata))) }
    if !attributes.isEmpty {
      members.append(("attributes", .object(attributes.inKeyOrder.map { ($0.key, .text($0.value)) })))
    }
    return .object(members)
  }

  /// What may be sent and received is granted where the token does not speak of it, as LiveKit's servers do.
  fileprivate init(claims: JSON) {
    let video = claims.member("video")
    let flag = { (name: String) in video?.member(name)?.bool }
    self.init(identity: claims.member("sub")?.string ?? "", room: video?.member("room")?.string)
    (name, metadata) = (claims.member("name")?.string ?? "", claims.member("metadata")?.string ?? "")
    if case .object(let members)? = claims.member("attributes") {
      for (key, value) in members { attributes[key] = value.string }
    }
    (joins, isAdministrator, listsRooms) = (flag("roomJoin") ?? false, flag("roomAdmin") ?? false, flag("roomList") ?? false)
    (publishes, subscribes, publishesData) = (flag("canPublish") ?? true, flag("canSubscribe") ?? true, flag("canPublishData"))
    (updatesMetadata, isHidden) = (flag("canUpdateOwnMetadata") ?? false, flag("hidden") ?? false)
    if case .array(let list)? = video?.member("canPublishSources") { sources = list.compactMap(\.string) }
  }
}

extension JSON {
  fileprivate var bool: Bool? { if case .bool(let value) = self { value } else { nil } }

  fileprivate var seconds: Double? {
    switch self {
    case .integer(let value): Double(value)
    case .number(let value): value
    default: nil
    }
  }
}
