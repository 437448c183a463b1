import MediaCore
import MediaSDP

/// What a server of Janus and a room of it want to be shown, out of the session's access token: "pin=…&token=…", as URLs are logged and
/// have none of
/// it. It does not print itself.
public struct JanusSecrets: Sendable, CustomStringConvertible {
  /// Of the room.
  let pin: String?
  /// In each request (the server's `token_auth`), and to join a room that has a list of tokens.
  let token: String?
  /// In each request (the server's `api_secret`).
  let apiSecret: String?
  /// Of the room, to moderate.
  let roomSecret: String?

  /// What is accepted, for errors and for advice where somebody wrote a secret into a URL.
  public static let form = "pin=…&token=…&apisecret=…&secret=…, each of them or none, escaped as in a URL"
  private static let names = ["pin", "token", "apisecret", "secret"]

  /// An access token; empty: nothing is shown. Throws `.invalid`, and says nothing of what is in it.
  public init(accessToken text: String) throws(MediaError) {
    var values: [String: String] = [:]
    for piece in text.isEmpty ? [] : text.utf8.split(separator: UInt8(ascii: "&"), omittingEmptySubsequences: false) {
      let part = Substring(piece)
      guard let (name, value) = HTTPText.cut(part, at: UInt8(ascii: "=")), JanusSecrets.names.contains(String(name)), !value.isEmpty,
        values[String(name)] == nil, let plain = ParsedURL.decoded(value)
      else { throw MediaError(.invalid, "the access token is none of Janus; accepted: \(JanusSecrets.form)") }
      values[String(name)] = plain
    }
    (pin, token, apiSecret, roomSecret) = (values["pin"], values["token"], values["apisecret"], values["secret"])
  }

  /// The session may remove and mute others.
  public var moderates: Bool { roomSecret != nil }
  /// Which there are.
  public var description: String { pin == nil && token == nil && apiSecret == nil && roomSecret == nil ? "no secrets" : "secrets" }

  /// Of each request to the server.
  var ofServer: [(String, JSON)] {
    [("token", token), ("apisecret", apiSecret)].compactMap { name, value in value.map { (name, .text($0)) } }
  }

  /// Of the request to join the room.
  var ofRoom: [(String, JSON)] { [("pin", pin), ("token", token)].compactMap { name, value in value.map { (name, .text($0)) } } }
  /// Of a request that moderates.
  var ofModerator: [(String, JSON)] { roomSecret.map { [("secret", .text($0))] } ?? [] }
}
