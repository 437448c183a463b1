import ArgumentParser
import MediaCore
import MediaTransport

struct RunCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "run",
    abstract: "Makes a call inside this process: a producer sends, the other side receives and renders.",
    discussion: """
      Items. A producer, renderer or filter is written NAME[:VALUE][,key=value...]. NAME is a class ('org.example.producer.camera') or, without a \
      dot, what follows org.mediasdk.producer., .renderer. or .filter. in its name ('file', 'testpattern', 'bw'). VALUE is given to the \
      first parameter that the class requires, or else to its first: the path of 'file', the pattern of 'testpattern'. key=value sets any \
      other; see msdk inspect for what there is. In values a comma is written \\, and a backslash \\\\; a colon, or an equals sign, \
      stands for itself.

      Renderers. --renderer takes a list of items, separated by commas. What follows one that makes pictures (renderer and producer, as \
      bw is) is given what that makes; what stands before one, or in a list without one, is given the received stream. Several \
      --renderer each begin at the stream. 'file' writes Y4M, PNG, or with --codec vp8 an IVF of what was received, as the path ends.

      Sound. With --sound the call has sound in place of pictures, in Opus or with --codec none as it is. What renderers have to tell, in \
      parameters for reading only, is printed at the end.

      The end. The run ends with --seconds or --frames, when the producer has no more, when a plugin fails (exit code 1), or with Ctrl-C; \
      frames under way still arrive, files are completed, and a table of figures is printed. Without --seconds and --frames a test \
      pattern goes on for ever. A second Ctrl-C ends the program at once.

      Examples:
        msdk run --producer testpattern:counter --frames 30 --renderer file:out.png
        msdk run --producer file:clip.ivf --renderer file:copy.ivf \\
          --renderer bw,mode=threshold,file:bw.y4m
        msdk run --producer file:clip.ivf --filter bw,blur:4 --renderer file:soft.y4m
        msdk run --sound --producer tone --filter gain:-6 --seconds 5 --renderer wav:out.wav
        msdk run --producer testpattern --size 640x360 --fps 15 --seconds 10 \\
          --network bandwidth=500000,delay=50,jitter=5,loss=1
      """)

  @Flag(help: "A call of sound: producer, renderers and filters are of sound, and 'tone', 'wav' and 'gain' are the short names.")
  var sound = false

  @Option(help: ArgumentHelp("What to send: an item.", valueName: "item"), transform: { try PluginItem.one($0) })
  var producer: PluginItem

  @Option(
    help: ArgumentHelp(
      "What to do with what is received: a list of items. May be given several times; default: nothing.", valueName: "items"),
    transform: { try PluginItem.list($0) })
  var renderer: [[PluginItem]] = []

  @Option(
    help: ArgumentHelp(
      "What the pictures pass before they are sent: a list of items, 'bw' or 'blur:12' say. May be given several times.",
      valueName: "items"), transform: { try PluginItem.list($0) })
  var filter: [[PluginItem]] = []

  @Option(help: ArgumentHelp("vp8, av1 (by the plugin of that name), or none to send raw frames.", valueName: "codec"))
  var codec = Codec.vp8

  @Option(
    help: ArgumentHelp("Size of the pictures in pixels, 1x1 to 3840x2160; default: the producer's own.", valueName: "WxH"),
    transform: { try Size.parse($0) })
  var size: Size?

  @Option(
    help: ArgumentHelp("Frames a second, up to 60, as in 30 or 30000/1001; default: the producer's own for that size.", valueName: "rate"),
    transform: { try Arguments.frameRate($0) })
  var fps: FrameRate?

  @Option(
    help: ArgumentHelp("Bits a second for the encoder, 1000 to 100000000; default: 0.08 bits a pixel.", valueName: "bits"),
    transform: { try Arguments.bitrate($0) })
  var bitrate: UInt64?

  @Option(help: ArgumentHelp("End after so many seconds; default: never.", valueName: "n"), transform: { try Arguments.seconds($0) })
  var seconds: Double?

  @Option(
    help: ArgumentHelp("End when so many frames were received and rendered; default: never.", valueName: "n"),
    transform: { try Arguments.frames($0) })
  var frames: UInt64?

  @Option(
    help: ArgumentHelp(
      "What the network is like, separated by commas: bandwidth=BITS a second (default 0: unlimited), delay=MS and jitter=MS "
        + "(milliseconds, default 0), loss=PERCENT of the packets of 1200 bytes (default 0). Default: a perfect one.",
      valueName: "spec"), transform: { try Arguments.network($0) })
  var network: NetworkScript.Step?

  @Option(help: ArgumentHelp("For the random numbers of the network.", valueName: "n"))
  var seed: UInt64 = 1

  @Option(help: ArgumentHelp("Load plugins from this directory first. May be given several times.", valueName: "dir"))
  var plugins: [String] = []

  @Option(
    help: ArgumentHelp(
      "Set what this JSON file has, written by msdk params, on every instance of its class, before what the item says. May be given "
        + "several times.", valueName: "file"))
  var params: [String] = []

  func validate() throws {
    if seconds != nil, frames != nil { throw ValidationError("--seconds and --frames are both given; accepted: one of them") }
    if sound, size != nil || fps != nil || bitrate != nil || frames != nil || network != nil {
      throw ValidationError("--sound goes without --size, --fps, --bitrate, --frames and --network")
    }
    if codec == .none, bitrate != nil { throw ValidationError("--bitrate is given with --codec none; accepted: with a codec") }
  }

  func run() throws {
    let plan = RunPlan(
      producer: producer, renderers: renderer, filters: filter.flatMap { $0 }, codec: codec, size: size, frameRate: fps, bitrate: bitrate,
      seconds: seconds, frames: frames, network: network, seed: seed, plugins: plugins, parameterFiles: params)
    guard try sound ? SoundRun(plan: plan).perform() : Run(plan: plan).perform() else { throw ExitCode(1) }
  }
}
