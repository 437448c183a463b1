import MediaRTP
import MediaTransport

/// The stats of the current connection; events are counted since the session was made.
public struct SessionStats: Sendable {
  /// Where the session is between connecting and leaving.
  public var state: SessionState
  /// The bandwidth estimate in bits a second; 0: unlimited.
  public var availableOutgoingBitrate: UInt64
  /// Of the current transport; all 0 without one.
  public var transport: TransportStats
  /// All events so far, those that were dropped included.
  public var eventsQueued: UInt64
  /// The oldest ones of a full queue.
  public var eventsDropped: UInt64
  /// In the room, this user included; 0 while not connected.
  public var participants: Int
  /// Of what the session sends; `.unknown` without a network.
  public var outgoingQuality: NetworkQuality.Grade
  /// Of what the session receives; `.unknown` without a network.
  public var incomingQuality: NetworkQuality.Grade
}
