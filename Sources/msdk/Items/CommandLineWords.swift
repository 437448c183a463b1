import ArgumentParser

/// The words of a command line, looked at before and after ArgumentParser does.
struct CommandLineWords {
  /// As they are parsed: a negative number behind an option is its value, and no option ("--seconds -1").
  let words: [String]
  /// How often -v was given, which every command takes: it is not among the words.
  let verbosity: Int

  /// Of this process.
  static let own = CommandLineWords(Array(CommandLine.arguments.dropFirst()))

  init(_ all: [String]) {
    let options = all.prefix { $0 != "--" }
    let isVerbose: (String) -> Bool = { $0 == "-v" || $0 == "-vv" || $0 == "--verbose" }
    verbosity = options.filter(isVerbose).reduce(0) { $0 + ($1 == "-vv" ? 2 : 1) }
    let given = options.filter { !isVerbose($0) } + all.dropFirst(options.count)
    var words: [String] = []
    for (index, word) in given.enumerated() {
      guard CommandLineWords.isNegativeNumber(word), index > 0, given[index - 1].hasPrefix("--"), given[index - 1] != "--",
        !given[index - 1].contains("="), let option = words.popLast()
      else {
        words.append(word)
        continue
      }
      words.append("\(option)=\(word)")
    }
    self.words = words
  }

  private static func isNegativeNumber(_ word: String) -> Bool {
    word.hasPrefix("-") && word.dropFirst().first?.isNumber == true
  }

  /// The command that they begin with, as far as there is one: ["plugin", "check"].
  var commandPath: [String] {
    var command: any ParsableCommand.Type = Tool.self
    var path: [String] = []
    for word in words {
      guard let next = command.configuration.subcommands.first(where: { $0.configuration.commandName == word }) else { break }
      command = next
      path.append(word)
    }
    return path
  }

  /// A command or an option that does not exist, and what is meant; nil when all of them do. ArgumentParser may complain of something else
  /// first: of a mistyped "--producer" that one is missing.
  func mistake() -> String? {
    var command: any ParsableCommand.Type = Tool.self
    var path = ["msdk"]
    for word in words.prefix(while: { $0 != "--" }) {
      if word.hasPrefix("--") {
        let name = String(word.prefix { $0 != "=" })
        let known = CommandLineWords.options(of: command)
        guard !known.contains(name) else { continue }
        return "there is no option \(name) of \(path.joined(separator: " "))" + Suggestion.text(for: name, among: known)
      }
      // What is no command of a command that has some is mistyped; behind the last command come its arguments.
      let commands = command.configuration.subcommands
      guard !commands.isEmpty, !word.hasPrefix("-"), word != "help" else { continue }
      guard let next = commands.first(where: { $0.configuration.commandName == word }) else {
        let names = commands.filter { $0.configuration.shouldDisplay }.compactMap { $0.configuration.commandName }
        return "there is no command \"\(word)\" of \(path.joined(separator: " ")); there are \(names.joined(separator: ", "))"
          + Suggestion.text(for: word, among: names)
      }
      command = next
      path.append(word)
    }
    return nil
  }

  /// As the command's help lists them: a line each, which begins with the option's names.
  private static func options(of command: any ParsableCommand.Type) -> [String] {
    Tool.helpMessage(for: command).split(separator: "\n").flatMap { line -> [String] in
      let words = line.split { " ,/".contains($0) }
      return words.first?.hasPrefix("-") == true ? words.filter { $0.hasPrefix("--") }.map(String.init) : []
    }
  }
}
