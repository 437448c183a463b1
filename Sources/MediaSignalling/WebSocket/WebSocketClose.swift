import MediaCore

/// How a connection of WebSocket ended (RFC 6455, section 7.1).
public struct WebSocketClose: Sendable, Equatable {
  /// What the other end said; 1005: nothing (section 7.4.1); 1006: it did not close the connection as it should. Where `error` is given,
  /// what was said to it.
  public let code: UInt16
  /// What the other end said, at most 123 bytes.
  public let reason: String
  /// What was wrong; nil: the other end, or this one, closed it as is agreed on.
  public let error: MediaError?

  /// Normal, going away, and what this end says of itself or of the other one.
  public static let normal: UInt16 = 1000
  /// The server or the program ends.
  public static let goingAway: UInt16 = 1001
  /// A message that is not of the protocol above.
  public static let policy: UInt16 = 1008
  static let protocolError: UInt16 = 1002
  static let noText: UInt16 = 1007
  static let tooLarge: UInt16 = 1009
  static let nothingSaid: UInt16 = 1005
  /// The connection ended without being closed (RFC 6455, section 7.4.1).
  public static let abnormal: UInt16 = 1006

  /// Whether an end may say it (RFC 6455, section 7.4, and the registry of IANA).
  static func isSayable(_ code: UInt16) -> Bool {
    switch code {
    case 1000...1003, 1007...1014, 3000...4999: true
    default: false
    }
  }
}

/// Why a connection is failed (RFC 6455, section 7.1.7).
struct WebSocketFailure: Error {
  let code: UInt16
  let error: MediaError

  static func malformed(_ what: String) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.protocolError, error: MediaError(.corrupt, "WebSocket: \(what)"))
  }

  static func noText(_ what: String) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.noText, error: MediaError(.corrupt, "WebSocket: \(what) is not UTF-8"))
  }

  static func tooLarge(_ what: String, _ most: Int) -> WebSocketFailure {
    WebSocketFailure(code: WebSocketClose.tooLarge, error: MediaError(.limit, "WebSocket: \(what); accepted: at most \(most)"))
  }
}
