/// A room, as clients and administrators are told of it.
public struct LiveKitRoomDescription: Sendable, Equatable {
  var info = LiveKitRoom()

  /// `created`: seconds since 1970.
  public init(sid: String, name: String, created: Int64, mostParticipants: Int) {
    (info.sid, info.name, info.createdAt) = (sid, name, created)
    info.mostParticipants = UInt32(clamping: mostParticipants)
  }

  /// By which a token is of it.
  public var name: String { info.name }
  /// Text that everybody in it may read. Empty: none.
  public var metadata: String {
    get { info.metadata }
    set { info.metadata = newValue }
  }

  /// How many are in it, and how many of these publish something.
  public mutating func count(participants: Int, publishers: Int) {
    (info.participants, info.publishers) = (UInt32(clamping: participants), UInt32(clamping: publishers))
  }
}
