import MediaCore
import MediaTransport

/// What the room lets this session do, and what moderators do to others and to it.
extension Session {
  /// Takes another member out of the room.
  public func remove(_ userID: String, reason: String = "") throws(MediaError) {
    try joined().remove(userID, reason: reason)
  }

  /// Mutes another member's sound, or takes that back.
  public func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try joined().mute(userID, isMuted)
  }

  private func joined() throws(MediaError) -> any Transport {
    try guarded.withLock { guarded throws(MediaError) in
      guard guarded.state == .connected || guarded.state == .reconnecting, let transport = guarded.transport else {
        throw MediaError(.state, "the session is \(guarded.state); accepted: connected")
      }
      return transport
    }
  }

  func checkMayReceive() throws(MediaError) {
    guard guarded.withLock({ $0.permissions.contains(.receive) }) else {
      throw refusal(to: "receive streams")
    }
  }

  func moderated(by userID: String, _ moderation: Moderation, reason: String) {
    if moderation != .removed {
      for stream in guarded.withLock({ $0.sound.allOutgoing }) { stream.moderate(isMuted: moderation == .muted) }
    }
    push(.moderated(by: userID, moderation, reason: reason))
  }
}

extension SessionAudio {
  /// Started, or attached.
  fileprivate var allOutgoing: [OutgoingAudio] {
    attached + outgoing.values.filter { started in !attached.contains { $0 === started } }
  }
}
