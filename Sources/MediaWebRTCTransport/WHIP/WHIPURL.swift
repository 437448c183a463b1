import MediaCore
import MediaNetwork
import MediaSDP
import MediaSignalling
import MediaTLS

/// What a url of WHIP or WHEP says: "whip+https://HOST/PATH#key=value&…". What stands before the # is the server's, its query included; after it are
/// options of this end, which no server sees (RFC 9110, section 4.2.5). A token is not in it, as urls are logged.
struct WHIPURL: Sendable {
  let kind: WHIPClient.Kind
  let endpoint: HTTPURL
  /// Of the server over TLS, in place of the system's authorities.
  var fingerprint: TLSFingerprint?
  var options = WebRTCOptions()

  /// For errors.
  static let advice = "the token is the session's access token; relays, with user and password, are named by the server"
  private static let common = ["fingerprint", "stun", "relay", "trickle", "loopback", "relay-fingerprint"]
  private static let accepted: [WHIPClient.Kind: [String]] = [
    .whip: common + ["min-bitrate", "start-bitrate", "max-bitrate"], .whep: common + ["receive"]
  ]

  static func form(_ scheme: String) -> String { "\(scheme)://HOST:PORT/PATH" }

  /// Throws `.unsupported`, `.invalid`, `.range` and `.limit` with what is wrong in it.
  init(_ url: String, scheme: String, argument: String) throws(MediaError) {
    let form = WHIPURL.form(scheme)
    guard url.utf8.count <= HTTPURL.longest else {
      throw MediaError(.limit, "\(argument) has \(url.utf8.count) bytes; accepted: at most \(HTTPURL.longest)")
    }
    guard let (name, _) = ParsedURL.split(url), name == scheme, let plus = scheme.utf8.firstIndex(of: UInt8(ascii: "+")) else {
      throw MediaError(.unsupported, "\(argument) begins with \"\(url.prefix { !":?@/".contains($0) }.prefix(32))\"; accepted: \(form)")
    }
    kind = scheme.utf8.starts(with: "whep".utf8) ? .whep : .whip
    let hash = url.utf8.firstIndex(of: UInt8(ascii: "#"))
    endpoint = try HTTPURL(String(url[..<(hash ?? url.endIndex)].utf8.dropFirst(scheme[...plus].utf8.count)) ?? "", argument: argument)
    let isHere = endpoint.isLoopback
    guard endpoint.isSecure || isHere else {
      throw MediaError(
        .untrusted, "\(argument) is not encrypted, and the network could read the token; accepted: \(kind)+https, or a loopback address")
    }
    let text = hash.map { Substring(url.utf8[url.utf8.index(after: $0)...]) } ?? ""
    let query = try URLQuery(text, argument: "\(argument), after its #,", accepted: WHIPURL.accepted[kind] ?? [], advice: WHIPURL.advice)
    fingerprint = try query.decoded("fingerprint").map { (text) throws(MediaError) in
      try TLSFingerprint(text, argument: "\(argument)'s fingerprint")
    }
    guard endpoint.isSecure || fingerprint == nil else {
      throw MediaError(.invalid, "\(argument) has a fingerprint, but no encryption; accepted with \(kind)+https")
    }
    try options.take(query)
    options.trickles = try query.choice("trickle", ["0": false, "1": true]) ?? true
    if kind == .whip {
      options.bitrates = try query.bitrates()
      (options.receivesVideo, options.receivesAudio, options.isForwarded) = (false, false, true)
    } else {
      try options.takeReceive(query)
      guard options.receivesVideo || options.receivesAudio else {
        throw MediaError(.invalid, "\(argument) has receive=none, so that nothing would be received; accepted: both, video, audio")
      }
    }
    // A server on this machine may have nothing but its loopback.
    options.offersLoopback = options.offersLoopback || isHere
  }
}
