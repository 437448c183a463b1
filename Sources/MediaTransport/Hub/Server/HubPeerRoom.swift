import CMediaSDK
import MediaCore

/// Between the room and a member who is elsewhere: events one way, requests the other.
extension HubPeer: TransportDelegate {
  // MARK: The room's events, on its loop

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): welcome(permissions)
    case .disconnected(let error): end(because: error ?? HubTable.closed)
    case .joined(let member): joined(member)
    case .left(let userID):
      guarded.withLock { $0.owed.forget(userID) }
      say(.left(userID: userID))
    case .attributeChanged(let userID, let key, let value, let revision): attributeChanged(of: userID, key, value, revision)
    case .streamAdded(let stream):
      // What is not encoded stays in this process.
      guard HubStreams.isCarried(stream.codec) else {
        let what = stream.codec == FourCC.raw ? "is sent raw" : "has the codec \(FourCC.text(stream.codec))"
        let error = MediaError(.unsupported, "the stream \(what); a hub forwards MSDK_CODEC_VP8 and MSDK_CODEC_OPUS")
        return place.cannotReceive(stream.id, because: error)
      }
      let isScreen = if case .video(_, let kind) = stream.format { kind == UInt32(MSDK_VIDEO_SCREEN_SHARE) } else { false }
      let number = guarded.withLock { $0.streams.offer(stream.id, codec: stream.codec, isScreen: isScreen) }
      say(
        .streamAdded(
          .init(number: number, userID: stream.userID, codec: stream.codec, format: stream.format, isMuted: stream.isMuted)))
    case .streamRemoved(let id):
      let number: UInt32? = guarded.withLock { guarded in
        guard let (number, slot) = guarded.streams.withdraw(id) else { return nil }
        if let slot { guarded.media?.end(slot) }
        return number
      }
      if let number { say(.streamRemoved(number)) }
    case .streamMuted(let id, let isMuted): withNumber(id) { .streamMuted($0, isMuted) }
    case .speaking(let id, let userID, let isSpeaking, let level):
      guarded.withLock { guarded in
        if let number = guarded.streams.number(of: id) { guarded.streams.setSpeaking(number, isSpeaking) }
      }
      withNumber(id) { .speaking($0, userID: userID, isSpeaking, level: level) }
    case .keyFrameRequested(let id):
      let now = clock.now()
      if guarded.withLock({ $0.streams.isToBeAsked(for: id, now: now) }) { withNumber(id) { .keyFrameRequested($0) } }
    case .receivers(let id, let count): withNumber(id) { .receivers($0, count) }
    case .wanted(let id, let preference): withNumber(id) { .wanted($0, preference) }
    case .permissionsChanged(let userID, let permissions):
      if userID == place.member.userID { guarded.withLock { $0.isChanged = true } }
      say(.permissionsChanged(userID: userID, permissions))
    case .accessExpiring(let remaining): say(.accessExpiring(remaining))
    case .accessRenewed(let error): say(.accessRenewed(error))
    case .moderated(let userID, let moderation, let reason): say(.moderated(by: userID, moderation, reason: reason))
    // Of a scripted network of this process; their machine measures its own. What they send is encoded, and reaches all.
    case .reconnecting, .reconnected, .estimate, .network, .unreachable, .publishFailed, .layers, .signal, .channel, .data, .dataWritable,
      .moderationFailed:
      break
    }
  }

  private func withNumber(_ id: StreamID, _ notice: (UInt32) -> HubNotice) {
    if let number = guarded.withLock({ $0.streams.number(of: id) }) { say(notice(number)) }
  }

  // MARK: His requests, on the network thread

  /// Throws what they could have known to be wrong. What has become void meanwhile is nothing.
  func act(on request: HubRequest) throws(MediaError) {
    switch request {
    case .hello: throw HubPeer.lie("a second hello")
    case .received(let count):
      let now = clock.now()
      guard guarded.withLock({ $0.log.confirm(count, now: now) }) else {
        throw HubPeer.lie("a confirmation of messages that were not sent")
      }
    case .leave: throw HubPeer.left
    default:
      guard guarded.withLock({ $0.phase == .here }) else { throw HubPeer.lie("a request before the welcome") }
      try actHere(on: request)
    }
  }

  private static let left = MediaError(.closed, "the member has left")

  private static func lie(_ what: String) -> MediaError { MediaError(.corrupt, "the member sent \(what)") }

  private func actHere(on request: HubRequest) throws(MediaError) {
    switch request {
    case .publish(let number, let slot, let codec, let format): try publish(number, slot, codec, format)
    case .unpublish(let number):
      handOnRest(of: number)
      if let id = guarded.withLock({ $0.streams.unpublish(number) }) { place.unpublish(id) }
    case .setFormat(let number, let format): try withOwn(number) { place.setFormat($0, format) }
    case .setMuted(let number, let isMuted): try withOwn(number) { place.setMuted($0, isMuted) }
    case .setSpeaking(let number, let isSpeaking, let level):
      try withOwn(number) { place.setSpeaking($0, isSpeaking, level: level) }
    case .subscribe(let number, let slot): try subscribe(number, slot)
    case .unsubscribe(let number):
      let stream: StreamID? = guarded.withLock { guarded in
        guard let (id, slot) = guarded.streams.endReceiving(number) else { return nil }
        guarded.media?.end(slot)
        return id
      }
      if let stream { place.unsubscribe(from: stream) }
    case .requestKeyFrame(let number):
      let now = clock.now()
      if try offered(number) != nil, let stream = guarded.withLock({ $0.request(number, now: now) }) { place.requestKeyFrame(of: stream) }
    case .prefer(let number, let preference):
      if let stream = try offered(number) { place.prefer(preference, of: stream.id) }
    // What they may not do their own machine refuses; who has just left cannot be found.
    case .remove(let userID, let reason): try? place.remove(userID, reason: reason)
    case .mute(let userID, let isMuted): try? place.mute(userID, isMuted)
    case .renew(let token): place.renew(token)
    case .setAttribute(let key, let value): try place.setAttribute(key, value)
    case .hello, .received, .leave: break
    }
  }

  /// A stream of theirs is over, and what came of it before goes to the room.
  private func handOnRest(of number: UInt32) {
    let now = clock.now()
    guarded.withLock { guarded in
      if let slot = guarded.streams.published[number]?.slot { guarded.media?.handOnRest(of: slot, now: now) }
    }
    hand(now)
  }

  private func withOwn(_ number: UInt32, _ body: (StreamID) -> Void) throws(MediaError) {
    guard let stream = guarded.withLock({ $0.streams.published[number] }) else {
      throw HubPeer.lie("a message about a stream that it does not publish")
    }
    body(stream.id)
  }

  private func offered(_ number: UInt32) throws(MediaError) -> HubStreams.Offered? {
    let (stream, was) = guarded.withLock { ($0.streams.offered[number], $0.streams.wasOffered(number)) }
    guard was else { throw HubPeer.lie("a message about a stream that it does not know") }
    return stream
  }

  private func publish(_ number: UInt32, _ slot: HubSlot, _ codec: UInt32, _ format: StreamFormat) throws(MediaError) {
    let isVideo = if case .video = format { true } else { false }
    guard HubStreams.fits(codec, slot), isVideo == slot.isVideo else {
      throw MediaError(.unsupported, "a stream of codec \(codec) is published; a hub forwards MSDK_CODEC_VP8 and MSDK_CODEC_OPUS")
    }
    let id = place.makeStreamID()
    guard guarded.withLock({ $0.streams.publish(number, .init(id: id, slot: slot, codec: codec)) }) else {
      throw HubPeer.lie("a stream whose number or slot is in use")
    }
    do throws(MediaError) {
      try place.publish(id, codec: codec, format: format)
    } catch {
      // The member may not know yet that this is no longer permitted; once they do, they withdraw it.
      if error.status == .permission, guarded.withLock({ $0.isChanged }) { return }
      _ = guarded.withLock { $0.streams.unpublish(number) }
      // Put out meanwhile: they will be notified of it.
      if error.status != .state { throw error }
    }
  }

  private func subscribe(_ number: UInt32, _ slot: HubSlot) throws(MediaError) {
    guard let stream = try offered(number) else { return }
    let now = clock.now()
    guard guarded.withLock({ $0.streams.receive(number, at: slot, now: now) }) else {
      throw HubPeer.lie("a subscription whose slot is in use")
    }
    place.subscribe(to: stream.id, .encoded(HubSink(self, number)))
  }
}
