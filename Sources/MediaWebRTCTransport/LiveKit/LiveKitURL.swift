import MediaCore
import MediaNetwork
import MediaSDP
import MediaSignalling
import MediaTLS

/// What a url of LiveKit says: "livekit+wss://HOST/PATH#key=value&…". What stands before the # is the server's; after it are options of this end.
/// The access token is not in it, as urls are logged. It says which room it is, or the url does (`room`).
struct LiveKitURL: Sendable {
  /// Its scheme is http or https: that of the handshake.
  let endpoint: HTTPURL
  /// Of the server over TLS, in place of the system's authorities.
  var fingerprint: TLSFingerprint?
  /// At a server of this library without API keys: who comes says themselves who they are, and the room's verifier judges the access token.
  /// nil: the token, a JWT, says all that.
  var room: String?
  var options = WebRTCOptions()

  static let schemes = ["livekit+wss", "livekit+ws"]
  /// For errors.
  static let advice = "the session's access token is passed apart from the URL"
  private static let accepted = [
    "room", "fingerprint", "stun", "relay", "loopback", "relay-fingerprint", "min-bitrate", "start-bitrate", "max-bitrate"
  ]

  /// Before what is asked for of the signalling.
  var path: String { endpoint.target == "/" ? "" : endpoint.target }

  static func form(_ scheme: String) -> String { "\(scheme)://HOST:PORT" }

  /// Throws `.unsupported`, `.invalid`, `.range`, `.untrusted` and `.limit` with what is wrong in it.
  init(_ url: String, scheme: String, argument: String) throws(MediaError) {
    guard url.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    guard let (name, rest) = ParsedURL.split(url), name == scheme, LiveKitURL.schemes.contains(scheme) else {
      let begin = url.prefix { !":?@/".contains($0) }.prefix(32)
      throw MediaError(.unsupported, "\(argument) begins with \"\(begin)\"; accepted: \(LiveKitURL.form(scheme))")
    }
    let (whole, fragment) = rest.cut(at: UInt8(ascii: "#")) ?? (rest, "")
    let (place, query) = whole.cut(at: UInt8(ascii: "?")) ?? (whole, "")
    let trimmed = place.utf8.last == UInt8(ascii: "/") ? Substring(place.utf8.dropLast()) : place
    endpoint = try HTTPURL("\(scheme == "livekit+wss" ? "https" : "http"):\(trimmed)", argument: argument)
    guard SocketAddress(endpoint.host, port: 1) != nil || HostName(endpoint.host) != nil else {
      let accepted = "an IPv4 address, an IPv6 address in brackets, or \(HostName.accepted)"
      throw MediaError(.invalid, "\(argument) has the host \"\(endpoint.host.prefix(64))\"; accepted: \(accepted)")
    }
    let isHere = endpoint.isLoopback
    guard endpoint.isSecure || isHere else {
      throw MediaError(
        .untrusted,
        "\(argument) is not encrypted, and the network could read the access token; accepted: livekit+wss, or a loopback address")
    }
    _ = try URLQuery(query, argument: argument, accepted: [], advice: LiveKitURL.advice)
    let local = try URLQuery(fragment, argument: "\(argument), after its #,", accepted: LiveKitURL.accepted, advice: LiveKitURL.advice)
    fingerprint = try local.decoded("fingerprint").map { (text) throws(MediaError) in
      try TLSFingerprint(text, argument: "\(argument)'s fingerprint")
    }
    guard endpoint.isSecure || fingerprint == nil else {
      throw MediaError(.invalid, "\(argument) has a fingerprint, but no encryption; accepted with livekit+wss")
    }
    room = try local.decoded("room")
    if let room {
      let isPlain = room.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      guard (1...255).contains(room.utf8.count), isPlain else {
        throw MediaError(.invalid, "\(argument) has a room of \(room.utf8.count) bytes; accepted: 1..255, without control characters")
      }
    }
    try options.take(local)
    options.bitrates = try local.bitrates()
    // Each connection of WebRTC has one direction.
    (options.receivesVideo, options.receivesAudio, options.isForwarded) = (false, false, true)
    // A server on this machine may have nothing but its loopback.
    options.offersLoopback = options.offersLoopback || isHere
  }
}
