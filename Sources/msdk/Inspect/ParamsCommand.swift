import ArgumentParser
import MediaCore
import MediaSDK

struct ParamsCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "params",
    abstract: "Sets the parameters of a class, and saves them as JSON for msdk run.",
    discussion: """
      The parameters are set on an instance, so the plugin itself refuses what it does not accept; the device is not opened. Without \
      --save the JSON is printed. Secret parameters are not saved, but their names are printed; write them into the file by hand, or pass \
      them to msdk run.

      Examples:
        msdk params x11 --set source=rectangle --set width=320 --set height=240 \\
          --save screen.json
        msdk params x11 --params screen.json --set fps=30 --save screen.json
        msdk run --producer x11 --params screen.json --seconds 2
      """)

  @Option(help: ArgumentHelp("Begin with the parameters in this file.", valueName: "file"))
  var params: String?

  @Option(
    name: .customLong("set"), help: ArgumentHelp("Set this parameter. Repeatable.", valueName: "key=value"),
    transform: { try ParamsCommand.setting($0) })
  var settings: [PluginItem.Setting] = []

  @Option(help: ArgumentHelp("Write this file, replacing an existing one.", valueName: "file"))
  var save: String?

  @Option(help: ArgumentHelp("Load plugins from this directory first. Repeatable.", valueName: "dir"))
  var plugins: [String] = []

  @Argument(help: ArgumentHelp("The class: its full name, or the last part of it, for example testpattern.", valueName: "class"))
  var className: String

  private static func setting(_ text: String) throws -> PluginItem.Setting {
    guard let equals = text.firstIndex(of: "="), equals > text.startIndex else {
      throw ValidationError("it has no name and equals sign; accepted: key=value")
    }
    return PluginItem.Setting(key: String(text[..<equals]), value: String(text[text.index(after: equals)...]))
  }

  func run() throws {
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine, isQuiet: true)
    try PluginPlaces(loadingInto: engine, given: plugins).warn()
    let fitting = engine.plugins.classes.map(\.id).filter { Inspection.matches($0, className) }
    guard let id = fitting.first else { throw Inspection.noClass(className, in: engine) }
    guard fitting.count == 1 else {
      throw MediaError(.invalid, "\"\(className)\" is \(fitting.joined(separator: " or ")); give the full name")
    }
    let instance = try engine.makeInstance(id)
    defer { instance.destroy() }
    if let params { try ParameterFile(reading: params).apply(to: instance) }
    try PluginItem.set(settings, of: instance)
    let (json, secrets) = try ParameterFile.document(of: instance)
    if let save { try ParameterFile.write(json, to: save) } else { Terminal.show(json.rendered()) }
    if !secrets.isEmpty { Terminal.complain("not saved, because they are secret: \(secrets.joined(separator: ", "))") }
  }
}
