import MediaCore

/// What one look at this machine has found.
struct Finding {
  enum State: String {
    case ok
    /// It is not here, or not allowed; what does not need it works.
    case absent
    /// It is here, or was asked for, and does not work.
    case broken
    /// It cannot be found out from here.
    case unknown

    var text: String { self == .absent ? "not here" : rawValue }

    var colour: Colour {
      switch self {
      case .ok: .green
      case .absent: .yellow
      case .broken: .red
      case .unknown: .cyan
      }
    }
  }

  let id: String
  let state: State
  let text: String
  /// What to do to have it.
  let advice: String?

  private init(_ id: String, _ state: State, _ text: String, _ advice: String?) {
    (self.id, self.state, self.text, self.advice) = (id, state, text, advice)
  }

  static func ok(_ id: String, _ text: String) -> Finding { Finding(id, .ok, text, nil) }
  static func absent(_ id: String, _ text: String, _ advice: String) -> Finding { Finding(id, .absent, text, advice) }
  static func broken(_ id: String, _ text: String, _ advice: String) -> Finding { Finding(id, .broken, text, advice) }
  static func unknown(_ id: String, _ text: String, _ advice: String) -> Finding { Finding(id, .unknown, text, advice) }

  func lines(_ width: Int) -> String {
    let first = "\(state.colour.painted(state.text.padded(to: 8)))  \(id.padded(to: width))  \(Terminal.oneLine(text))"
    return advice.map { "\(first)\n\("".padded(to: width + 12))to do: \(Terminal.oneLine($0))" } ?? first
  }

  var json: JSON {
    .object([("id", .text(id)), ("state", .text(state.rawValue)), ("text", .text(text)), ("advice", advice.map { .text($0) } ?? .null)])
  }
}
