import MediaCore

/// What a member says of themselves. The room's lock orders the changes, so that everybody learns of them in the same order.
extension LoopbackTransport {
  /// The others in the room are notified if it changed anything; `.full` beyond `ParticipantAttributes.most`.
  public func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    if let room = room.withLock({ $0 }) { return try room.setAttribute(key, value, of: self) }
    guard try attributes.withLock({ attributes throws(MediaError) in try attributes.set(key, value) }) else { return }
    // It may have entered meanwhile, without this.
    room.withLock { $0 }?.announce(key, of: self)
  }

  /// Of a member of the room, oneself included.
  func attributes(of userID: String) -> ParticipantAttributes? { room.withLock { $0 }?.attributes(of: userID) }
}

extension LoopbackRoom {
  func setAttribute(_ key: String, _ value: String?, of member: LoopbackTransport) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      if try member.attributes.withLock({ attributes throws(MediaError) in try attributes.set(key, value) }) {
        announce(key, of: member, in: state)
      }
    }
  }

  func announce(_ key: String, of member: LoopbackTransport) {
    state.withLock { announce(key, of: member, in: $0) }
  }

  /// Whoever is not in the room yet brings all with them.
  private func announce(_ key: String, of member: LoopbackTransport, in state: State) {
    guard state.permissions[ObjectIdentifier(member)] != nil else { return }
    let attributes = member.attributes.withLock { $0 }
    let userID = member.member.userID
    for other in state.members where other !== member {
      other.post(.attributeChanged(userID: userID, key: key, value: attributes[key], revision: attributes.revision))
    }
  }

  func attributes(of userID: String) -> ParticipantAttributes? {
    state.withLock { state in state.members.first { $0.member.userID == userID }?.attributes.withLock { $0 } }
  }
}
