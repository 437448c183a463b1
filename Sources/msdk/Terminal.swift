import Glibc

/// Results go to standard output, faults to standard error, a line each.
enum Terminal {
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

  static func complain(_ text: String) {
    let line = "msdk: \(oneLine(ToolWords.own(text)))\n"
    // What was printed before comes before it.
    fflush(nil)
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  /// Prints at once, also into a pipe.
  static func show(_ text: String, terminator: String = "\n") {
    print(text, terminator: terminator)
    fflush(nil)
  }

  /// A plugin's text may hold anything: nothing of it shall steer the terminal.
  static func oneLine(_ text: String) -> String {
    var line = String.UnicodeScalarView()
    for scalar in text.unicodeScalars {
      let isControl = scalar.value < 32 || (127..<160).contains(scalar.value)
      line.append(isControl ? " " : scalar)
    }
    return String(line)
  }
}
