import MediaCore
import MediaTransport

/// The session's access to its room: the token that it shows, and what follows when the room lets it do more or less than before.
extension Session {
  static func check(_ token: AccessToken, argument: String) throws(MediaError) {
    guard token.value.utf8.count <= AccessToken.longest else {
      throw MediaError(.invalid, "\(argument) is longer than \(AccessToken.longest) bytes, the maximum")
    }
  }

  /// Shows the room another token at once, or when the session connects next.
  public func setAccessToken(_ token: AccessToken) throws(MediaError) {
    try Session.check(token, argument: "token")
    try require(.accessTokens, "access tokens")
    let transport: (any Transport)? = try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "the session is destroyed") }
      guarded.token = token
      return guarded.isInRoom ? guarded.transport : nil
    }
    transport?.renew(token)
  }

  /// On the transport's thread.
  func permissionsChanged(of userID: String, _ permissions: Permissions, _ transport: any Transport) {
    guard userID == options.userID else {
      guarded.withLock { guarded in
        guard guarded.transport === transport, let index = guarded.members.firstIndex(where: { $0.userID == userID }) else { return }
        guarded.members[index].permissions = permissions
      }
      return
    }
    let former: Permissions? = guarded.withLock { guarded in
      guard guarded.transport === transport else { return nil }
      defer { guarded.permissions = permissions }
      return guarded.permissions
    }
    guard let former else { return }
    endWhatIsNotPermitted()
    // What was attached and not permitted.
    guard !permissions.isSubset(of: former) else { return }
    guarded.withLock { $0.awaitsPermitted = true }
    startWhatWasPermitted()
  }

  /// At once, or when the session has reconnected.
  func startWhatWasPermitted() {
    let isDue = guarded.withLock { guarded in
      guard guarded.awaitsPermitted, guarded.state == .connected else { return false }
      guarded.awaitsPermitted = false
      return true
    }
    if isDue { startAttached() }
  }

  func endWhatIsNotPermitted() {
    let (permissions, outgoing, incoming, sound) = guarded.withLock { guarded in
      (guarded.permissions, Array(guarded.outgoing.values), Array(guarded.incoming.values), guarded.sound)
    }
    for stream in outgoing where !permissions.contains(stream.isScreen ? .shareScreen : .publishVideo) {
      stream.stop(as: .failed, because: refusal(to: stream.isScreen ? "share a screen" : "publish video"))
    }
    for stream in sound.outgoing.values {
      let isScreen = stream.options.kind == .screenShare
      guard !permissions.contains(isScreen ? .shareScreen : .publishAudio) else { continue }
      stream.stop(as: .failed, because: refusal(to: isScreen ? "share a screen" : "publish audio"))
    }
    guard !permissions.contains(.receive) else { return }
    for stream in incoming {
      // It is started again for the renderers of the call once it may be.
      let isOfRenderers = handOver(stream)
      stream.stop(because: refusal(to: "receive streams"))
      if isOfRenderers { renderers.withLock { $0.paused.append(stream) } }
    }
    for stream in sound.incoming.values { stream.stop(because: refusal(to: "receive streams")) }
    sound.mix?.stop(because: refusal(to: "receive streams"))
  }

  func refusal(to what: String) -> MediaError {
    MediaError(.permission, "the room does not permit \"\(options.userID.prefix(64))\" to \(what)")
  }
}
