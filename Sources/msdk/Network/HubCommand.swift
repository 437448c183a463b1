import ArgumentParser
import MediaCore

struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Hosts a room that programs on other machines join: msdk send and receive, and programs with MediaSDK.",
    discussion: """
      Prints the urls with which the room is joined, one for each local address that it listens at, and then which members join and leave, \
      until Ctrl-C; refused connections and the reasons are printed on standard error. What members send is forwarded without decoding, \
      VP8 and Opus, and is protected in transit (TLS 1.3, SRTP). Two machines need nothing else.

      Firewalls must let TCP and UDP with the same port number pass. The fingerprint is that of the certificate, and identifies the hub. \
      Without --certificate a certificate is made at each start, so the urls differ each time.

      With --web, people join with a browser, and any client of WHIP (OBS, for instance) sends to the room. The page's url is printed, \
      too. Browsers use camera and microphone over https: and on this machine only, and warn of a certificate that was made here.

      Tokens. Without --tokens, anyone who knows the url may join. With it, only members with a token from the file are admitted. Each \
      line of the file has a token, optionally after the user id that it is valid for. Members pass theirs in a file, too: --token.

      In these examples everything runs on one machine. Without --address, the hub's urls have the addresses for other machines.

      Examples:
        echo open-sesame > token.txt
        msdk hub standup --address 127.0.0.1 --tokens token.txt > hub.txt &
        hub=$!; sleep 1
        msdk send "$(head -n 1 hub.txt)" --token token.txt --user carol \\
          --producer testpattern --sound tone --seconds 5 &
        msdk receive "$(head -n 1 hub.txt)" --token token.txt --from carol \\
          --record carol.webm --seconds 3
        wait $!; kill $hub
      """)

  @Argument(help: ArgumentHelp("The room's name, for the urls.", valueName: "room"))
  var room = "room"

  @Option(help: ArgumentHelp("Listen at this IPv4 or IPv6 address. Repeatable, up to 8 times; default: all of IPv4.", valueName: "address"))
  var address: [String] = []

  @Option(help: ArgumentHelp("The port of TCP and UDP; default: a free one.", valueName: "port"), transform: { try Arguments.port($0) })
  var port: UInt16 = 0

  @Option(
    help: ArgumentHelp("Serve browsers, WHIP and WHEP at this TCP port, too.", valueName: "port"),
    transform: { try Arguments.port($0) })
  var web: UInt16?

  @Option(help: ArgumentHelp("A certificate, in PEM; with --key.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("Its key, in PEM.", valueName: "file"))
  var key: String?

  @Option(help: ArgumentHelp("Admit only members with one of the tokens in this file.", valueName: "file"))
  var tokens: String?

  @Option(
    help: ArgumentHelp("The maximum number of members, 1 to 1000; default: 64.", valueName: "n"), transform: { try Arguments.members($0) })
  var most = 64

  func validate() throws {
    guard (certificate == nil) == (key == nil) else {
      throw ValidationError("only one of --certificate and --key is given; accepted: both, or neither")
    }
    guard address.count <= 8 else { throw ValidationError("--address is given \(address.count) times; accepted: up to 8") }
  }

  func run() throws {
    try HubRun(command: self).perform()
  }
}
