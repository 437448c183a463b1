import MediaRTP
import MediaTransport

public struct SessionStats: Sendable {
  public var state: SessionState
  public var availableOutgoingBitrate: UInt64
  public var transport: TransportStats
  public var eventsQueued: UInt64
  public var eventsDropped: UInt64
  public var participants: Int
  public var outgoingQuality: NetworkQuality.Grade
  public var incomingQuality: NetworkQuality.Grade
}
