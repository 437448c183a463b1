/// What an access token of LiveKit says of whom it is for (the claims of the token, https://docs.livekit.io/home/get-started/authentication).
public struct LiveKitGrants: Sendable, Equatable {
  /// Who they are: unique in the room. 1 to 256 bytes for somebody who joins.
  public var identity: String
  /// What they are called. Empty: nothing.
  public var name: String
  /// Text that everybody in the room may read. Empty: none.
  public var metadata: String
  /// Texts by their keys that everybody in the room may read.
  public var attributes: [String: String]
  /// They may join `room`.
  public var joins: Bool
  /// They may remove and mute others in `room`, by the server's API.
  public var isAdministrator: Bool
  /// They may ask which rooms there are.
  public var listsRooms: Bool
  /// nil: any, where the server accepts that.
  public var room: String?
  /// They may send tracks.
  public var publishes: Bool
  /// They may receive tracks.
  public var subscribes: Bool
  /// They may send data. nil: if they may send tracks.
  public var publishesData: Bool?
  /// What tracks may be of: "camera", "microphone", "screen_share", "screen_share_audio". Empty: everything.
  public var sources: [String]
  /// They may change their name, metadata and attributes.
  public var updatesMetadata: Bool
  /// Nobody is told of them.
  public var isHidden: Bool

  /// Somebody who may join, send and receive.
  public init(identity: String, room: String?) {
    (self.identity, self.room) = (identity, room)
    (name, metadata, attributes, sources, publishesData) = ("", "", [:], [], nil)
    (joins, publishes, subscribes) = (true, true, true)
    (isAdministrator, listsRooms, updatesMetadata, isHidden) = (false, false, false, false)
  }
}
