import ArgumentParser
import MediaCore

struct ReceiveCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "receive",
    abstract: "Receives what a peer sends over RTP, or a member of a room of msdk serve, and renders it.",
    discussion: """
      Items are written as for msdk run, and so are lists of renderers: 'bw,file:bw.y4m' converts to black and white, 'file:copy.ivf' \
      writes the encoded frames unchanged. The first video stream and the first audio stream are received. The url says where they arrive: \
      for example rtp://:5004, or rtp://:5004?audio=5006&direction=recvonly; mediasdk/rtp.h lists all keys. With an address, \
      as in rtp://192.0.2.7:5004?local=5004, only that host is received from. In a room the streams of one member are received: the \
      one of --from, or the first that sends.

      Descriptions. With the url rtp: and --sdp-type announced, a sender's SDP is used to receive, as FFmpeg's -sdp_file writes it; with \
      --sdp-type offer it is answered, in --sdp-out; with --sdp-type answer it is the peer's answer to the offer in --sdp-out.

      Keys are never on the command line: --keys names a file of two lines of base64, the key and salt for what is sent, and those for \
      what is received.

      End. It ends after --seconds or --frames, when the peer says goodbye or was silent for 30 s, when a renderer fails (exit code 1), or \
      with Ctrl-C; files are completed, and a table of figures is printed. If nothing arrives within --timeout, the exit code is 1.

      Recording. --record film.webm stores the video and the audio in one file, in sync, as they arrive; the renderers are not affected.

      In these examples a sender runs in the background. msdk help serve has examples with a room.

      Examples:
        msdk send rtp://127.0.0.1:5004 --producer testpattern --seconds 5 &
        msdk receive rtp://:5004 --renderer window
        msdk send 'rtp://127.0.0.1:5004?audio=5006' \\
          --producer testpattern --sound tone --seconds 5 &
        msdk receive 'rtp://:5004?audio=5006' --renderer file:film.ivf \\
          --sound-renderer wav:film.wav --record film.webm --seconds 3
        wait
        msdk send 'rtp://127.0.0.1:5004?direction=sendonly' \\
          --producer testpattern --seconds 5 --sdp-out camera.sdp &
        sleep 1
        msdk receive rtp: --sdp camera.sdp --sdp-type announced \\
          --renderer file:out.png --frames 30 --json
      """)

  @OptionGroup var network: NetworkOptions

  @Option(
    help: ArgumentHelp(
      "In a room: the member whose streams are received, by user id or display name; default: the first that sends.", valueName: "name"))
  var from: String?

  @Option(
    help: ArgumentHelp(
      "In a room: the size in which the video is shown; a larger one need not be sent. Default: any.", valueName: "WxH"),
    transform: { try Size.parse($0) })
  var size: Size?

  @Option(
    help: ArgumentHelp("In a room: frames a second that are enough, as in 15 or 30000/1001; default: any.", valueName: "rate"),
    transform: { try Arguments.frameRate($0) })
  var fps: FrameRate?

  @Option(
    help: ArgumentHelp("What to do with the video: a list of items. Repeatable; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var renderer: [[PluginItem]] = []

  @Option(
    help: ArgumentHelp("What to do with the audio: a list of items. Repeatable; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var soundRenderer: [[PluginItem]] = []

  func validate() throws {
    if from != nil, !network.isOfRoom { throw ValidationError("--from is for rooms; others have one peer") }
    if size != nil || fps != nil, !network.isOfRoom {
      throw ValidationError("--size and --fps are for rooms; others do not carry what a receiver prefers")
    }
  }

  func run() throws {
    guard try ReceiveRun(command: self).perform() else { throw ExitCode(1) }
  }
}
