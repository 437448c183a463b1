import Glibc
import MediaCore

/// Results go to standard output, faults to standard error, a line each.
enum Terminal {
  static var isInteractive: Bool { isatty(STDOUT_FILENO) == 1 }

  /// A line of progress stands on the terminal, and is not ended.
  private static let hasOpenLine = Monitor(false)

  static func complain(_ text: String) {
    let text = NextStep.added(to: oneLine(ToolWords.own(text)))
    let warning = "warning: "
    let (kind, rest) = text.hasPrefix(warning) ? (warning, String(text.dropFirst(warning.count))) : ("", text)
    let colour: Colour = kind.isEmpty && !text.hasPrefix("info: ") && !text.hasPrefix("debug: ") ? .red : .yellow
    let line = "\(colour.painted("msdk: \(kind)", on: STDERR_FILENO))\(rest)\n"
    endLine(leaving: false)
    // What was printed before comes before it.
    flush()
    _ = line.withCString { write(STDERR_FILENO, $0, strlen($0)) }
  }

  // MARK: One line

  /// On a terminal in the place of the one before, as much of it as fits; else as a line of its own.
  static func showProgress(_ line: String) {
    guard isInteractive, !isDumb else { return show(line) }
    hasOpenLine.withLock { $0 = true }
    // Back to the beginning, and nothing is left of a longer one.
    show("\r\(line.prefix(max(1, width - 1)))\u{1B}[K", terminator: "")
  }

  /// The line of progress stays, or makes room for what is more important.
  static func endLine(leaving: Bool = true) {
    let wasOpen = hasOpenLine.withLock { isOpen in
      defer { isOpen = false }
      return isOpen
    }
    if wasOpen { show(leaving ? "" : "\r\u{1B}[K", terminator: leaving ? "\n" : "") }
  }

  /// Nothing can be erased there.
  static var isDumb: Bool { getenv("TERM").map { ["", "dumb"].contains(String(cString: $0)) } ?? true }

  static var width: Int {
    var size = winsize()
    return ioctl(STDOUT_FILENO, UInt(TIOCGWINSZ), &size) == 0 && size.ws_col > 0 ? Int(size.ws_col) : 80
  }

  /// Prints at once, also into a pipe.
  static func show(_ text: String, terminator: String = "\n") {
    print(text, terminator: terminator)
    flush()
  }

  /// Why standard output did not take something; 0: it took all.
  private static let outputError = Monitor(Int32(0))

  /// Why something that was printed is lost, now or earlier; nil: nothing is. What is flushed in vain is forgotten by the library of C.
  @discardableResult
  static func flush() -> Int32? {
    let error = fflush(nil) == 0 ? 0 : errno
    return outputError.withLock { first in
      if first == 0 { first = error }
      return first == 0 ? nil : first
    }
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
