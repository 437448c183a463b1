import ArgumentParser
import MediaCore

/// What the shells' scripts ask, with every press of the key: the words of the command line up to the one that is completed, the program's name
/// among them. It fails silently.
struct CompleteCommand: ParsableCommand {
  static let configuration = CommandConfiguration(
    commandName: "complete", abstract: "Completes a command line, for the scripts of msdk completions.", shouldDisplay: false)

  @Argument(parsing: .postTerminator, help: ArgumentHelp("The arguments, after --, beginning with the program.", valueName: "argument"))
  var words: [String] = []

  func run() throws {
    guard words.count > 1, let last = words.last, let completer = try? Completer(words.dropFirst().dropLast()) else { return }
    print(completer.complete(last).lines.joined(separator: "\n"))
  }
}
