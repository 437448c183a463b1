import MediaCore
import MediaPlugins
import MediaSDK
import MediaTransport

/// Completes the last word of a command line. Classes and their parameters are asked of the plugins that the command line would load; only
/// where such a thing is completed are plugins loaded.
struct Completer {
  private let line: CompletionLine
  private let root: CommandGrammar

  init(_ words: some Sequence<String>) throws(MediaError) {
    root = try CommandGrammar.tool()
    line = CompletionLine(words, root)
  }

  func complete(_ word: String) -> Completion {
    if let option = line.pending { return values(of: option, word).beginning(with: word) }
    if line.hasOptions, word.hasPrefix("-") { return option(word) }
    if line.path == ["help"] { return help.beginning(with: word) }
    if !line.command.commands.isEmpty, line.positionals.isEmpty { return Completer.commands(line.command).beginning(with: word) }
    if let argument = line.nextPositional { return values(of: argument, word).beginning(with: word) }
    return word.isEmpty && line.hasOptions ? options : .nothing
  }

  // MARK: Commands and options

  private static func commands(_ command: CommandGrammar) -> Completion {
    Completion(kind: .words, candidates: command.commands.map { .init(text: $0.name, summary: $0.summary) })
  }

  private var help: Completion {
    let command = line.positionals.reduce(Optional(root)) { $0?.command($1) }
    return command.map(Completer.commands) ?? .nothing
  }

  private var options: Completion {
    let candidates = line.freeOptions.flatMap { option in option.names.map { Completion.Candidate(text: $0, summary: option.summary) } }
    return Completion(kind: .words, candidates: candidates)
  }

  /// An option's name, or with an equals sign its value.
  private func option(_ word: String) -> Completion {
    guard let equals = word.firstIndex(of: "=") else { return options.beginning(with: word) }
    guard let option = line.command.option(String(word[..<equals])), option.value != nil else { return .nothing }
    let (name, value) = (String(word[...equals]), String(word[word.index(after: equals)...]))
    return values(of: option, value).after(name, of: value).beginning(with: word)
  }

  // MARK: Values

  /// By what the help calls them. Tests/Tool/test_completions.py has a list of these, too, so that none is forgotten.
  private func values(of argument: CommandGrammar.Argument, _ word: String) -> Completion {
    if !argument.choices.isEmpty, argument.value != "codec" { return .words(argument.choices) }
    switch argument.value {
    case "dir": return .directories
    case "file", "clip": return .files
    case "item": return items(argument, word, isList: false)
    case "items": return items(argument, word, isList: true)
    case "class": return withPlugins { Completer.classNames($0, word) }
    case "key=value": return withPlugins { ItemCompletion.settings(of: line.positionals.first ?? "", in: $0, word) }
    case "codec": return .words(line.path == ["run"] ? argument.choices : [Codec.vp8.name])
    case "check": return .words(CheckRun.checks.map(\.id))
    case "check=reason": return .open(CheckRun.checks.map { "\($0.id)=" })
    case "WxH": return .words(["1920x1080", "1280x720", "960x540", "640x480", "640x360", "320x180"])
    case "rate": return .words(["60", "30", "25", "15", "10", "5", "30000/1001"])
    case "spec": return network(word)
    case "url":
      return .open(
        Transports.all.filter { $0.features.contains(.network) && !$0.features.contains(.negotiation) }.flatMap { factory in
          ["\(factory.scheme)://"] + (factory.features.contains(.descriptions) ? ["\(factory.scheme):"] : [])
        })
    case "pid": return .words(StatsPlace.directory.map { StatsPlace.processes(in: $0).map { "\($0)" } } ?? [])
    case "address", "host": return .words(["127.0.0.1"] + LocalAddresses.reachable("0.0.0.0") + LocalAddresses.reachable("::"))
    default: return .nothing
    }
  }

  private func network(_ word: String) -> Completion {
    let given = word.split(separator: ",", omittingEmptySubsequences: false).map(String.init)
    let before = given.dropLast().map { "\($0)," }.joined()
    guard given.last?.contains("=") != true else { return .nothing }
    return .open(
      ["bandwidth=", "delay=", "jitter=", "loss="].filter { name in !given.contains { $0.hasPrefix(name) } }.map { before + $0 })
  }

  private func items(_ argument: CommandGrammar.Argument, _ word: String, isList: Bool) -> Completion {
    let isSound =
      argument.names.contains { $0.hasSuffix("sound") || $0.hasPrefix("--sound-") } || line.path == ["run"] && line.has("--sound")
    let role: PluginItem.Role =
      if argument.names.contains(where: { $0.hasSuffix("renderer") }) {
        isSound ? .soundRenderer : .renderer
      } else if argument.names.contains("--filter") {
        isSound ? .soundFilter : .filter
      } else {
        isSound ? .soundProducer : .producer
      }
    return withPlugins { ItemCompletion(role: role, isList: isList, engine: $0).complete(word) }
  }

  private static func classNames(_ engine: Engine, _ word: String) -> Completion {
    let classes = engine.plugins.classes
    let short = classes.map { Completion.Candidate(text: String($0.id.split(separator: ".").last ?? ""), summary: $0.summary) }
    let full = classes.map { Completion.Candidate(text: $0.id, summary: $0.summary) }
    return Completion(kind: .words, candidates: word.contains(".") ? full : short + full.filter { !$0.text.hasPrefix("org.mediasdk.") })
  }

  /// Of a failure nothing is said: whoever presses a key wants a completion, or none.
  private func withPlugins(_ body: (Engine) -> Completion) -> Completion {
    let engine = Engine()
    defer { engine.close() }
    ToolLog.show(of: engine, isQuiet: true)
    _ = try? PluginPlaces(loadingInto: engine, given: line.values(of: "--plugins"))
    return body(engine)
  }
}
