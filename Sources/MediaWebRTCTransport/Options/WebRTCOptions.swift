import MediaCore
import MediaRTP
import MediaSDP
import MediaSignalling
import MediaTLS
import MediaTransport

/// What a url of the scheme `webrtc:` says: "webrtc:?key=value&…". Users and passwords of relays are not in it, as urls are logged.
struct WebRTCOptions: Sendable {
  static let form = "webrtc:?key=value&…"
  static let accepted = [
    "stun", "relay", "trickle", "polite", "receive", "loopback", "relay-fingerprint", "min-bitrate", "start-bitrate", "max-bitrate"
  ]
  static let advice = "relays, with user and password, are added with msdk_session_add_ice_server"

  /// Servers of STUN.
  var servers: [ICEServer] = []
  /// Nothing but addresses at relays is offered and used.
  var isRelayed = false
  /// Candidates follow the descriptions.
  var trickles = true
  /// Of two offers at once, this end gives its own up.
  var isPolite = true
  /// What an offer of this end takes, though nothing of that kind is published.
  var receivesVideo = true
  var receivesAudio = true
  /// Loopback addresses are offered beside others.
  var offersLoopback = false
  /// Of relays over TLS, in place of the system's authorities.
  var relayFingerprint: TLSFingerprint?
  /// The other end is a server that hands on to many what it gets.
  var isForwarded = false
  /// What comes is played at this end; false: it is passed on.
  var isPlayedOut = true
  /// Media will be agreed on, though only data was at first.
  var expectsMedia = false
  /// Data channels are accepted, and may be opened.
  var hasChannels = false
  /// Streams that come in several sizes are taken in all of them; else in one.
  var acceptsLayers = true
  /// Video that this library only carries is accepted, and may be sent: H.264.
  var carriesVideo = false
  var bitrates = BandwidthEstimator.Limits()

  /// By default it trickles, is polite, takes both kinds of media, and has no data channels.
  init() {}

  init(_ url: String, argument: String) throws(MediaError) {
    let parsed = try ParsedURL(url, scheme: "webrtc", argument: argument, form: WebRTCOptions.form)
    guard parsed.authority == nil, parsed.path.isEmpty else {
      throw MediaError(
        .invalid, "\(argument) names a place, but descriptions say where the peer is; accepted: \(WebRTCOptions.form)")
    }
    let text = parsed.query ?? ""
    guard !text.utf8.starts(with: "turn=".utf8), !text.has("&turn=") else {
      throw MediaError(
        .invalid, "\(argument) has turn, but a relay needs a user and a password, and URLs are logged: \(WebRTCOptions.advice)")
    }
    let query = try URLQuery(text, argument: argument, accepted: WebRTCOptions.accepted, advice: WebRTCOptions.advice)
    try take(query)
    hasChannels = true
    isPolite = try query.choice("polite", ["0": false, "1": true]) ?? true
    trickles = try query.choice("trickle", ["0": false, "1": true]) ?? true
    bitrates = try query.bitrates()
    try takeReceive(query)
  }

  /// What does not depend on who signals: stun, relay, loopback and relay-fingerprint.
  mutating func take(_ query: URLQuery) throws(MediaError) {
    isRelayed = try query.flag("relay")
    offersLoopback = try query.flag("loopback")
    relayFingerprint = try query.decoded("relay-fingerprint").map { (text) throws(MediaError) in
      try TLSFingerprint(text, argument: "\(query.argument)'s relay-fingerprint")
    }
    servers = try WebRTCOptions.servers(query)
  }

  mutating func takeReceive(_ query: URLQuery) throws(MediaError) {
    (receivesVideo, receivesAudio) =
      try query.choice("receive", ["both": (true, true), "video": (true, false), "audio": (false, true), "none": (false, false)])
      ?? (true, true)
  }

  private static func servers(_ query: URLQuery) throws(MediaError) -> [ICEServer] {
    var servers: [ICEServer] = []
    guard let text = try query.decoded("stun") else { return [] }
    for place in text.split(separator: ",", omittingEmptySubsequences: false) {
      guard let server = ICEServer("stun:\(place)"), server.kind == .stun else {
        let accepted = "HOST:PORT, an IPv6 address in brackets, several with commas between them"
        throw MediaError(.invalid, "\(query.argument) has the server \"\(place.prefix(64))\" in stun; accepted: \(accepted)")
      }
      servers.append(server)
    }
    guard servers.count <= mostServers else {
      throw MediaError(.limit, "\(query.argument) has \(servers.count) servers in stun; accepted: at most \(mostServers)")
    }
    return servers
  }

  /// That the agent of ICE uses.
  static let mostServers = 4
}
