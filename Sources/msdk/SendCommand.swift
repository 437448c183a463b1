import ArgumentParser
import MediaCore

struct SendCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "send",
    abstract: "Sends what a producer makes: over RTP to GStreamer, FFmpeg, a media server or msdk receive, or into the room of an msdk hub.",
    discussion: """
      Items are written as for msdk run: NAME[:VALUE][,key=value...]. Pictures go as VP8, sound as Opus. The url says where to, and what \
      else is to be known: rtp://192.0.2.7:5004?audio=5006&direction=sendonly say; mediasdk/rtp.h, or README.md, has all of its keys. A url \
      without a host, rtp://:5004, sends to who speaks first. Nothing is made before there is somebody to send to.

      Descriptions. With the url rtp: the two ends exchange SDP: an offer is written to --sdp-out and its answer read from --sdp with \
      --sdp-type answer, or an offer is read from --sdp and the answer written to --sdp-out. With a url that has an address \
      --sdp-out is what a player wants: ffplay -protocol_whitelist file,udp,rtp FILE.

      Keys never stand on the command line: --keys names a file of two lines of base64, the key and salt that protect what is sent, \
      and those of what comes.

      The end. It ends with --seconds or --frames, when the pictures are over (the sound, where there are no pictures), when a plugin fails \
      (exit code 1), or with Ctrl-C. The other end is told goodbye, and a table of figures is printed.

      Examples:
        msdk send rtp://192.0.2.7:5004 --producer file:clip.ivf --seconds 10
        msdk send 'rtp://192.0.2.7:5004?audio=5006&direction=sendonly' --producer testpattern:counter --sound tone --sdp-out call.sdp
        msdk send 'rtp://192.0.2.7:5004?srtp=AES_CM_128_HMAC_SHA1_80' --keys keys.txt --producer x11
        msdk send 'hub://192.0.2.7:5006/standup?fingerprint=...' --user carol --token token.txt --producer x11 --screen
        msdk send rtp: --sdp-out offer.sdp --sdp answer.sdp --sdp-type answer --producer testpattern
      """)

  @OptionGroup var network: NetworkOptions

  @Option(help: ArgumentHelp("What pictures to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var producer: PluginItem?

  @Option(help: ArgumentHelp("What sound to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var sound: PluginItem?

  @Flag(help: "The pictures are a shared screen: they keep their size, and give up frames where the way is narrow.")
  var screen = false

  @Option(help: ArgumentHelp("vp8, which is what RTP and hubs carry here.", valueName: "codec"))
  var codec = Codec.vp8

  @Option(
    help: ArgumentHelp("Size of the pictures in pixels; default: the producer's own.", valueName: "WxH"), transform: { try Size.parse($0) })
  var size: Size?

  @Option(
    help: ArgumentHelp("Frames a second, up to 60, as in 30 or 30000/1001; default: the producer's own for that size.", valueName: "rate"),
    transform: { try Arguments.frameRate($0) })
  var fps: FrameRate?

  @Option(
    help: ArgumentHelp("Bits a second for the encoder, 1000 to 100000000; default: 0.08 bits a pixel.", valueName: "bits"),
    transform: { try Arguments.bitrate($0) })
  var bitrate: UInt64?

  func validate() throws {
    guard producer != nil || sound != nil else { throw ValidationError("neither --producer nor --sound is given; accepted: one of them, or both") }
    if producer == nil, size != nil || fps != nil || bitrate != nil || network.frames != nil || screen {
      throw ValidationError("--size, --fps, --bitrate, --frames and --screen are for pictures; accepted: with --producer")
    }
  }

  func run() throws {
    guard try SendRun(command: self).perform() else { throw ExitCode(1) }
  }
}
