/// What to try next, at the end of an error.
enum NextStep {
  static func trying(_ command: String, after text: String) -> String {
    text.hasSuffix("?") ? "\(text) Try: \(command)" : "\(text); try: \(command)"
  }

  /// Of devices that are not here the plugins' errors say what is wrong, and know nothing of this tool.
  private static let steps = [
    (
      ["there is no display", "no X display", "the X display", "no X server at display", "not a name of an X display"],
      "msdk doctor. The classes testpattern, file and terminal need no display"
    ),
    (["the sound server"], "msdk doctor. The classes tone and wav need no sound server")
  ]

  static func added(to text: String) -> String {
    let step = steps.first { $0.0.contains { text.contains($0) } }
    guard let step, !text.contains("msdk doctor"), !text.hasPrefix("warning: ") else { return text }
    return trying(step.1, after: text)
  }
}
