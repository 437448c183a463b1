import MediaRTP

/// A stream that goes out over a network, and the network path that it shares with others, of one moment.
public struct OutboundSnapshot: Sendable {
  public var stream: OutboundStreamStats
  public let path: TransportPathStats
}

/// A stream that comes in.
public struct InboundSnapshot: Sendable {
  public let stream: InboundStreamStats
  public let path: TransportPathStats
}
