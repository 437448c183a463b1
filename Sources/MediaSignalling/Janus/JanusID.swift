import MediaCore

/// The id of a room or a participant of Janus's VideoRoom: a number, or a text where the server is configured with `string_ids`.
public enum JanusID: Hashable, Sendable, CustomStringConvertible {
  case number(UInt64)
  case text(String)

  /// In bytes, of a text.
  public static let longest = 255

  /// As a URL or a user id has it: digits alone are a number. nil for an empty or too long text, and for one with a control character.
  public init?(_ text: String) {
    if let number = UInt64(text), text.utf8.first != UInt8(ascii: "+") {
      self = .number(number)
    } else {
      guard JanusID.isText(text) else { return nil }
      self = .text(text)
    }
  }

  init?(_ json: JSON?) {
    switch json {
    case .integer(let value)?:
      guard let number = UInt64(exactly: value) else { return nil }
      self = .number(number)
    case .text(let text)?:
      guard JanusID.isText(text) else { return nil }
      self = .text(text)
    default: return nil
    }
  }

  private static func isText(_ text: String) -> Bool {
    (1...longest).contains(text.utf8.count) && text.utf8.allSatisfy { $0 >= 32 && $0 != 127 }
  }

  /// The number in digits, or the text.
  public var description: String {
    switch self {
    case .number(let number): "\(number)"
    case .text(let text): text
    }
  }

  var json: JSON {
    switch self {
    case .number(let number): .whole(number)
    case .text(let text): .text(text)
    }
  }
}

/// A stream that a participant publishes: whose, and the name of its section at the server.
public struct JanusSource: Hashable, Sendable {
  /// The participant.
  public let feed: JanusID
  /// Of the publisher's description, as the server has it.
  public let mid: String

  /// Nothing is checked.
  public init(_ feed: JanusID, mid: String) { (self.feed, self.mid) = (feed, mid) }

  /// As requests name it.
  var json: JSON { .object([("feed", feed.json), ("mid", .text(mid))]) }
}
