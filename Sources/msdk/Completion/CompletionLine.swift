import MediaCore

/// The words of a command line before the one that is completed, as far as they make sense.
struct CompletionLine {
  private(set) var command: CommandGrammar
  /// The command's name with those of the commands that it is below: ["plugin", "check"].
  private(set) var path: [String] = []
  private(set) var positionals: [String] = []
  /// The option whose value comes next.
  private(set) var pending: CommandGrammar.Argument?
  /// After "--" there are no options.
  private(set) var hasOptions = true
  private var values: [(option: String, value: String)] = []

  /// Without the program's name.
  init(_ words: some Sequence<String>, _ root: CommandGrammar) {
    command = root
    for word in words { take(word) }
  }

  private mutating func take(_ word: String) {
    if let option = pending {
      pending = nil
      return note(option, word)
    }
    guard hasOptions, word.hasPrefix("-"), word.count > 1 else { return takePositional(word) }
    if word == "--" {
      hasOptions = false
      return
    }
    let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
    guard let option = command.option(parts[0]) else { return }
    if parts.count > 1 {
      note(option, parts[1])
    } else if option.value == nil {
      note(option, "")
    } else {
      pending = option
    }
  }

  private mutating func takePositional(_ word: String) {
    // What follows "help" is not entered: its options are not those of the command that help is wanted of.
    guard positionals.isEmpty, let next = command.command(word) else { return positionals.append(word) }
    command = next
    path.append(word)
  }

  private mutating func note(_ option: CommandGrammar.Argument, _ value: String) {
    for name in option.names { values.append((name, value)) }
  }

  func has(_ name: String) -> Bool { values.contains { $0.option == name } }
  func values(of name: String) -> [String] { values.filter { $0.option == name }.map(\.value) }

  /// Options that can still be given.
  var freeOptions: [CommandGrammar.Argument] {
    command.options.filter { option in option.isRepeating || !option.names.contains { has($0) } }
  }

  var nextPositional: CommandGrammar.Argument? {
    if positionals.count < command.positionals.count { return command.positionals[positionals.count] }
    return command.positionals.last { $0.isRepeating }
  }
}
