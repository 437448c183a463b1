import ArgumentParser
import MediaCore

struct ServeCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "serve",
    abstract:
      "Serves a room: people join with a browser, OBS and others by WHIP and WHEP, SDKs of LiveKit, and programs with MediaSDK by its url.",
    discussion: """
      Prints the url of the room's page, with a QR code for a phone, then the urls of WHIP and WHEP, and the url for msdk send, msdk receive \
      and programs with MediaSDK; each for every local address that it listens at. All are at one TCP port. Then it prints which members join and leave, until \
      Ctrl-C; refused connections and the reasons are printed on standard error. What members send is forwarded without decoding, VP8 and \
      Opus, and is protected in transit (TLS, DTLS, SRTP). There is nothing else to install.

      Browsers use camera and microphone on pages of https: and of this machine only. So the page is http: if all addresses are loopback, \
      and https: otherwise. Then, without --certificate, a certificate is made at each start: the urls for MediaSDK differ each time, and browsers \
      warn once, until the person accepts the certificate. Its fingerprint is printed, to be compared. With --certificate, name the host \
      that it is for with --host.

      On a machine behind a NAT, as at cloud providers, --public-address is the address by which others reach it; the NAT has to hand on \
      each port with its number.

      Firewalls must let TCP with the port of --port pass, and UDP: with --media-port that one port, otherwise any. Both may have the same \
      number. Browsers and SDKs of LiveKit in networks without UDP send media to the TCP port.

      Tokens. Without --tokens, anyone who knows the url may join. With it, only members with a token from the file are admitted. Each \
      line of the file has a token, optionally after the user id that it is valid for. Members pass theirs in a file, too: --token. A page \
      takes it from its url, #token=TOKEN; clients of WHIP and WHEP send it as Bearer token.

      SDKs of LiveKit. With --api-key, a file of one line KEY: SECRET, only members with an access token are admitted that was made with that \
      key, for this room and for the user id under which they join (msdk token). SDKs of LiveKit are given the url ws: or wss: that is printed, \
      and such a token; others show it as they show tokens of --tokens.

      In these examples everything runs on one machine. Without --address, the urls have the addresses for other machines.

      Examples:
        echo open-sesame > token.txt
        msdk serve standup --address 127.0.0.1 --tokens token.txt > urls.txt &
        room=$!; sleep 1
        url=$(grep -o 'livekit+ws.*' urls.txt)
        msdk send "$url" --token token.txt --user carol \\
          --producer testpattern --sound tone --seconds 5 &
        msdk receive "$url" --token token.txt --from carol \\
          --record carol.webm --seconds 3
        wait $!; kill $room
      """)

  @Argument(help: ArgumentHelp("The room's name, for the urls.", valueName: "room"))
  var room = "room"

  @Option(help: ArgumentHelp("Listen at this IPv4 or IPv6 address. Repeatable, up to 8 times; default: all of IPv4.", valueName: "address"))
  var address: [String] = []

  @Option(
    help: ArgumentHelp("The name or address in all urls; default: each address at which others reach this machine.", valueName: "host"))
  var host: String?

  @Option(
    help: ArgumentHelp(
      "Announce media at this public address, too: that of a NAT before this machine. Repeatable, one of IPv4, one of IPv6.",
      valueName: "address"))
  var publicAddress: [String] = []

  @Option(
    help: ArgumentHelp("The TCP port; default: a free one.", valueName: "port"),
    transform: { try Arguments.port($0) })
  var port: UInt16 = 0

  @Option(
    help: ArgumentHelp("The UDP port for media of all members; default: each member has a free one.", valueName: "port"),
    transform: { try Arguments.port($0) })
  var mediaPort: UInt16?

  @Flag(inversion: .prefixedNo, help: "Print the page's url as a QR code; default: on a terminal.")
  var qr: Bool?

  @Option(help: ArgumentHelp("A certificate, in PEM; with --key.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("Its key, in PEM.", valueName: "file"))
  var key: String?

  @Option(help: ArgumentHelp("Admit only members with one of the tokens in this file.", valueName: "file"))
  var tokens: String?

  @Option(
    help: ArgumentHelp("Admit only members with access tokens made with the API key in this file, also SDKs of LiveKit.", valueName: "file")
  )
  var apiKey: String?

  @Option(
    help: ArgumentHelp("The maximum number of members, 1 to 1000; default: 64.", valueName: "n"), transform: { try Arguments.members($0) })
  var most = 64

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("only one of --certificate and --key is given; accepted: both, or neither")
    }
    guard address.count <= 8 else { throw ValidationError("--address is given \(address.count) times; accepted: up to 8") }
    if tokens != nil, apiKey != nil { throw ValidationError("--api-key is given with --tokens; accepted: one of them") }
    if let host {
      let isPlain = host.utf8.allSatisfy { byte in
        (0x30...0x3A).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte) || byte == 0x2D || byte == 0x2E
      }
      guard (1...253).contains(host.utf8.count), isPlain else {
        throw ValidationError("--host is \"\(host)\"; accepted: a host name or an address, as in room.example.org or 192.0.2.7")
      }
    }
  }

  func run() throws {
    try ServeRun(command: self).perform()
  }
}
