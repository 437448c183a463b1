import CMediaSDK
import MediaCore
import MediaSignalling
import MediaTransport

/// Who is in a room of LiveKit and what they send, as a session sees it: ids of streams for the sids of the server. A plain value.
struct LiveKitRoster: Sendable {
  private struct Entry: Sendable {
    var member: Member
    /// That are announced to the session.
    var tracks: [LiveKitTrack] = []
  }

  private var entries: [String: Entry] = [:]
  /// By sid.
  private(set) var streams: [String: StreamID] = [:]
  private var sids: [StreamID: String] = [:]

  func sid(of stream: StreamID) -> String? { sids[stream] }
  func contains(_ userID: String) -> Bool { entries[userID] != nil }
  /// Whether frames of a track may have metadata.
  func carriesMetadata(_ sid: String) -> Bool { entries.values.contains { $0.tracks.contains { $0.sid == sid && $0.carriesMetadata } } }
  /// The stream by which somebody speaks; nil: they send no audio.
  func voice(of userID: String) -> StreamID? {
    entries[userID]?.tracks.first { !$0.isVideo && !$0.isScreen }.flatMap { streams[$0.sid] }
  }

  /// The sids of the audio that somebody sends; nil: they are not in the room.
  func audio(of userID: String) -> [String]? { entries[userID]?.tracks.filter { !$0.isVideo }.map(\.sid) }

  /// Somebody came, or is known better: what the session is notified of.
  mutating func take(_ other: LiveKitOther) -> [TransportEvent] {
    var events: [TransportEvent] = []
    var entry: Entry
    if let known = entries[other.identity] {
      entry = known
      events += change(&entry.member, other)
    } else {
      entry = Entry(member: Member(userID: other.identity, displayName: other.name.isEmpty ? other.identity : other.name))
      _ = change(&entry.member, other)
      events.append(.joined(entry.member))
    }
    let current = other.tracks.filter { LiveKitRoster.codec(of: $0) != nil }
    for former in entry.tracks where !current.contains(where: { $0.sid == former.sid }) { events += remove(former.sid) }
    for track in current {
      if let former = entry.tracks.first(where: { $0.sid == track.sid }) {
        if !track.isVideo, former.isMuted != track.isMuted, let id = streams[track.sid] { events.append(.streamMuted(id, track.isMuted)) }
      } else if streams[track.sid] == nil {
        events.append(add(track, of: other.identity))
      }
    }
    entry.tracks = current
    entries[other.identity] = entry
    return events
  }

  mutating func remove(userID: String) -> [TransportEvent] {
    guard let entry = entries.removeValue(forKey: userID) else { return [] }
    return entry.tracks.flatMap { remove($0.sid) } + [.left(userID: userID)]
  }

  private mutating func remove(_ sid: String) -> [TransportEvent] {
    guard let id = streams.removeValue(forKey: sid) else { return [] }
    sids[id] = nil
    return [.streamRemoved(id)]
  }

  private func change(_ member: inout Member, _ other: LiveKitOther) -> [TransportEvent] {
    var events: [TransportEvent] = []
    if let mask = other.mask, member.permissions != Permissions(rawValue: mask & Permissions.all.rawValue) {
      member.permissions = Permissions(rawValue: mask & Permissions.all.rawValue)
      events.append(.permissionsChanged(userID: member.userID, member.permissions))
    }
    for key in Set(member.attributes.keys).union(other.attributes.keys).sorted() {
      let value = other.attributes[key]
      // What a program of this SDK could not say is not reported either.
      guard ParticipantAttributes.isKey(key), (value?.utf8.count ?? 0) <= ParticipantAttributes.longestValue else { continue }
      guard (try? member.attributes.set(key, value)) == true else { continue }
      let revision = member.attributes.revision
      events.append(.attributeChanged(userID: member.userID, key: key, value: value, revision: revision))
    }
    return events
  }

  private mutating func add(_ track: LiveKitTrack, of userID: String) -> TransportEvent {
    let id = StreamID.next()
    (streams[track.sid], sids[id]) = (id, track.sid)
    var description = StreamDescription(
      id: id, userID: userID, codec: LiveKitRoster.codec(of: track) ?? 0, format: LiveKitRoster.format(of: track))
    description.isMuted = !track.isVideo && track.isMuted
    (description.isEncrypted, description.carriesMetadata) = (track.isEncrypted, track.carriesMetadata)
    return .streamAdded(description)
  }

  /// nil for what cannot be received here. Without a name it is what every endpoint of WebRTC has.
  static func codec(of track: LiveKitTrack) -> UInt32? {
    switch (track.isVideo, track.codec) {
    case (true, ""): UInt32(MSDK_CODEC_VP8)
    case (false, "red"), (false, ""): UInt32(MSDK_CODEC_OPUS)
    default: ForwardedCodec(named: track.codec).flatMap { $0.isVideo == track.isVideo ? $0.fourcc : nil }
    }
  }

  /// What the publisher said last; of a size 640x480 if nothing: each frame has its own.
  private static func format(of track: LiveKitTrack) -> StreamFormat {
    if track.isVideo {
      let kind: VideoKind = track.isScreen ? .screenShare : .virtual
      if let format = track.videoFormat { return .video(format, kind: kind.rawValue) }
      let isKnown = [track.size.width, track.size.height].allSatisfy { (1...16_384).contains($0) }
      let (width, height) = isKnown ? track.size : (640, 480)
      return .video(VideoFormat(.i420, width: width, height: height, frameRate: FrameRate(30)), kind: kind.rawValue)
    }
    let kind = track.isScreen ? UInt32(MSDK_AUDIO_SCREEN_SHARE) : UInt32(MSDK_AUDIO_MICROPHONE)
    return .audio(track.audioFormat ?? AudioFormat(.s16, sampleRate: 48_000, channels: 2), kind: kind)
  }
}
