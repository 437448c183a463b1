import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport

/// The API of LiveKit's servers (RoomService), of one room: programs that show the token of an administrator list who is in it, remove and
/// mute them, say something of them or of the room, and send data. Called on the server's event loop, but for `isFlooded`.
final class LiveKitService: Sendable {
  /// Requests at once, and in a second; of data each 4,096 bytes count as one more.
  static let burst = 200.0
  static let perSecond = 100.0

  private let room: RoomAdministration
  private let registry: LiveKitRegistry
  private let allowance: Monitor<WorkAllowance>

  init(_ room: String, _ registry: LiveKitRegistry, now: Int64) {
    (self.room, self.registry) = (RoomAdministration(room: room), registry)
    allowance = Monitor(WorkAllowance(burst: LiveKitService.burst, perSecond: LiveKitService.perSecond, now: now))
  }

  /// Whether more is asked than is answered. On the network thread.
  func isFlooded(by bytes: Int, now: Int64) -> Bool { allowance.withLock { !$0.take(1 + bytes / 4_096, at: now) } }

  /// `identity`: that of the token.
  func answer(_ call: LiveKitServiceRequest.Call, of identity: String, to asked: LiveKitServiceRequest) -> HTTPResponse {
    // Whoever is in the room does it as a participant.
    var moderator: String { room.participants.contains { $0.member.userID == identity } ? identity : "" }
    do throws(MediaError) {
      switch call {
      case .listRooms(let names):
        let isAsked = names.isEmpty || names.contains(registry.room.name)
        return asked.rooms(isAsked ? [described] : [])
      case .listParticipants: return asked.participants(room.participants.map(participant))
      case .participant(let identity): return asked.participant(try participant(identity))
      case .remove(let identity, let reason):
        try room.remove(identity, reason: reason, by: moderator)
        return asked.done
      case .mute(let identity, let sid, let isMuted): return asked.track(try mute(identity, sid, isMuted, by: moderator))
      case .describe(let identity, let name, let metadata, let attributes):
        var isTaken = false
        try client(identity).change { isTaken = $0.describeOwn(name: name, metadata: metadata, attributes: attributes) }
        guard isTaken else {
          let accepted = "\(LiveKitServerSession.longestText) bytes, and \(LiveKitServerSession.mostAttributes) attributes"
          throw MediaError(.limit, "too much is said of \"\(identity.prefix(64))\" in all; accepted: at most \(accepted)")
        }
        return asked.participant(try participant(identity))
      case .describeRoom(let metadata):
        registry.room.metadata = metadata
        let described = described
        for one in registry.members { one.change { $0.setRoom(described) } }
        return asked.room(described)
      case .send(let data):
        send(data)
        return asked.done
      }
    } catch {
      return LiveKitServiceRequest.refusal(error)
    }
  }

  /// The room, as it is now.
  private var described: LiveKitRoomDescription {
    let (all, known) = (room.participants, registry.room)
    var described = known
    described.count(participants: all.count, publishers: all.count { !$0.streams.isEmpty })
    return described
  }

  /// Who speaks this protocol says more than the room knows.
  private func participant(_ one: RoomAdministration.Participant) -> LiveKitServerSession.Participant {
    if let known = registry.member(one.member.userID) { return known.look { $0.whole } }
    var participant = registry.participant(one.member)
    participant.tracks = one.streams.map { registry.track(of: $0) }
    return participant
  }

  private func participant(_ identity: String) throws(MediaError) -> LiveKitServerSession.Participant {
    guard let one = room.participants.first(where: { $0.member.userID == identity }) else {
      throw MediaError(.notFound, "no participant of the room has the identity \"\(identity.prefix(64))\"")
    }
    return participant(one)
  }

  private func client(_ identity: String) throws(MediaError) -> LiveKitMember {
    _ = try participant(identity)
    guard let member = registry.member(identity) else {
      throw MediaError(.state, "\"\(identity.prefix(64))\" says itself what is known of it; accepted: a client of LiveKit's protocol")
    }
    return member
  }

  private func mute(_ identity: String, _ sid: String, _ isMuted: Bool, by moderator: String) throws(MediaError) -> LiveKitTrack {
    guard var track = try participant(identity).tracks.first(where: { $0.sid == sid }) else {
      throw MediaError(.notFound, "\"\(identity.prefix(64))\" has no track \"\(sid.prefix(64))\"")
    }
    if let member = registry.member(identity) {
      member.moderate(sid, isMuted, by: moderator)
      return member.look { $0.announced(sid) } ?? track
    }
    guard !track.isVideo else {
      throw MediaError(.state, "video of \"\(identity.prefix(64))\" is not muted; accepted: audio, or a client of LiveKit's protocol")
    }
    try room.mute(identity, isMuted, by: moderator)
    track.isMuted = isMuted
    return track
  }

  private func send(_ data: LiveKitUserData) {
    let members = registry.members
    let packet = data.packet(sid: "")
    for one in members where data.destinations.isEmpty || data.destinations.contains(one.member.userID) {
      one.pass(packet, isReliable: !data.isLossy)
    }
    var message = DataMessage(data.bytes)
    (message.topic, message.isLossy, message.recipients) = (data.topic, data.isLossy, data.destinations)
    room.send(message, except: Set(members.map { ObjectIdentifier($0.place) }))
  }
}
