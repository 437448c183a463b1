import ArgumentParser
import MediaCore
import MediaTransport

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Makes a call inside this process: a producer sends, the other side receives and renders.",
    discussion: """
      Items. A producer, renderer or filter is written NAME[:VALUE][,key=value...]. NAME is a class ('org.example.producer.camera') or, \
      without a dot, the part of its name after org.mediasdk.producer., .renderer. or .filter. ('file', 'testpattern', 'bw'). VALUE sets \
      the first parameter that the class requires, or else its first parameter: the path of 'file', the pattern of 'testpattern'. \
      key=value sets any other parameter; msdk inspect lists them. In values a comma is written \\, and a backslash \\\\; a colon or an \
      equals sign needs no backslash.

      Renderers. --renderer takes a list of items, separated by commas. An item after one that also produces frames (a renderer and \
      producer, as bw is) gets the frames of that item; items before it, and all items of a list without one, get the received stream. \
      Each --renderer starts from the stream. 'file' writes Y4M, PNG, or with --codec vp8 an IVF of what was received, according to the \
      end of the path.

      Encoded frames. What a producer of encoded frames makes ('packets', a camera that encodes) is sent unchanged: --codec, --size, --fps, \
      --bitrate and --filter are refused.

      Audio. With --sound the call has audio instead of video, as Opus, raw with --codec raw, or with a plugin's codec. The \
      read-only parameters of renderers are printed at the end.

      End. The run ends after --seconds or --frames, when the producer has no more, when a plugin fails (exit code 1), or with Ctrl-C; \
      frames in flight are still delivered, files are completed, and a table of figures is printed. Without --seconds and --frames a test \
      pattern never ends. A second Ctrl-C ends the program at once.

      Examples:
        msdk run --producer testpattern:counter --frames 30 --renderer file:out.png
        msdk run --producer testpattern:bars --frames 60 --renderer file:clip.ivf
        msdk run --producer file:clip.ivf --renderer file:copy.ivf \\
          --renderer bw,mode=threshold,file:bw.y4m
        msdk run --producer file:clip.ivf --filter bw,blur:4 --renderer file:soft.y4m
        msdk run --producer packets:clip.ivf --renderer file:same.ivf
        msdk run --sound --producer tone --filter gain:-6 --seconds 5 \\
          --renderer wav:out.wav
        msdk run --producer testpattern --size 640x360 --fps 15 --seconds 5 \\
          --network bandwidth=500000,delay=50,jitter=5,loss=1
      """)

  @Flag(help: "An audio call: producer, renderers and filters are of audio, and 'tone', 'wav' and 'gain' are short names.")
  var sound = false

  @Option(help: ArgumentHelp("What to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var producer: PluginItem

  @Option(
    help: ArgumentHelp(
      "What to do with what is received: a list of items. Repeatable; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var renderer: [[PluginItem]] = []

  @Option(
    help: ArgumentHelp(
      "The filters of the video before it is sent: a list of items, for example 'bw' or 'blur:12'. Repeatable.",
      valueName: "items"), transform: { try PluginItem.list($0) })
  var filter: [[PluginItem]] = []

  @Option(
    help: ArgumentHelp(
      "vp8, av1 (by the plugin of that name), raw for no encoding, or the fourcc of a plugin's codec, as in GRY4; default: vp8, or the "
        + "codec of a producer of encoded frames.", valueName: "codec"))
  var codec: Codec?

  @Option(
    help: ArgumentHelp("The frame size in pixels, 1x1 to 3840x2160; default: the producer's own.", valueName: "WxH"),
    transform: { try Size.parse($0) })
  var size: Size?

  @Option(
    help: ArgumentHelp("Frames a second, up to 60, as in 30 or 30000/1001; default: the producer's rate for that size.", valueName: "rate"),
    transform: { try Arguments.frameRate($0) })
  var fps: FrameRate?

  @Option(
    help: ArgumentHelp("Bits a second for the encoder, 1000 to 100000000; default: 0.08 bits a pixel.", valueName: "bits"),
    transform: { try Arguments.bitrate($0) })
  var bitrate: UInt64?

  @Option(help: ArgumentHelp("End after this many seconds; default: never.", valueName: "n"), transform: { try Arguments.seconds($0) })
  var seconds: Double?

  @Option(
    help: ArgumentHelp("End after this many frames were received and rendered; default: never.", valueName: "n"),
    transform: { try Arguments.frames($0) })
  var frames: UInt64?

  @Option(
    help: ArgumentHelp(
      "The network's properties, separated by commas: bandwidth=BITS a second (default 0: unlimited), delay=MS and jitter=MS "
        + "(milliseconds, default 0), loss=PERCENT of the packets of 1200 bytes (default 0). Default: a perfect network.",
      valueName: "spec"), transform: { try Arguments.network($0) })
  var network: NetworkScript.Step?

  @Option(help: ArgumentHelp("The seed of the network's random numbers.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set the parameters in this JSON file, from msdk params, on every instance of its class, before those of the item. "
        + "Repeatable.", valueName: "file"))
  var params: [String] = []

  @Flag(help: "Print only the figures at the end, as one JSON object: those of msdk top --json.")
  var json = false

  func validate() throws {
    if seconds != nil, frames != nil { throw ValidationError("--seconds and --frames are both given; accepted: one of them") }
    if sound, size != nil || fps != nil || bitrate != nil || frames != nil || network != nil {
      throw ValidationError("--sound cannot be combined with --size, --fps, --bitrate, --frames and --network")
    }
    if codec == .raw, bitrate != nil { throw ValidationError("--bitrate is given with --codec raw; accepted: with a codec") }
  }

  func run() throws {
    let plan = RunPlan(
      producer: producer, renderers: renderer, filters: filter.flatMap { $0 }, codec: codec, size: size, frameRate: fps, bitrate: bitrate,
      seconds: seconds, frames: frames, network: network, seed: seed, plugins: plugins, isJSON: json, parameterFiles: params)
    guard try sound ? AudioRun(plan: plan).perform() : Run(plan: plan).perform() else { throw ExitCode(1) }
  }
}
