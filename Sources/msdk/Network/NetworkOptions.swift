import ArgumentParser
import MediaCore
import MediaSDK
import MediaSDP
import MediaTransport

/// What `send` and `receive` have in common: the way to the other end, and when it is enough.
struct NetworkOptions: ParsableArguments {
  enum DescriptionType: String, CaseIterable, ExpressibleByArgument {
    case offer
    case answer
    case announced

    var kind: RTPTarget.DescriptionType {
      switch self {
      case .offer: .offer
      case .answer: .answer
      case .announced: .announced
      }
    }
  }

  @Argument(
    help: ArgumentHelp(
      """
      rtp://HOST:PORT, rtp://:PORT, or for descriptions rtp: - each with ?key=value&... - or livekit+wss://..., as msdk serve prints it; \
      whip+https://..., whep+https://..., janus+https://...
      """,
      valueName: "url"))
  var url: String

  @Option(
    help: ArgumentHelp("In a room: the user id, unique in the room; default: this machine's name and the process.", valueName: "id"))
  var user: String?

  @Option(help: ArgumentHelp("Of a room or a server: a file of one line, the access token.", valueName: "file"))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "The peer's description (SDP, RFC 8866), for a url without an address. For an answer it waits until the file exists.",
      valueName: "file"))
  var sdp: String?

  @Option(help: ArgumentHelp("Its type: offer, answer, or announced, which is a sender's that expects no answer.", valueName: "type"))
  var sdpType: DescriptionType?

  @Option(
    help: ArgumentHelp(
      "Write the local description: an offer, the answer to one, or for a url with an address what a receiver needs.",
      valueName: "file"))
  var sdpOut: String?

  @Option(
    help: ArgumentHelp(
      "The keys for a url with srtp=SUITE: two lines of base64, the key and salt of what is sent and those of what is received.",
      valueName: "file"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "Write every datagram sent and received to this file, for Wireshark and tcpdump: pcap, with times in nanoseconds.",
      valueName: "file"))
  var pcap: String?

  @Flag(help: "Write packets to the file of --pcap without SRTP, so that they can be read.")
  var pcapPlain = false

  @Option(
    help: ArgumentHelp(
      "Also record to this file, with the plugin recorder: .webm (VP8, Opus), or .opus or .ogg for audio only. Encoded media are stored unchanged.",
      valueName: "file"))
  var record: String?

  @Option(
    help: ArgumentHelp(
      "Fail if no peer has appeared after this many seconds; default: 30. It does not apply to send rtp://HOST:PORT.",
      valueName: "n"),
    transform: { try Arguments.seconds($0) })
  var timeout = 30.0

  @Option(
    help: ArgumentHelp("End this many seconds after the first stream began; default: never.", valueName: "n"),
    transform: { try Arguments.seconds($0) })
  var seconds: Double?

  @Option(
    help: ArgumentHelp("End after this many video frames; default: never.", valueName: "n"), transform: { try Arguments.frames($0) })
  var frames: UInt64?

  @Flag(help: "Print only the figures at the end, as one JSON object.")
  var json = false

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set the parameters in this JSON file, from msdk params, on every instance of its class, before those of the item. Repeatable.",
      valueName: "file"))
  var params: [String] = []

  /// There is a server, which may want to see a token.
  var hasServer: Bool { Transports.factory(of: url)?.features.isSuperset(of: [.network, .accessTokens]) ?? false }
  var isOfRoom: Bool { Transports.factory(of: url)?.features.isSuperset(of: [.network, .members]) ?? false }
  /// By msdk serve, or another server of LiveKit's protocol.
  var isServed: Bool { Transports.factory(of: url)?.features.isSuperset(of: [.network, .attributes]) ?? false }
  /// That of rtp://HOST:PORT.
  var port: UInt16? { (try? ParsedURL(url, scheme: "rtp", argument: "url", form: "rtp://HOST:PORT"))?.port }

  func validate() throws {
    guard Transports.factory(of: url)?.features.contains(.negotiation) != true else {
      let accepted = Transports.forms(with: .network, without: .negotiation)
      throw ValidationError("the url is \"\(url)\", which needs a program that carries descriptions; accepted: \(accepted)")
    }
    if hasServer, sdp != nil || sdpOut != nil || keys != nil {
      throw ValidationError("--sdp, --sdp-out and --keys are for rtp: urls; with a server they are exchanged by themselves")
    }
    if !hasServer, user != nil || token != nil { throw ValidationError("--user and --token are for rooms and servers; rtp: has neither") }
    guard (sdp == nil) == (sdpType == nil) else {
      throw ValidationError("only one of --sdp and --sdp-type is given; accepted: both, or neither")
    }
    if sdpType == .answer, sdpOut == nil {
      throw ValidationError("--sdp-type answer is given without --sdp-out; accepted: with --sdp-out, for the offer that is answered")
    }
    if pcapPlain, pcap == nil { throw ValidationError("--pcap-plain is given without --pcap; accepted: with --pcap") }
    if seconds != nil, frames != nil { throw ValidationError("--seconds and --frames are both given; accepted: one of them") }
  }
}
