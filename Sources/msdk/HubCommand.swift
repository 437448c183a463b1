import ArgumentParser
import MediaCore

struct HubCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "hub",
    abstract: "Hosts a room that programs on other machines join: msdk send and receive, and whatever embeds MediaSDK.",
    discussion: """
      Prints the urls by which the room is joined, one for each address of this machine that it listens at, and then who comes and goes, \
      until Ctrl-C. What members send is passed on as it is encoded, VP8 and Opus, protected on the way (TLS 1.3, SRTP); nothing is decoded \
      here. Two machines need nothing else:

        hub$ msdk hub standup --port 5006
        one$ msdk send 'hub://192.0.2.7:5006/standup?fingerprint=...' --producer x11 --sound pulse
        two$ msdk receive 'hub://192.0.2.7:5006/standup?fingerprint=...' --renderer window --sound-renderer pulse

      TCP and UDP by the same port have to be let through to it. The fingerprint is that of the certificate, and proves who the hub is. \
      Without --certificate one is made, and the urls are others each time.

      Tokens. Without --tokens whoever knows the url may join. With it, only who shows a token that the file has: a line for each, with the \
      token alone, or with a user id before it, whose token it is then. Members give theirs in a file, too: --token.
      """)

  @Argument(help: ArgumentHelp("The room's name, for the urls.", valueName: "room"))
  var room = "room"

  @Option(help: ArgumentHelp("Listen at this address, of IPv4 or IPv6. May be given up to 8 times; default: all of IPv4.", valueName: "address"))
  var address: [String] = []

  @Option(help: ArgumentHelp("The port of TCP and UDP; default: a free one.", valueName: "port"), transform: { try Arguments.port($0) })
  var port: UInt16 = 0

  @Option(help: ArgumentHelp("A certificate, PEM; with --key.", valueName: "file"))
  var certificate: String?

  @Option(help: ArgumentHelp("Its key, PEM.", valueName: "file"))
  var key: String?

  @Option(help: ArgumentHelp("Let in who shows one of these tokens.", valueName: "file"))
  var tokens: String?

  @Option(help: ArgumentHelp("Take so many members, 1 to 1000; default: 64.", valueName: "n"), transform: { try Arguments.members($0) })
  var most = 64

  func validate() throws {
    guard (certificate == nil) == (key == nil) else { throw ValidationError("of --certificate and --key one is given; accepted: both, or neither") }
    guard address.count <= 8 else { throw ValidationError("--address is given \(address.count) times; accepted: up to 8") }
  }

  func run() throws {
    try HubRun(command: self).perform()
  }
}
