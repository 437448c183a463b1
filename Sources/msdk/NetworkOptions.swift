import ArgumentParser
import MediaCore
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
    help: ArgumentHelp("rtp://HOST:PORT, rtp://:PORT, or for descriptions rtp: - each with ?key=value&... - or hub://..., as msdk hub prints it.", valueName: "url"))
  var url: String

  @Option(help: ArgumentHelp("In a hub's room: who this is, unlike all others; default: this machine's name and the process.", valueName: "id"))
  var user: String?

  @Option(help: ArgumentHelp("In a hub's room: a file of one line, the access token.", valueName: "file"))
  var token: String?

  @Option(
    help: ArgumentHelp(
      "The other end's description (SDP, RFC 8866), for a url without an address. An answer is waited for until the file is there.",
      valueName: "file"))
  var sdp: String?

  @Option(help: ArgumentHelp("What it is: offer, answer, or announced, of a sender who wants no answer.", valueName: "type"))
  var sdpType: DescriptionType?

  @Option(
    help: ArgumentHelp(
      "Write this end's description: an offer, the answer to one, or of a url with an address what a receiver has to know.",
      valueName: "file"))
  var sdpOut: String?

  @Option(
    help: ArgumentHelp(
      "The keys for a url with srtp=SUITE: two lines of base64, the key and salt of what is sent and those of what comes.", valueName: "file"))
  var keys: String?

  @Option(
    help: ArgumentHelp(
      "Write every datagram that is sent and comes into this file, which Wireshark and tcpdump read: pcap, with times in nanoseconds.",
      valueName: "file"))
  var pcap: String?

  @Flag(help: "Into the file of --pcap: packets before SRTP protects them, and after it was taken away, so that they can be looked into.")
  var pcapPlain = false

  @Option(
    help: ArgumentHelp("Fail when nobody has come after so many seconds; default: 30.", valueName: "n"), transform: { try Arguments.seconds($0) })
  var timeout = 30.0

  @Option(
    help: ArgumentHelp("End so many seconds after the first stream began; default: never.", valueName: "n"),
    transform: { try Arguments.seconds($0) })
  var seconds: Double?

  @Option(
    help: ArgumentHelp("End after so many pictures; default: never.", valueName: "n"), transform: { try Arguments.frames($0) })
  var frames: UInt64?

  @Flag(help: "Print nothing but the figures at the end, as one object of JSON.")
  var json = false

  @Option(help: ArgumentHelp("Load plugins from this directory first. May be given several times.", valueName: "dir"))
  var plugins: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set what this JSON file has, written by msdk params, on every instance of its class, before what the item says. May be given several times.",
      valueName: "file"))
  var params: [String] = []

  var isOfRoom: Bool { url.hasPrefix("hub:") }

  func validate() throws {
    if isOfRoom, sdp != nil || sdpOut != nil || keys != nil {
      throw ValidationError("--sdp, --sdp-out and --keys are for rtp: urls; a hub tells its members itself")
    }
    if !isOfRoom, user != nil || token != nil { throw ValidationError("--user and --token are for hub:// urls; nobody is asked by rtp:") }
    guard (sdp == nil) == (sdpType == nil) else { throw ValidationError("of --sdp and --sdp-type one is given; accepted: both, or neither") }
    if sdpType == .answer, sdpOut == nil { throw ValidationError("--sdp-type answer is given without --sdp-out; accepted: with it, for the offer that is answered") }
    if pcapPlain, pcap == nil { throw ValidationError("--pcap-plain is given without --pcap; accepted: with it") }
    if seconds != nil, frames != nil { throw ValidationError("--seconds and --frames are both given; accepted: one of them") }
  }
}
