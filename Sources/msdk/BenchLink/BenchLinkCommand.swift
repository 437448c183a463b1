import ArgumentParser
import MediaCore
import MediaSDK
import MediaTransport

struct BenchLinkCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "bench-link",
    abstract: "Measures the network path to a url: round trip, loss, jitter and bandwidth, and which video fits.",
    discussion: """
      It sends a grey video whose frames are as large as the bandwidth estimate allows, up to --bitrate, and prints what the second half \
      of the time has shown.

      With the url of a room, as msdk serve prints it, two members join for that time, USER and USER-down. The first sends, and the second \
      receives it from the server, so that both directions are measured; the other members see a grey video. With an rtp: url the peer must answer with \
      RTCP, as msdk receive does; feedback=1 in the url, at both ends, gives an estimate. What the peer sends is measured as the other \
      direction.

      The verdict names the largest video that fits with audio, at the SDK's default of 0.08 bits a pixel: 1080p30 takes 5.1 Mbit/s, 720p30 \
      2.3, 540p30 1.4, 360p30 0.6, 180p15 0.15, and audio alone 0.06. A path on which 10 percent of the packets are lost is good for audio \
      only. '-' is what the protocol does not report.

      In these examples everything runs on one machine.

      Examples:
        msdk serve standup --address 127.0.0.1 > urls.txt &
        sleep 1
        msdk bench-link "$(grep -o 'livekit+ws.*' urls.txt)" --seconds 4
        kill $!
        msdk receive 'rtp://:5004?feedback=1' > received.txt &
        sleep 1
        msdk bench-link 'rtp://127.0.0.1:5004?feedback=1' --seconds 4 --json
        wait
      """)

  @Argument(help: ArgumentHelp("livekit+wss://..., as msdk serve prints it, or rtp://HOST:PORT, with ?key=value&...", valueName: "url"))
  var url: String

  @Option(help: ArgumentHelp("For how long, 2 to 600; default: 10.", valueName: "n"), transform: { try Arguments.seconds($0) })
  var seconds = 10.0

  @Option(
    help: ArgumentHelp("Send at most so many bits a second, 100000 to 50000000; default: 2500000, enough for 720p30.", valueName: "bits"),
    transform: { try Arguments.bitrate($0) })
  var bitrate: UInt64 = 2_500_000

  @Option(
    help: ArgumentHelp("In a room: the user id of the sending member; default: this machine's name and the process.", valueName: "id")
  )
  var user: String?

  @Option(help: ArgumentHelp("In a room: a file of one line, the access token of both members.", valueName: "file"))
  var token: String?

  @Option(help: ArgumentHelp("The keys for a url with srtp=SUITE, as for msdk send.", valueName: "file"))
  var keys: String?

  @Flag(help: "Print JSON.")
  var json = false

  private var features: TransportFeatures { Transports.factory(of: url)?.features ?? [] }
  var isOfRoom: Bool { features.isSuperset(of: [.network, .attributes]) }

  func validate() throws {
    guard features.contains(.network), !features.contains(.negotiation) else {
      throw ValidationError("the url is \"\(url)\"; accepted: \(Transports.forms(with: .network, without: .negotiation))")
    }
    guard (2...600).contains(seconds) else { throw ValidationError("--seconds is \(seconds.shortText); accepted: 2..600") }
    guard (100_000...50_000_000).contains(bitrate) else { throw ValidationError("--bitrate is \(bitrate); accepted: 100000..50000000") }
    if isOfRoom, keys != nil { throw ValidationError("--keys is for rtp: urls; a room exchanges keys itself") }
    if !isOfRoom, user != nil || token != nil { throw ValidationError("--user and --token are for urls of rooms; rtp: has no members") }
  }

  func run() throws {
    let result = try BenchLinkRun(command: self).perform()
    Terminal.show(json ? result.json.rendered() : result.text)
  }
}
