import MediaCore

/// Another participant of a room of LiveKit, as its server tells a client of them.
public struct LiveKitOther: Sendable, Equatable {
  /// At the server, for as long as they are in the room.
  public let sid: String
  /// The user id.
  public let identity: String
  /// For people; it may be empty.
  public let name: String
  /// What they say of themselves.
  public let attributes: [String: String]
  /// What they publish.
  public let tracks: [LiveKitTrack]

  /// nil for one that cannot be reported: without a name of a bearable length, or with too many tracks.
  init?(_ info: LiveKitParticipant) {
    guard (1...255).contains(info.identity.utf8.count), (1...64).contains(info.sid.utf8.count), info.tracks.count <= LiveKitOther.mostTracks
    else { return nil }
    (sid, identity, attributes) = (info.sid, info.identity, info.attributes)
    name = JanusParticipant.shown(info.name)
    tracks = info.tracks.filter { (1...64).contains($0.sid.utf8.count) && $0.type != .data }.map { LiveKitTrack($0) }
  }

  private static let mostTracks = 256
}
