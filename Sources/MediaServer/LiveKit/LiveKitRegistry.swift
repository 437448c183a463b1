import MediaCore
import MediaSignalling
import MediaTransport

/// What members who speak LiveKit's protocol know of each other beyond what the room knows: the names by which participants and tracks are
/// called in it, and what publishers said of their tracks. The functions may be called from any thread.
final class LiveKitRegistry: Sendable {
  private struct State {
    /// Of participants, by their user ids.
    var sids: [String: String] = [:]
    /// Whom the room has let in.
    var members: [String: LiveKitMember] = [:]
    /// Who waits for the room's answer, and has a token of an API key.
    var arriving: [String: LiveKitMember] = [:]
    var tracks: [StreamID: LiveKitTrack] = [:]
    var room: LiveKitRoomDescription
    var isClosed = false
  }

  private let state: Monitor<State>

  /// `created`: nanoseconds since 1970.
  init(room: String, mostMembers: Int, created: Int64) {
    let sid = LiveKitRegistry.makeSID("RM_")
    state = Monitor(
      State(room: LiveKitRoomDescription(sid: sid, name: room, created: created / 1_000_000_000, mostParticipants: mostMembers)))
  }

  /// How many are in it is not said here.
  var room: LiveKitRoomDescription {
    get { state.withLock { $0.room } }
    set { state.withLock { $0.room = newValue } }
  }

  static func makeSID(_ kind: String) -> String {
    kind + String((0..<12).map { _ in Array("ABCDEFGHJKLMNPQRSTUVWXYZabcdefghijkmnopqrstuvwxyz23456789")[Int.random(in: 0..<57)] })
  }

  // MARK: Participants

  /// All members call somebody by the same one, until they leave.
  func sid(of userID: String) -> String {
    state.withLock { state in
      if let known = state.sids[userID] { return known }
      let made = LiveKitRegistry.makeSID("PA_")
      state.sids[userID] = made
      return made
    }
  }

  /// Somebody who does not speak this protocol.
  func participant(_ other: Member) -> LiveKitServerSession.Participant {
    var attributes: [String: String] = [:]
    for key in other.attributes.keys { attributes[key] = other.attributes[key] }
    return LiveKitServerSession.Participant(
      sid: sid(of: other.userID), identity: other.userID, name: other.displayName, attributes: attributes)
  }

  /// A member has learned that somebody left: who comes under that user id next has another sid.
  func left(_ userID: String, sid: String) {
    state.withLock { state in if state.sids[userID] == sid { state.sids[userID] = nil } }
  }

  /// A new one, whom the room has not answered yet, takes the place of the former ones, who are returned.
  func arrive(_ member: LiveKitMember, as userID: String) -> [LiveKitMember] {
    state.withLock { state in
      guard !state.isClosed else { return [] }
      defer { state.arriving[userID] = member }
      return [state.arriving[userID], state.members[userID]].compactMap { $0 }
    }
  }

  /// The room has let them in.
  func enter(_ member: LiveKitMember, as userID: String) {
    state.withLock { state in
      if state.arriving[userID] === member { state.arriving[userID] = nil }
      if !state.isClosed { (state.members[userID], state.sids[userID]) = (member, member.sid) }
    }
  }

  func leave(_ member: LiveKitMember, as userID: String) {
    state.withLock { state in
      if state.sids[userID] == member.sid { state.sids[userID] = nil }
      if state.arriving[userID] === member { state.arriving[userID] = nil }
      if state.members[userID] === member { state.members[userID] = nil }
      // Of others, nobody is left who would notice that they leave.
      if state.members.isEmpty { state.sids = [:] }
    }
  }

  /// Nobody is held from then on: who is just coming in may not have seen that they have left.
  func close() {
    let former = state.withLock { state in
      defer { (state.members, state.arriving, state.sids, state.isClosed) = ([:], [:], [:], true) }
      return (state.members, state.arriving)
    }
    _ = former
  }

  func member(_ userID: String) -> LiveKitMember? { state.withLock { $0.members[userID] } }
  var members: [LiveKitMember] { state.withLock { Array($0.members.values) } }

  /// For tests: what is held.
  var counts: (sids: Int, tracks: Int) { state.withLock { ($0.sids.count, $0.tracks.count) } }

  // MARK: Tracks

  /// Those of streams that were published otherwise are called by their streams, too.
  static func sid(of stream: StreamID) -> String { "TR_\(String(stream.value, radix: 36))" }

  static func stream(of sid: String) -> StreamID? {
    guard sid.utf8.starts(with: "TR_".utf8) else { return nil }
    return UInt64(Substring(sid.utf8.dropFirst(3)), radix: 36).map { StreamID(value: $0) }
  }

  func setTrack(_ track: LiveKitTrack?, of stream: StreamID) { state.withLock { $0.tracks[stream] = track } }

  /// By its publisher; nil: it is not known.
  func setMuted(_ stream: StreamID, _ isMuted: Bool) -> LiveKitTrack? {
    state.withLock { state in
      state.tracks[stream]?.isMuted = isMuted
      return state.tracks[stream]
    }
  }

  /// As its publisher announced it, or as the room describes the stream.
  func track(of stream: StreamDescription) -> LiveKitTrack {
    var track: LiveKitTrack
    if let known = state.withLock({ $0.tracks[stream.id] }) {
      track = known
      if !known.isVideo { track.isMuted = stream.isMuted }
    } else {
      var (width, height): (UInt32, UInt32) = (0, 0)
      if case .video(let format, _) = stream.format { (width, height) = (format.width, format.height) }
      track = LiveKitTrack(
        sid: LiveKitRegistry.sid(of: stream.id), isVideo: stream.isVideo, isScreen: stream.isScreen, width: width, height: height,
        isMuted: stream.isMuted)
      (track.isEncrypted, track.carriesMetadata) = (stream.isEncrypted, stream.carriesMetadata)
    }
    switch stream.format {
    case .video(let format, _): track.videoFormat = format
    case .audio(let format, _): track.audioFormat = format
    }
    return track
  }
}
