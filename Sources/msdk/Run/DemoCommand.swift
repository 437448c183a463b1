import ArgumentParser
import Glibc
import MediaCore

struct DemoCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "demo",
    abstract: "Sends a clip as VP8, and renders it in black and white.",
    discussion: """
      Writes bw.png, the 60th frame, and bw.y4m, the first 50 frames. The equivalent msdk run command is printed.

      Examples:
        msdk demo
        msdk run --producer testpattern:counter --frames 60 --renderer file:clip.ivf
        msdk demo --input clip.ivf --output demo
      """)

  private static let clipOfSourceTree = "Tests/Media/bunny-720p25.ivf"
  private static let secondsOfPattern = 5.0

  @Option(
    help: ArgumentHelp(
      "A clip: Y4M, or IVF with VP8. Default: \(clipOfSourceTree), or if it does not exist, five seconds of a test pattern.",
      valueName: "clip"))
  var input: String?

  @Option(help: ArgumentHelp("Where to write; created if needed.", valueName: "dir"))
  var output = "out"

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  func run() throws {
    guard !output.isEmpty else { throw MediaError(.invalid, "--output is empty; accepted: the name of a directory") }
    try DemoCommand.makeDirectory(output)
    let clip = input ?? (access(DemoCommand.clipOfSourceTree, R_OK) == 0 ? DemoCommand.clipOfSourceTree : nil)
    let writers = [
      PluginItem(name: "file", value: "\(output)/bw.png", settings: [.init(key: "frame", value: "60")]),
      PluginItem(name: "file", value: "\(output)/bw.y4m", settings: [.init(key: "max_frames", value: "50")])
    ]
    var plan = RunPlan(producer: PluginItem(name: clip == nil ? "testpattern" : "file", value: clip ?? "counter"))
    plan.renderers = [[PluginItem(name: "bw")] + writers]
    plan.seconds = clip == nil ? DemoCommand.secondsOfPattern : nil
    plan.plugins = plugins
    tell(plan)
    guard try Run(plan: plan).perform() else { throw ExitCode(1) }
    Terminal.show("image: \(output)/bw.png\nvideo: \(output)/bw.y4m")
  }

  private func tell(_ plan: RunPlan) {
    let what = plan.producer.name == "file" ? "the clip \(plan.producer.value ?? "")" : "a test pattern"
    Terminal.show(
      Terminal.oneLine("Two participants join a room in this process. One sends \(what) as VP8; the other receives it,")
        + "\ndecodes it, and renders it in black and white as an image and a video. The equivalent command:\n")
    var words = ["msdk", "run", "--producer", plan.producer.text]
    words += plan.renderers.flatMap { ["--renderer", $0.map(\.text).joined(separator: ",")] }
    words += plan.seconds.map { ["--seconds", $0.shortText] } ?? []
    words += plugins.flatMap { ["--plugins", $0] }
    Terminal.show("  \(Terminal.oneLine(words.map(DemoCommand.quoted).joined(separator: " ")))\n")
  }

  /// For the shell.
  private static func quoted(_ word: String) -> String {
    let isPlain = word.utf8.allSatisfy { byte in
      ("a"..."z").contains(Unicode.Scalar(byte)) || ("A"..."Z").contains(Unicode.Scalar(byte)) || ("+"...":").contains(Unicode.Scalar(byte))
        || byte == UInt8(ascii: "_") || byte == UInt8(ascii: "=")
    }
    return isPlain && !word.isEmpty ? word : "'\(word.split(separator: "'", omittingEmptySubsequences: false).joined(separator: "'\\''"))'"
  }

  private static func makeDirectory(_ path: String) throws(MediaError) {
    let parts = path.split(separator: "/", omittingEmptySubsequences: true)
    var directory = path.hasPrefix("/") ? "" : "."
    for part in parts {
      directory += "/\(part)"
      guard mkdir(directory, 0o777) != 0, errno != EEXIST, errno != EISDIR else { continue }
      throw MediaError(.io, "the directory \(path) cannot be created: \(String(cString: strerror(errno)))")
    }
  }
}
