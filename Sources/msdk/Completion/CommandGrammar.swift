import MediaCore

/// A command with its options and arguments, as ArgumentParser describes it: what can be completed of a command line.
struct CommandGrammar {
  struct Argument {
    /// With their dashes; none for a positional argument.
    var names: [String] = []
    /// What the help calls its value, "file" say; nil: it is a flag.
    var value: String?
    var summary = ""
    var isRepeating = false
    /// All values that it accepts, if it lists them.
    var choices: [String] = []
  }

  let name: String
  let summary: String
  let options: [Argument]
  let positionals: [Argument]
  let commands: [CommandGrammar]

  /// That of the tool, with the options that every command takes (`CommandLineWords`).
  static func tool() throws(MediaError) -> CommandGrammar {
    let document = try JSONReader.read(Array(Tool._dumpHelp().utf8), name: "ArgumentParser's description")
    return CommandGrammar(document["command"] ?? .null)
  }

  private init(_ json: JSON) {
    name = json["commandName"]?.string ?? ""
    summary = json["abstract"]?.string ?? ""
    let arguments = (json["arguments"]?.elements ?? []).filter(CommandGrammar.isShown)
    options =
      arguments.filter { $0["kind"]?.string != "positional" }.map(CommandGrammar.argument)
      + [Argument(names: ["--verbose", "-v", "-vv"], summary: "Print the SDK's log on standard error.", isRepeating: true)]
    positionals = arguments.filter { $0["kind"]?.string == "positional" }.map(CommandGrammar.argument)
    commands = (json["subcommands"]?.elements ?? []).filter(CommandGrammar.isShown).map(CommandGrammar.init)
  }

  private static func isShown(_ json: JSON) -> Bool {
    if case .bool(false)? = json["shouldDisplay"] { false } else { true }
  }

  private static func argument(_ json: JSON) -> Argument {
    var argument = Argument()
    argument.names = (json["names"]?.elements ?? []).map { name in
      (name["kind"]?.string == "long" ? "--" : "-") + (name["name"]?.string ?? "")
    }
    if json["kind"]?.string != "flag" { argument.value = json["valueName"]?.string ?? "" }
    argument.summary = json["abstract"]?.string ?? ""
    if case .bool(true)? = json["isRepeating"] { argument.isRepeating = true }
    argument.choices = (json["allValues"]?.elements ?? []).compactMap(\.string)
    return argument
  }

  func option(_ name: String) -> Argument? { options.first { $0.names.contains(name) } }
  func command(_ name: String) -> CommandGrammar? { commands.first { $0.name == name } }
}
