import MediaCore
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// What the room says to a client. Called on the server's event loop.
extension LiveKitMember: TransportDelegate {
  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): welcome(permissions)
    case .disconnected(let error): leave(error ?? WebTable.closed)
    case .joined(let other):
      part(other.userID)
      meet(other)
    case .left(let userID): left(userID)
    case .streamAdded(let stream): added(stream)
    case .streamRemoved(let id):
      guard let userID = media.remove(id) else { return }
      change { $0.remove(LiveKitRegistry.sid(of: id), of: userID) }
    case .streamMuted(let id, let isMuted):
      if let userID = media.publisher(of: id) { change { $0.setMuted(LiveKitRegistry.sid(of: id), isMuted, of: userID) } }
    case .speaking(_, let userID, let isSpeaking, let level): change { $0.speak(userID, isSpeaking, level: level) }
    case .attributeChanged(let userID, let key, let value, _): change { $0.setAttribute(key, value, of: userID) }
    case .keyFrameRequested(let id): media.requestKeyFrame(of: id)
    case .data(let userID, let message): receive(message, from: userID)
    case .permissionsChanged(let userID, let permissions):
      if userID == member.userID { state.withLock { $0.permissions = permissions } }
      setAccess(permissions, of: userID)
    case .accessExpiring(let remaining): change { $0.warn(remaining: remaining) }
    case .accessRenewed(let error):
      state.withLock { state in
        if let renewal = state.renewal.take(), error == nil { state.token = renewal }
      }
      change { $0.renewed(error) }
    case .moderated(let by, let moderation, let reason): moderated(by, moderation, reason)
    case .layers(let id, let active, _): change { $0.setWanted(LiveKitRegistry.sid(of: id), layers: active) }
    case .receivers(let id, let count): change { $0.setReceivers(LiveKitRegistry.sid(of: id), count) }
    case .wanted(let id, let wish):
      change { $0.setWish(LiveKitRegistry.sid(of: id), width: wish.width, height: wish.height, rate: wish.frameRate) }
    // Of a scripted network, and of transports without a room.
    default: break
    }
  }

  private func welcome(_ permissions: Permissions) {
    let (connection, offer): (WebConnection?, WebSocketOffer?) = state.withLock { state in
      guard !state.isOver else { return (nil, nil) }
      state.permissions = permissions
      return (state.connection, state.offer.take())
    }
    guard let connection, let offer else { return }
    // Others are told of them after this.
    table.liveKit.enter(self, as: member.userID)
    table.options.watch?(.entered(member))
    // After what the room says of others, which has been posted.
    table.loop.post { [self] in
      // Who has gone is noticed by the connection.
      guard !state.withLock({ $0.isOver }), connection.upgrade(offer, for: .liveKit) else { return }
      let permissions = state.withLock { $0.permissions } ?? permissions
      setAccess(permissions, of: member.userID)
      change { signalling in
        signalling.welcome()
        if let ticket { signalling.setToken(ticket) }
      }
      refreshToken()
      media.welcome()
      table.qualities.begin()
    }
  }

  /// As LiveKit's servers do it: who is in the room for longer than their token is valid could not come back.
  private func refreshToken() {
    guard !isGuest, !state.withLock({ $0.isOver }) else { return }
    if let token = table.refreshed(state.withLock { $0.token }) { change { $0.setToken(token) } }
    table.loop.schedule(at: table.clock.now() &+ LiveKitMember.refreshing) { [weak self] in self?.refreshToken() }
  }

  /// What the room lets somebody do, of which a token of an API key may grant less.
  private func setAccess(_ permissions: Permissions, of userID: String) {
    let (access, mask) = access(permissions, of: userID)
    change { $0.setAccess(access, mask: mask, of: userID) }
  }

  private func access(_ permissions: Permissions, of userID: String) -> (LiveKitAccess, mask: UInt32) {
    let other = userID == member.userID ? self : table.liveKit.member(userID)
    let rest = other.map { $0.isGuest ? permissions : permissions.within($0.grants) } ?? permissions
    return (rest.access(describes: other?.grants.updatesMetadata ?? true), rest.foreign)
  }

  private func meet(_ other: Member) {
    // Who speaks this protocol too says more than the room knows.
    let participant = table.liveKit.member(other.userID)?.look { $0.participant } ?? table.liveKit.participant(other)
    let (access, mask) = access(other.permissions, of: other.userID)
    change { signalling in
      signalling.setAccess(access, mask: mask, of: other.userID)
      signalling.meet(participant)
    }
  }

  /// What they have sent goes first. It comes over another connection, and a client takes nothing of somebody who is not there.
  private func left(_ userID: String) {
    let (mark, now) = (media.data?.mark ?? 0, table.clock.now())
    if state.withLock({ $0.partings.add(userID, mark: mark, now: now) }) { followPartings() }
  }

  private func followPartings() {
    let now = table.clock.now()
    for one in state.withLock({ $0.partings.all }) where now >= one.end || media.data?.hasDelivered(one.mark) != false { part(one.userID) }
    guard state.withLock({ !$0.partings.all.isEmpty && !$0.isOver }) else { return }
    table.loop.schedule(at: now &+ Partings.step) { [weak self] in self?.followPartings() }
  }

  private func part(_ userID: String) {
    guard state.withLock({ $0.partings.remove(userID) }) else { return }
    let sid = look { $0.sid(of: userID) }
    change { $0.part(userID) }
    if let sid { table.liveKit.left(userID, sid: sid) }
  }

  private func added(_ stream: StreamDescription) {
    guard ForwardedCodec(stream.codec) != nil else {
      let what = stream.codec == FourCC.raw ? "is sent raw" : "has the codec \(FourCC.text(stream.codec))"
      let accepted = "members of LiveKit are sent MSDK_CODEC_VP8, H.264 and MSDK_CODEC_OPUS"
      return place.cannotReceive(stream.id, because: MediaError(.unsupported, "the stream \(what); \(accepted)"))
    }
    media.add(stream)
    change { $0.add(table.liveKit.track(of: stream), of: stream.userID) }
    media.arrange()
  }

  private func moderated(_ moderator: String, _ moderation: Moderation, _ reason: String) {
    let action: LiveKitModerationAction = moderation == .removed ? .remove : moderation == .muted ? .mute : .unmute
    change { $0.moderate(action, by: moderator, reason: reason) }
    guard moderation != .removed else { return }
    let isMuted = moderation == .muted
    // Not what is published later.
    for track in look({ $0.whole.tracks }) where !track.isVideo {
      guard isExtended else {
        moderate(track.sid, isMuted, by: moderator)
        continue
      }
      // A session of this library has been notified as a whole. Of what it has muted for that, it says itself when that ends.
      if silence(track.sid, isMuted), isMuted || !track.isMuted { mute(track.sid, isMuted) }
    }
  }

  /// One track: the client is told, and does as it is told.
  func moderate(_ sid: String, _ isMuted: Bool, by moderator: String) {
    guard silence(sid, isMuted) else { return }
    state.withLock { $0.echoes.ask(sid, isMuted, now: table.clock.now()) }
    change { $0.moderate(sid, isMuted, by: moderator) }
    mute(sid, isMuted)
  }
}
