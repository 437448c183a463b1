import MediaRTP

/// A stream that goes out over a network, and the network path that it shares with others, of one moment.
public struct OutboundSnapshot: Sendable {
  /// Of this stream alone.
  public var stream: OutboundStreamStats
  /// Of all streams that share the path.
  public let path: TransportPathStats

  package init(stream: OutboundStreamStats, path: TransportPathStats) { (self.stream, self.path) = (stream, path) }
}

/// A stream that comes in.
public struct InboundSnapshot: Sendable {
  /// Of this stream alone.
  public let stream: InboundStreamStats
  /// Of all streams that share the path.
  public let path: TransportPathStats

  package init(stream: InboundStreamStats, path: TransportPathStats) { (self.stream, self.path) = (stream, path) }
}
