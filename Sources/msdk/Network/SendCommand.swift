import ArgumentParser
import MediaCore

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract:
      "Sends what a producer makes: over RTP to GStreamer, FFmpeg, a media server or msdk receive, or into a room of msdk serve.",
    discussion: """
      Items are written as for msdk run: NAME[:VALUE][,key=value...]. Video is sent as VP8, audio as Opus. What a producer of encoded frames \
      makes ('packets', a camera that encodes) is sent unchanged: --size, --fps and --bitrate are refused. The url has the destination and \
      options: for example rtp://192.0.2.7:5004?audio=5006&direction=sendonly; mediasdk/rtp.h lists all keys. To a url with a \
      host, rtp://192.0.2.7:5004, it sends at once, also if nothing receives there. With a url without a host, rtp://:5004, it sends to \
      the first peer that sends. In all cases but that of a host, nothing is produced before there is a receiver.

      Descriptions. With the url rtp: the two peers exchange SDP: an offer is written to --sdp-out and its answer read from --sdp with \
      --sdp-type answer, or an offer is read from --sdp and the answer written to --sdp-out. With a url that has an address, --sdp-out is \
      for a player: ffplay -protocol_whitelist file,udp,rtp FILE.

      Keys are never on the command line: --keys names a file of two lines of base64, the key and salt for what is sent, and those for \
      what is received.

      End. It ends after --seconds or --frames, when the video ends (or the audio, if there is no video), when a plugin fails (exit code \
      1), or with Ctrl-C. The peer is sent a goodbye, and a table of figures is printed.

      Recording. --record sent.webm stores what is sent, as it is encoded for the network; if it cannot be written, sending ends (exit \
      code 1).

      In these examples 127.0.0.1 stands for the address of the other machine. msdk help serve has examples with a room.

      Examples:
        msdk run --producer testpattern:bars --frames 60 --renderer file:clip.ivf
        msdk send rtp://127.0.0.1:5004 --producer file:clip.ivf
        msdk send rtp://127.0.0.1:5004 --producer packets:clip.ivf
        msdk send 'rtp://127.0.0.1:5004?audio=5006&direction=sendonly' \\
          --producer testpattern:counter --sound tone --seconds 2 --sdp-out call.sdp \\
          --record sent.webm
        for own in 1 2; do head -c 30 /dev/urandom | base64; done > keys.txt
        msdk send 'rtp://127.0.0.1:5004?srtp=AES_CM_128_HMAC_SHA1_80' \\
          --keys keys.txt --producer x11 --seconds 2
        msdk send rtp: --producer testpattern --seconds 2 \\
          --sdp-out offer.sdp --sdp answer.sdp --sdp-type answer &
        sleep 2
        msdk receive rtp: --sdp offer.sdp --sdp-type offer --sdp-out answer.sdp
      """)

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("What video to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var producer: PluginItem?

  @Option(help: ArgumentHelp("What audio to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var sound: PluginItem?

  @Flag(help: "The video is a screen share: it keeps its size, and skips frames if the network is slow.")
  var screen = false

  @Option(
    help: ArgumentHelp(
      "vp8, the codec that networks carry here; default: vp8, or the codec of a producer of encoded frames.", valueName: "codec"))
  var codec: Codec?

  @Option(
    help: ArgumentHelp("The frame size in pixels; default: the producer's own.", valueName: "WxH"), transform: { try Size.parse($0) })
  var size: Size?

  @Option(
    help: ArgumentHelp("Frames a second, up to 60, as in 30 or 30000/1001; default: the producer's rate for that size.", valueName: "rate"),
    transform: { try Arguments.frameRate($0) })
  var fps: FrameRate?

  @Option(
    help: ArgumentHelp("Bits a second for the encoder, 1000 to 100000000; default: 0.08 bits a pixel.", valueName: "bits"),
    transform: { try Arguments.bitrate($0) })
  var bitrate: UInt64?

  func validate() throws {
    guard producer != nil || sound != nil else {
      throw ValidationError("neither --producer nor --sound is given; accepted: one of them, or both")
    }
    if producer == nil, size != nil || fps != nil || bitrate != nil || network.frames != nil || screen {
      throw ValidationError("--size, --fps, --bitrate, --frames and --screen are for video; accepted: with --producer")
    }
  }

  func run() throws {
    guard try SendRun(command: self).perform() else { throw ExitCode(1) }
  }
}
