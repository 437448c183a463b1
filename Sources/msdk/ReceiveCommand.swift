import ArgumentParser
import MediaCore

struct ReceiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receives what another end sends over RTP, or somebody in the room of an msdk hub, and renders it.",
    discussion: """
      Items are written as for msdk run, and so are lists of renderers: 'bw,file:bw.y4m' draws in black and white, 'file:copy.ivf' writes \
      what was received as it was encoded. The first stream of pictures and the first of sound are taken. The url says where they come: \
      rtp://:5004 say, or rtp://:5004?audio=5006&direction=recvonly; mediasdk/rtp.h, or README.md, has all of its keys. An address, \
      rtp://192.0.2.7:5004?local=5004, takes from that host alone. In the room of a hub those of one member are taken: of --from, or of who sends first.

      Descriptions. With the url rtp: and --sdp-type announced the SDP of a sender is listened to, as FFmpeg's -sdp_file writes it; with \
      --sdp-type offer it is answered, to --sdp-out; with --sdp-type answer the other end answers the offer in --sdp-out.

      Keys never stand on the command line: --keys names a file of two lines of base64, the key and salt that protect what is sent, \
      and those of what comes.

      The end. It ends with --seconds or --frames, when the other end says goodbye or was silent for 30 s, when a renderer fails (exit code \
      1), or with Ctrl-C; files are completed, and a table of figures is printed. When nothing came within --timeout the exit code is 1.

      Examples:
        msdk receive rtp://:5004 --renderer window
        msdk receive 'rtp://:5004?audio=5006' --renderer file:film.ivf --sound-renderer wav:film.wav --seconds 10
        msdk receive 'hub://192.0.2.7:5006/standup?fingerprint=...' --from carol --renderer window --sound-renderer pulse
        msdk receive rtp: --sdp camera.sdp --sdp-type announced --renderer file:out.png --frames 30 --json
        msdk receive 'rtp://:5004?srtp=AEAD_AES_128_GCM' --keys keys.txt --renderer terminal
      """)

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("In a hub's room: whose streams are taken; default: those of who sends first.", valueName: "id"))
  var from: String?

  @Option(
    help: ArgumentHelp("What to do with the pictures: a list of items. May be given several times; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var renderer: [[PluginItem]] = []

  @Option(
    help: ArgumentHelp("What to do with the sound: a list of items. May be given several times; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var soundRenderer: [[PluginItem]] = []

  func validate() throws {
    if from != nil, !network.isOfRoom { throw ValidationError("--from is for hub:// urls; by rtp: there is one other end") }
  }

  func run() throws {
    guard try ReceiveRun(command: self).perform() else { throw ExitCode(1) }
  }
}
