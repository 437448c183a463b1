/// What one connection of WebSocket takes of the other end, and how it is kept alive.
public struct WebSocketLimits: Sendable {
  /// Bytes of a message, and so of a frame.
  public var message = 1_048_576
  /// Frames of a message.
  public var fragments = 1_024
  /// Nanoseconds from the first byte of a message to its last.
  public var messageTime: Int64 = 60_000_000_000
  /// Bytes of output that were not taken. Messages beyond it are refused.
  public var output = 4_194_304
  /// Nanoseconds without a byte after which a ping is sent; nil: none is.
  public var pingInterval: Int64? = 20_000_000_000
  /// Nanoseconds after a ping without a byte, then the connection is given up.
  public var pingTimeout: Int64 = 20_000_000_000
  /// Nanoseconds in which the other end is to answer that this one closes.
  public var closeTime: Int64 = 5_000_000_000

  /// As above.
  public init() {}

  /// Pings that are answered at once, and then each nanoseconds. Of more, the latest is answered (RFC 6455, section 5.5.3).
  static let pings = 32
  static let pingPeriod: Int64 = 100_000_000
}
