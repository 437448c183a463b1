import MediaCore

/// Attributes of others, for a member who is elsewhere. As long as few messages wait, each change is one. Otherwise the member is owed all
/// attributes of whoever changed them, as they are once the messages have gone: this takes no more memory than a name. Runs on the hub's loop,
/// in the order of the room's events.
extension HubPeer {
  struct Owed {
    /// Of these all is to be said.
    var users: Set<String> = []
    /// What was said so already, by its revision: events of before come later.
    var paid: [String: UInt64] = [:]
    var isPaying = false

    mutating func forget(_ userID: String) {
      users.remove(userID)
      paid[userID] = nil
    }
  }

  func joined(_ member: Member) {
    var member = member
    let isLater = guarded.withLock { guarded in
      guard !member.attributes.isEmpty, guarded.log.isBusy else { return false }
      guarded.owed.users.insert(member.userID)
      return true
    }
    if isLater { member.attributes = ParticipantAttributes() }
    say(.joined(member))
  }

  func attributeChanged(of userID: String, _ key: String, _ value: String?, _ revision: UInt64) {
    let isDue = guarded.withLock { guarded in
      guard !guarded.owed.users.contains(userID), revision > guarded.owed.paid[userID] ?? 0 else { return false }
      guard guarded.log.isBusy else { return true }
      guarded.owed.users.insert(userID)
      return false
    }
    if isDue { say(.attribute(userID: userID, key, value)) }
  }

  /// On the network thread, when something was received.
  func payWhenDue() {
    let isDue = guarded.withLock { guarded in
      guard !guarded.owed.users.isEmpty, !guarded.owed.isPaying, !guarded.log.isBusy else { return false }
      guarded.owed.isPaying = true
      return true
    }
    if isDue { table.loop.post { self.pay() } }
  }

  private func pay() {
    while let userID = guarded.withLock({ $0.phase == .gone || $0.log.isBusy ? nil : $0.owed.users.popFirst() }) {
      guard let attributes = place.attributes(of: userID) else { continue }
      guarded.withLock { $0.owed.paid[userID] = attributes.revision }
      say(.attributes(userID: userID, attributes))
    }
    guarded.withLock { $0.owed.isPaying = false }
  }
}
