import MediaCore
import MediaSDP
import MediaSignalling
import MediaTLS

/// What a url of Janus says: "janus+https://HOST/PATH?room=ROOM#key=value&…". What stands before the # is the server's and the room's;
/// after it are
/// options of this end. Secrets are not in it, as urls are logged.
struct JanusURL: Sendable {
  /// Of the server's API. Over WebSocket its scheme is http or https all the same: that of the handshake.
  let endpoint: HTTPURL
  let isWebSocket: Bool
  let room: JanusID
  /// Of the server over TLS, in place of the system's authorities.
  var fingerprint: TLSFingerprint?
  var options = WebRTCOptions()

  static let schemes = ["janus+https", "janus+wss", "janus+http", "janus+ws"]
  /// For errors.
  static let advice = "secrets are in the session's access token, as \(JanusSecrets.form)"
  private static let accepted = [
    "fingerprint", "stun", "relay", "trickle", "loopback", "relay-fingerprint", "min-bitrate", "start-bitrate", "max-bitrate"
  ]

  static func form(_ scheme: String) -> String { "\(scheme)://HOST:PORT/PATH?room=ROOM" }

  /// Throws `.unsupported`, `.invalid`, `.range`, `.untrusted` and `.limit` with what is wrong in it.
  init(_ url: String, scheme: String, argument: String) throws(MediaError) {
    let form = JanusURL.form(scheme)
    guard url.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    guard let (name, rest) = ParsedURL.split(url), name == scheme, JanusURL.schemes.contains(scheme) else {
      throw MediaError(.unsupported, "\(argument) begins with \"\(url.prefix { !":?@/".contains($0) }.prefix(32))\"; accepted: \(form)")
    }
    isWebSocket = scheme.has("+ws")
    let (whole, fragment) = rest.cut(at: UInt8(ascii: "#")) ?? (rest, "")
    let (place, query) = whole.cut(at: UInt8(ascii: "?")) ?? (whole, "")
    // Paths of sessions follow.
    let trimmed = place.utf8.last == UInt8(ascii: "/") ? Substring(place.utf8.dropLast()) : place
    endpoint = try HTTPURL(
      "\(scheme.utf8.last == UInt8(ascii: "s") && scheme != "janus+ws" ? "https" : "http"):\(trimmed)", argument: argument)
    let isHere = endpoint.isLoopback
    guard endpoint.isSecure || isHere else {
      let secure = isWebSocket ? "janus+wss" : "janus+https"
      throw MediaError(
        .untrusted, "\(argument) is not encrypted, and the network could read secrets; accepted: \(secure), or a loopback address")
    }
    let server = try URLQuery(query, argument: argument, accepted: ["room"], advice: JanusURL.advice)
    guard let text = try server.decoded("room") else { throw MediaError(.invalid, "\(argument) has no room; accepted: \(form)") }
    guard let room = JanusID(text) else {
      throw MediaError(.invalid, "\(argument) has a room that cannot be one; accepted: a number, or 1 to \(JanusID.longest) bytes of text")
    }
    self.room = room
    let local = try URLQuery(fragment, argument: "\(argument), after its #,", accepted: JanusURL.accepted, advice: JanusURL.advice)
    fingerprint = try local.decoded("fingerprint").map { (text) throws(MediaError) in
      try TLSFingerprint(text, argument: "\(argument)'s fingerprint")
    }
    guard endpoint.isSecure || fingerprint == nil else {
      throw MediaError(.invalid, "\(argument) has a fingerprint, but no encryption; accepted with janus+https and janus+wss")
    }
    try options.take(local)
    options.trickles = try local.choice("trickle", ["0": false, "1": true]) ?? true
    options.bitrates = try local.bitrates()
    // Each connection of WebRTC has one direction.
    (options.receivesVideo, options.receivesAudio, options.isForwarded) = (false, false, true)
    // A server on this machine may have nothing but its loopback.
    options.offersLoopback = options.offersLoopback || isHere
  }
}
