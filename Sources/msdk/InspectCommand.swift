import ArgumentParser
import MediaCore
import MediaSDK

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows versions, plugins with their classes, parameters and commands, limits and codecs.",
    discussion: """
      Of every class: what it is, its parameters (type, default, what is accepted, when it may be set), its commands, and the formats that \
      a producer offers. For these a producer is initialised, which may open its device; one that needs a parameter first is not asked.

      Examples:
        msdk inspect
        msdk inspect testpattern
        msdk inspect --plugins ./build org.example.producer.gradient
        msdk inspect --json

      A file of a directory is loaded when a process of its own could load it; what that process did is remembered until the file changes. \
      --rescan asks anew. MSDK_PLUGIN_DISABLE has globs of file names or classes to leave out; MSDK_PLUGIN_SAFE_MODE=1 leaves out all that \
      did not come with the SDK.
      """)

  @Option(help: ArgumentHelp("Load plugins from this directory first. May be given several times.", valueName: "dir"))
  var plugins: [String] = []

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Look at every plugin file anew.")
  var rescan = false

  @Argument(
    help: ArgumentHelp("Show this class only: its full name, or what follows org.mediasdk.producer. or .renderer.", valueName: "class"))
  var className: String?

  func run() throws {
    let engine = Engine()
    defer { engine.close() }
    let places = try PluginPlaces(loadingInto: engine, given: plugins, rescan: rescan)
    let inspection = try Inspection(engine, places, only: className)
    print(json ? inspection.json.rendered() : className == nil ? inspection.text : inspection.classTexts)
  }
}
