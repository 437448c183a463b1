import ArgumentParser
import MediaCore
import MediaSDK

struct InspectCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "inspect",
    abstract: "Shows versions, plugins, classes, limits and codecs in short; or one class in full.",
    discussion: """
      Without a name, it prints a line for each class. With a name, and for all classes with --json, it prints what the class is, its \
      parameters (type, default, accepted values, when they may be set), its commands, and the formats that a producer offers. To list \
      formats a producer is initialised, which may open its device; a producer with a required parameter is not initialised.

      Examples:
        msdk inspect
        msdk inspect testpattern
        msdk plugin new gradient
        make -C gradient
        msdk inspect --plugins gradient org.example.gradient
        msdk inspect --json

      A plugin file is loaded if a separate process could load it; that result is cached until the file changes. --rescan repeats the \
      test. MSDK_PLUGIN_DISABLE has globs of file names or classes to skip; MSDK_PLUGIN_SAFE_MODE=1 skips everything that is not part of \
      the SDK.
      """)

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  @Flag(help: "Print JSON.")
  var json = false

  @Flag(help: "Examine every plugin file again.")
  var rescan = false

  @Argument(
    help: ArgumentHelp("Show only this class: its full name, or the last part of it, for example testpattern or vp8.", valueName: "class"))
  var className: String?

  func run() throws {
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine, isQuiet: true)
    let places = try PluginPlaces(loadingInto: engine, given: plugins, rescan: rescan)
    let inspection = try Inspection(engine, places, only: className, hasDetails: json || className != nil)
    print(json ? inspection.json.rendered() : className == nil ? inspection.text : inspection.classTexts)
  }
}
