/// What one connection takes of the other end.
public struct HTTPLimits: Sendable {
  /// Bytes of the first line.
  public var startLine = 8_192
  /// Lines of header fields, and as many again of trailers.
  public var fields = 100
  /// Bytes of all header fields, and as many again of trailers.
  public var fieldBytes = 32_768
  /// Bytes of a body, without what frames it. A session description has at most 65,536.
  public var body = 262_144
  /// Nanoseconds from the first byte of a request's head to its last, and from the beginning of a connection to a server. Of a client: from
  /// its request to the last byte of the response's head.
  public var headTime: Int64
  /// Nanoseconds for a body.
  public var bodyTime: Int64 = 30_000_000_000
  /// Nanoseconds between a response and the next request, of a server.
  public var idleTime: Int64 = 60_000_000_000
  /// Of one connection to a server.
  public var requests = 1_000

  /// For a server, to which strangers come.
  public static let server = HTTPLimits(headTime: 10_000_000_000)
  /// For a client. Who asks a server that keeps the answer until something happens allows more time for the head.
  public static let client = HTTPLimits(headTime: 30_000_000_000)

  /// Bytes of requests that a server keeps until it has answered the one before.
  static let waiting = 65_536
  /// Responses before the one that counts (1xx) to one request.
  static let informational = 16
  /// Bytes of a line with a chunk's size and its extensions.
  static let chunkLine = 1_024
}
