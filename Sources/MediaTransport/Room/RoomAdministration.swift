import MediaCore

/// A loopback room in the hands of who serves it to others: not a member of it. The functions may be called from any thread.
package struct RoomAdministration: Sendable {
  /// Somebody in the room.
  package struct Participant: Sendable {
    /// With what they may do, and what they say of themselves now.
    package var member: Member
    /// In the order of their publishing.
    package var streams: [StreamDescription] = []
  }

  private let name: String

  package init(room name: String) { self.name = name }

  /// In the order of their joining; none: there is no such room, or it is empty.
  package var participants: [Participant] {
    guard let room = LoopbackRooms.find(name) else { return [] }
    return room.state.withLock { state in
      let streams = Dictionary(grouping: state.streams.values) { ObjectIdentifier($0.publisher) }
      return state.members.map { one in
        var member = one.member
        member.permissions = state.permissions[ObjectIdentifier(one)] ?? []
        member.attributes = one.attributes.withLock { $0 }
        let own = (streams[ObjectIdentifier(one)] ?? []).map(\.description)
        return Participant(member: member, streams: own.sorted { $0.id.value < $1.id.value })
      }
    }
  }

  /// Puts somebody out, who is notified with the reason and with who wanted it: a member, or (empty) an administrator. Throws `.notFound`.
  package func remove(_ userID: String, reason: String, by moderator: String) throws(MediaError) {
    try room(with: userID).remove(userID, reason: reason, by: .administrator(moderator))
  }

  /// Mutes all the audio that somebody publishes, or ends that, as `remove`. Throws `.notFound`.
  package func mute(_ userID: String, _ isMuted: Bool, by moderator: String) throws(MediaError) {
    try room(with: userID).mute(userID, isMuted, by: .administrator(moderator))
  }

  /// Data of the server's, to those whom it is for, but not to members of those places. No scripted network holds it up.
  package func send(_ message: DataMessage, except places: Set<ObjectIdentifier>) {
    LoopbackRooms.find(name)?.state.withLock { state in
      for one in state.members where message.isFor(one.member.userID) && !places.contains(ObjectIdentifier(one)) {
        one.post(.data(from: "", message))
      }
    }
  }

  private func room(with userID: String) throws(MediaError) -> LoopbackRoom {
    guard let room = LoopbackRooms.find(name) else {
      throw MediaError(.notFound, "user_id is \"\(userID)\"; no member of room \"\(name.prefix(64))\" has it")
    }
    return room
  }
}
