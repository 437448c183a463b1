import MediaCore

/// What a page says over its WebSocket: an object of JSON (RFC 8259) whose values are texts, numbers and truth values.
///
///     {"type": "join", "user": "alice", "name": "Alice", "token": "…"}     first; all but the type may be missing
///     {"type": "mute", "muted": true}
///     {"type": "leave"}
enum PageMessage: Equatable {
  case join(user: String?, name: String?, token: String)
  case mute(Bool)
  case leave

  /// Bytes of one message.
  static let longest = 8_192
  /// In a second, and at once; more end the connection.
  static let perSecond = 20.0
  static let burst = 100.0

  /// Throws `.corrupt` for what is none.
  init(parsing text: String) throws(MediaError) {
    let fields = try FlatJSON.read(text)
    switch fields["type"] {
    case .text("join"):
      self = .join(
        user: try PageMessage.text("user", fields), name: try PageMessage.text("name", fields),
        token: try PageMessage.text("token", fields) ?? "")
    case .text("mute"):
      guard case .bool(let isMuted)? = fields["muted"] else { throw PageMessage.wrong("mute without muted") }
      self = .mute(isMuted)
    case .text("leave"): self = .leave
    default: throw PageMessage.wrong("no type that is known; accepted: join, mute, leave")
    }
  }

  /// nil: missing, or empty.
  private static func text(_ name: String, _ fields: [String: FlatJSON.Value]) throws(MediaError) -> String? {
    switch fields[name] {
    case nil, .null: return nil
    case .text(let text): return text.isEmpty ? nil : text
    default: throw wrong("\(name) that is not a text")
    }
  }

  private static func wrong(_ what: String) -> MediaError { MediaError(.corrupt, "the page sent a message with \(what)") }
}
