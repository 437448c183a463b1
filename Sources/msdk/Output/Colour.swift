import Glibc

/// Colours, on terminals only, and not where NO_COLOR is set (no-color.org) or the terminal is a dumb one.
enum Colour: String {
  case red = "31"
  case green = "32"
  case yellow = "33"
  case cyan = "36"
  case bold = "1"

  private static let isWanted: Bool = {
    let refusal = getenv("NO_COLOR").map { String(cString: $0) } ?? ""
    return refusal.isEmpty && !Terminal.isDumb
  }()

  func painted(_ text: String, on descriptor: Int32 = STDOUT_FILENO) -> String {
    Colour.isWanted && isatty(descriptor) == 1 ? "\u{1B}[\(rawValue)m\(text)\u{1B}[0m" : text
  }
}
