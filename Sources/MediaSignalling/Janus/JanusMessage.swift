import MediaCore

/// A message of Janus, as far as a client of VideoRoom reads it.
struct JanusMessage {
  /// "success", "ack", "event", "error", "hangup", …
  let kind: String
  /// nil: it answers no request.
  let transaction: String?
  let session: UInt64?
  /// The handle that it is of.
  let sender: UInt64?
  /// Of the plugin; null if there is none.
  let data: JSON
  /// A description: "offer" or "answer", and its text.
  let jsep: (type: String, sdp: String)?
  /// The whole.
  let json: JSON

  /// Bytes of what comes at once.
  static let longest = 262_144
  /// Values in it, of all levels.
  static let mostValues = 16_384
  /// Messages in it: over HTTP several may come together.
  static let mostTogether = 64
  static let longestSDP = 65_536

  /// One message, or a list. Throws `.corrupt` and `.limit`.
  static func read(_ bytes: [UInt8]) throws(MediaError) -> [JanusMessage] {
    guard bytes.count <= longest else {
      throw MediaError(.limit, "Janus: a message has \(bytes.count) bytes; accepted: at most \(longest)")
    }
    let json = try JSONReader.read(bytes, name: "a message of Janus", mostValues: mostValues)
    guard case .array(let list) = json else { return [try JanusMessage(json)] }
    guard list.count <= mostTogether else {
      throw MediaError(.limit, "Janus: \(list.count) messages come at once; accepted: at most \(mostTogether)")
    }
    var messages: [JanusMessage] = []
    for one in list { messages.append(try JanusMessage(one)) }
    return messages
  }

  private init(_ json: JSON) throws(MediaError) {
    guard let kind = json.member("janus")?.string else {
      throw MediaError(.corrupt, "Janus: a message has no member \"janus\"; is it a server of Janus?")
    }
    (self.kind, self.json) = (kind, json)
    transaction = json.member("transaction")?.string
    (session, sender) = (json.member("session_id")?.whole(UInt64.self), json.member("sender")?.whole(UInt64.self))
    data = json.member("plugindata")?.member("data") ?? .null
    if let type = json.member("jsep")?.member("type")?.string, let sdp = json.member("jsep")?.member("sdp")?.string {
      guard sdp.utf8.count <= JanusMessage.longestSDP else {
        throw MediaError(.limit, "Janus: a description has \(sdp.utf8.count) bytes; accepted: at most \(JanusMessage.longestSDP)")
      }
      jsep = (type, sdp)
    } else {
      jsep = nil
    }
  }

  /// What went wrong, as the server or the room says it; nil: nothing.
  func failure(doing what: String) -> SignallingFailure? {
    if let error = json.member("error"), kind == "error" {
      return JanusFailure.of(error.member("code")?.whole(Int.self) ?? 0, error.member("reason")?.string ?? "", by: .server, doing: what)
    }
    guard let code = data.member("error_code")?.whole(Int.self) else { return nil }
    return JanusFailure.of(code, data.member("error")?.string ?? "", by: .room, doing: what)
  }
}
