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
  /// MSDK_MAY_*; nil: it is not known.
  public let mask: UInt32?

  /// nil for one that cannot be reported: without a name of a bearable length, or with too many tracks.
  init?(_ info: LiveKitParticipant) {
    guard (1...255).contains(info.identity.utf8.count), (1...64).contains(info.sid.utf8.count), info.tracks.count <= LiveKitOther.mostTracks
    else { return nil }
    (sid, identity, mask) = (info.sid, info.identity, info.permissions?.mask)
    name = JanusParticipant.shown(info.name)
    let named = info.attributes.filter { $0.key.utf8.count <= LiveKitOther.longestKey && $0.value.utf8.count <= LiveKitOther.longestValue }
    let kept = named.keys.sorted().prefix(LiveKitOther.mostAttributes)
    attributes = Dictionary(uniqueKeysWithValues: kept.compactMap { key in named[key].map { (key, $0) } })
    tracks = info.tracks.filter { (1...64).contains($0.sid.utf8.count) && $0.type != .data }.map { LiveKitOther.track($0) }
  }

  private static let mostTracks = 256
  /// Of attributes; what is beyond is not reported.
  private static let mostAttributes = 64
  private static let (longestKey, longestValue) = (63, 1_023)

  /// What is kept of it: others are many, and may say much.
  private static func track(_ info: LiveKitTrackInfo) -> LiveKitTrack {
    var kept = LiveKitTrackInfo()
    (kept.sid, kept.type, kept.isMuted, kept.source) = (info.sid, info.type, info.isMuted, info.source)
    (kept.width, kept.height, kept.encryption, kept.format) = (info.width, info.height, info.encryption, info.format)
    if info.type == .video { kept.trailers = LiveKitTrailerFeature.allCases.filter(info.trailers.contains) }
    kept.mimeType = info.mimeType.utf8.count <= 64 ? info.mimeType : "?"
    return LiveKitTrack(kept)
  }
}
