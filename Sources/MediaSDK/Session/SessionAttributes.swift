import MediaCore
import MediaTransport

/// What participants say of themselves.
extension Session {
  /// Of the session's own participant; nil removes it. Everybody in the room learns of it, also those who come later.
  public func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    try Session.check(key: key)
    if let value, value.utf8.count > ParticipantAttributes.longestValue {
      throw MediaError(.invalid, "value has \(value.utf8.count) bytes; accepted: up to \(ParticipantAttributes.longestValue)")
    }
    try require(.attributes, "attributes")
    try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "the session is destroyed") }
      var attributes = guarded.attributes
      guard try attributes.set(key, value) else { return }
      // In the same order; a session that is left meanwhile brings it the next time.
      try guarded.transport?.setAttribute(key, value)
      guarded.attributes = attributes
    }
  }

  /// That the session's transport has what only some have; `what` names it.
  func require(_ feature: TransportFeatures, _ what: String) throws(MediaError) {
    guard !factory.features.contains(feature) else { return }
    let accepted = Transports.schemes(with: feature, joinedBy: "and")
    throw MediaError(.unsupported, "the session is over \(factory.scheme):, which has no \(what); accepted: \(accepted)")
  }

  static func check(key: String) throws(MediaError) {
    guard ParticipantAttributes.isKey(key) else {
      let accepted = "1..\(ParticipantAttributes.longestKey) bytes of a-z, 0-9, '.', '_' and '-'"
      throw MediaError(.invalid, "key is \"\(key.prefix(64))\"; accepted: \(accepted)")
    }
  }

  /// Of oneself, connected or not, or of another one in the room.
  public func attributes(of userID: String) throws(MediaError) -> ParticipantAttributes {
    let found = guarded.withLock { guarded in
      userID == options.userID ? guarded.attributes : guarded.members.first { $0.userID == userID }?.attributes
    }
    guard let found else { throw MediaError(.notFound, "user_id is \"\(userID.prefix(64))\"; no participant has it") }
    return found
  }

  func attributeChanged(of userID: String, _ key: String, _ value: String?, _ transport: any Transport) {
    let isNew = guarded.withLock { guarded in
      guard guarded.transport === transport, let index = guarded.members.firstIndex(where: { $0.userID == userID }) else { return false }
      return (try? guarded.members[index].attributes.set(key, value)) == true
    }
    if isNew { push(.participantAttribute(userID: userID, key: key)) }
  }
}
