import MediaCore

/// Somebody in a room of Janus, with what they publish. Read from what the server says, and bounded.
public struct JanusParticipant: Sendable, Equatable {
  /// A stream of audio or video that is active.
  public struct Stream: Sendable, Equatable {
    /// Of its section at the server; 1 to 64 bytes.
    public let mid: String
    /// Otherwise it is audio.
    public let isVideo: Bool
    /// In small letters, as "vp8" or "opus"; empty: the server does not say.
    public let codec: String
    /// What the publisher says of it; at most 255 bytes.
    public let text: String
    /// It comes in several sizes, of which one is received (`JanusLayer`).
    public let isSimulcast: Bool
    /// A moderator muted it.
    public let isModerated: Bool
    /// The server hears somebody speak in it.
    public let isTalking: Bool
  }

  /// Unique in the room.
  public let id: JanusID
  /// At most 255 bytes; empty: none was given.
  public internal(set) var name: String
  /// In the server's order.
  public internal(set) var streams: [Stream]

  /// Of one participant.
  static let mostStreams = 32
  private static let longestName = 255

  /// nil for what is no participant.
  init?(_ json: JSON) {
    guard let id = JanusID(json.member("id")) else { return nil }
    self.id = id
    name = JanusParticipant.shown(json.member("display")?.string)
    streams = []
    for one in json.member("streams")?.list ?? [] {
      guard streams.count < JanusParticipant.mostStreams else { break }
      if let stream = Stream(one), !streams.contains(where: { $0.mid == stream.mid }) { streams.append(stream) }
    }
  }

  /// Without control characters, cut between letters.
  static func shown(_ text: String?, longest: Int = longestName) -> String {
    var result = ""
    for scalar in (text ?? "").unicodeScalars where scalar.value >= 32 && scalar.value != 127 {
      guard result.utf8.count + (UTF8.encode(scalar)?.count ?? 0) <= longest else { break }
      result.unicodeScalars.append(scalar)
    }
    return result
  }
}

extension JanusParticipant.Stream {
  /// nil for data, what is not active, and what has no name.
  fileprivate init?(_ json: JSON) {
    guard let type = json.member("type")?.string, type == "video" || type == "audio", json.member("disabled")?.isTrue != true,
      let mid = json.member("mid")?.string, (1...64).contains(mid.utf8.count)
    else { return nil }
    (self.mid, isVideo) = (mid, type == "video")
    codec = JanusParticipant.shown(json.member("codec")?.string, longest: 32)
    text = JanusParticipant.shown(json.member("description")?.string)
    isSimulcast = isVideo && json.member("simulcast")?.isTrue == true
    (isModerated, isTalking) = (json.member("moderated")?.isTrue == true, json.member("talking")?.isTrue == true)
  }
}

extension JSON {
  /// Of an object; nil: it has none of that name, or is no object.
  func member(_ name: String) -> JSON? {
    guard case .object(let members) = self else { return nil }
    return members.first { $0.0 == name }?.1
  }

  var string: String? { if case .text(let text) = self { text } else { nil } }
  var isTrue: Bool { if case .bool(true) = self { true } else { false } }
  var list: [JSON] { if case .array(let values) = self { values } else { [] } }

  /// A whole number that fits.
  func whole<Value: FixedWidthInteger>(_: Value.Type) -> Value? {
    if case .integer(let value) = self { Value(exactly: value) } else { nil }
  }
}
