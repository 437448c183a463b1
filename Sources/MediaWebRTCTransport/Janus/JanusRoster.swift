import CMediaSDK
import MediaCore
import MediaSignalling
import MediaTransport

/// Who is in a room of Janus and what they send, as a session sees it: ids of members and streams for those of the server. A plain value.
struct JanusRoster: Sendable {
  private struct Entry: Sendable {
    let member: Member
    var streams: [JanusParticipant.Stream] = []
  }

  /// The session's own user id.
  private let own: String
  private var entries: [JanusID: Entry] = [:]
  private(set) var streams: [JanusSource: StreamID] = [:]
  private var sources: [StreamID: JanusSource] = [:]
  /// Streams of audio that are muted: by a moderator, by their publishers.
  private var moderated: Set<JanusSource> = []
  private var muted: Set<JanusSource> = []

  init(own: String) { self.own = own }

  func source(of stream: StreamID) -> JanusSource? { sources[stream] }
  func userID(of id: JanusID) -> String? { entries[id]?.member.userID }
  func id(of userID: String) -> JanusID? { entries.first { $0.value.member.userID == userID }?.key }

  /// Somebody came, or is known better: what the session is notified of.
  mutating func take(_ participant: JanusParticipant) -> [TransportEvent] {
    var events: [TransportEvent] = []
    var entry: Entry
    if let known = entries[participant.id] {
      entry = known
    } else {
      entry = Entry(member: member(participant))
      events.append(.joined(entry.member))
    }
    let current = participant.streams.filter { JanusRoster.codec(of: $0) != nil }
    for former in entry.streams where !current.contains(where: { former.isSame(as: $0) }) {
      if let id = remove(JanusSource(participant.id, mid: former.mid)) { events.append(.streamRemoved(id)) }
    }
    for stream in current {
      if entry.streams.contains(where: { $0.isSame(as: stream) }) {
        events += mute(stream, of: participant.id)
      } else {
        events += add(stream, of: participant.id, entry.member)
      }
    }
    entry.streams = current
    entries[participant.id] = entry
    return events
  }

  mutating func remove(_ id: JanusID) -> [TransportEvent] {
    guard let entry = entries.removeValue(forKey: id) else { return [] }
    let gone = entry.streams.compactMap { remove(JanusSource(id, mid: $0.mid)) }
    return gone.map { .streamRemoved($0) } + [.left(userID: entry.member.userID)]
  }

  /// A moderator muted a stream, or ended that.
  mutating func moderate(_ source: JanusSource, _ isMuted: Bool) -> [TransportEvent] {
    let isAudio = entries[source.feed]?.streams.contains { $0.mid == source.mid && !$0.isVideo } ?? false
    return isAudio ? changeMute(of: source, moderated: isMuted, muted: muted.contains(source)) : []
  }

  private mutating func mute(_ stream: JanusParticipant.Stream, of id: JanusID) -> [TransportEvent] {
    guard !stream.isVideo else { return [] }
    return changeMute(of: JanusSource(id, mid: stream.mid), moderated: stream.isModerated, muted: stream.isMuted)
  }

  private mutating func changeMute(of source: JanusSource, moderated isModerated: Bool, muted isMuted: Bool) -> [TransportEvent] {
    let was = self.isMuted(source)
    if isModerated { moderated.insert(source) } else { moderated.remove(source) }
    if isMuted { muted.insert(source) } else { muted.remove(source) }
    guard let id = streams[source], self.isMuted(source) != was else { return [] }
    return [.streamMuted(id, !was)]
  }

  private func isMuted(_ source: JanusSource) -> Bool { moderated.contains(source) || muted.contains(source) }

  private mutating func remove(_ source: JanusSource) -> StreamID? {
    moderated.remove(source)
    muted.remove(source)
    guard let id = streams.removeValue(forKey: source) else { return nil }
    sources[id] = nil
    return id
  }

  private mutating func add(_ stream: JanusParticipant.Stream, of id: JanusID, _ member: Member) -> [TransportEvent] {
    guard let codec = JanusRoster.codec(of: stream) else { return [] }
    let source = JanusSource(id, mid: stream.mid)
    _ = mute(stream, of: id)
    let streamID = StreamID.next()
    (streams[source], sources[streamID]) = (streamID, source)
    var description = StreamDescription(
      id: streamID, userID: member.userID, codec: codec, format: JanusRoster.format(of: stream))
    description.isMuted = isMuted(source)
    let speaks: [TransportEvent] =
      stream.isTalking ? [.speaking(streamID, userID: member.userID, true, level: JanusRoster.usualLevel)] : []
    return [.streamAdded(description)] + speaks
  }

  /// Of a voice whose level the server does not say.
  private static let usualLevel: UInt32 = 40

  /// nil for what cannot be received here. Without a name it is what every endpoint of WebRTC has.
  private static func codec(of stream: JanusParticipant.Stream) -> UInt32? {
    switch (stream.isVideo, stream.codec) {
    case (true, "vp8"), (true, ""): UInt32(MSDK_CODEC_VP8)
    case (false, "opus"), (false, ""): UInt32(MSDK_CODEC_OPUS)
    default: nil
    }
  }

  /// The server does not say how large it is: each frame does.
  private static func format(of stream: JanusParticipant.Stream) -> StreamFormat {
    let isScreen = stream.kind == JanusStreamText.screen
    if stream.isVideo {
      let kind: VideoKind = isScreen ? .screenShare : .virtual
      return .video(VideoFormat(.i420, width: 640, height: 480, frameRate: FrameRate(30)), kind: kind.rawValue)
    }
    let kind = isScreen ? UInt32(MSDK_AUDIO_SCREEN_SHARE) : UInt32(MSDK_AUDIO_MICROPHONE)
    return .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 2), kind: kind)
  }

  private func member(_ participant: JanusParticipant) -> Member {
    var name = "\(participant.id)"
    // A user id is one person's.
    while name == own || entries.values.contains(where: { $0.member.userID == name }) { name = "janus-\(name)" }
    return Member(userID: name, displayName: participant.name.isEmpty ? name : participant.name)
  }
}

extension JanusParticipant.Stream {
  /// Nothing has changed by which a receiver knows it.
  fileprivate func isSame(as other: JanusParticipant.Stream) -> Bool {
    (mid, isVideo, codec, kind) == (other.mid, other.isVideo, other.codec, other.kind)
  }

  /// Its publisher muted it, and says so in its text.
  fileprivate var isMuted: Bool { text.hasSuffix(JanusStreamText.muted) }
  fileprivate var kind: Substring { isMuted ? text.dropLast(JanusStreamText.muted.count) : Substring(text) }
}
