import MediaCore
import MediaRTP
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// Offers and answers, and which stream is sent in which section.
extension LiveKitMedia {
  func take(offer sdp: String) {
    guard let owner else { return }
    let (now, sections) = (table.clock.now(), owner.look { $0.sections })
    do throws(MediaError) {
      guard state.withLock({ $0.requests.take(at: now) }) else { throw MediaError(.limit, "the client makes too many offers") }
      guard sections.count <= LiveKitMedia.mostSections else {
        throw MediaError(.format, "the offer has \(sections.count) sections; accepted: at most \(LiveKitMedia.mostSections)")
      }
      let peer = makePeer(owner)
      _ = try peer.take(offer: sdp)
      state.withLock { $0.isAsked = false }
      endPublishing(sections, owner)
      if subscriber == nil { fill(sections, peer, owner) }
      try peer.describe()
      let text = try peer.answer()
      let sent: [(String, String)] = state.withLock { state in
        guard state.subscriber == nil else { return [] }
        state.vacated = []
        return state.remotes.compactMap { one in one.mid.map { ($0, one.sid) } }
      }
      owner.change { $0.answer(text, tracks: Dictionary(sent) { first, _ in first }) }
      arrange()
    } catch {
      fail(error, owner)
    }
  }

  func addRemote(candidate: String, mid: String?, isSubscribing: Bool) {
    (isSubscribing ? subscriber : peer)?.add(candidate: candidate, mid: mid)
  }

  /// Tracks that the client sends no longer.
  private func endPublishing(_ sections: [LiveKitOffer.Section], _ owner: LiveKitMember) {
    let live = owner.look { signalling in Set(sections.filter(\.isSent).compactMap { signalling.track(of: $0)?.sid }) }
    let gone: [(sid: String, forwarding: TrackForwarding?)] = state.withLock { state in
      let gone = state.offered.subtracting(live).sorted()
      state.offered = live
      return gone.map { ($0, state.forwardings.removeValue(forKey: $0)) }
    }
    for one in gone {
      if let forwarding = one.forwarding { withdraw(forwarding) }
      owner.change { $0.unpublish(one.sid) }
    }
  }

  /// The same of one, which may not have been offered yet.
  func withdraw(_ sid: String) {
    if let gone = state.withLock({ $0.forwardings.removeValue(forKey: sid) }) { withdraw(gone) }
    owner?.change { $0.unpublish(sid) }
  }

  /// Streams that the client takes and is not sent, in their order.
  private func waiting(_ owner: LiveKitMember) -> [StreamDescription] {
    guard grants.subscribes else { return [] }
    let remotes = state.withLock { $0.remotes.filter { $0.lane == nil && !$0.isRefused } }
    return owner.look { signalling in remotes.filter { signalling.wants($0.sid) }.map(\.stream) }
  }

  /// Puts streams into sections that have none, audio first.
  private func fill(_ sections: [LiveKitOffer.Section], _ peer: ServedPeer, _ owner: LiveKitMember) {
    let waiting = waiting(owner)
    for isVideo in [false, true] {
      var free = state.withLock { $0.free(sections, isVideo: isVideo) }
      for stream in waiting where isVideo == stream.isVideo {
        guard state.withLock({ $0.laneCount < LiveKitMedia.mostLanes }) else { break }
        guard let codec = ForwardedCodec(stream.codec), let place = free.firstIndex(where: { $0.codecs.contains(codec.name) }) else {
          continue
        }
        send(stream, in: free.remove(at: place).mid, peer, owner)
      }
      let taken = Set(sections.filter { $0.isVideo == isVideo && $0.isReceived }.flatMap(\.codecs))
      for stream in waiting where isVideo == stream.isVideo && !taken.isEmpty {
        guard let codec = ForwardedCodec(stream.codec), !taken.contains(codec.name) else { continue }
        cannotReceive(stream.id, because: MediaError(.unsupported, "the stream is of \(codec.name), which the client does not receive"))
      }
    }
  }

  /// Whoever publishes it is notified once.
  func cannotReceive(_ stream: StreamID, because error: MediaError) {
    let isNews = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }), !state.remotes[index].isRefused else { return false }
      state.remotes[index].isRefused = true
      return true
    }
    if isNews { place.cannotReceive(stream, because: error) }
  }

  /// Of version 0: what waits is offered, once the answer to the offer before has come.
  func offer(_ subscriber: ServedPeer, _ owner: LiveKitMember) {
    guard state.withLock({ !$0.isOffering }) else { return }
    do throws(MediaError) {
      for stream in waiting(owner) where state.withLock({ $0.laneCount < LiveKitMedia.mostLanes }) {
        send(stream, in: nil, subscriber, owner)
      }
      guard subscriber.needsNegotiation, takeTurn() else { return }
      let text = try subscriber.offer()
      state.withLock { ($0.isOffering, $0.lastOffer) = (true, text) }
      owner.change { $0.offer(text) }
    } catch {
      fail(error, owner)
    }
  }

  /// To an offer of this end.
  func take(answer sdp: String) {
    guard let subscriber, let owner, state.withLock({ $0.isOffering }) else { return }
    do throws(MediaError) {
      try subscriber.take(answer: sdp)
      state.withLock { $0.isOffering = false }
      offer(subscriber, owner)
    } catch {
      fail(error, owner)
    }
  }

  /// `mid`: the section of the client's offer; nil: one that this end offers.
  func send(_ stream: StreamDescription, in mid: String?, _ peer: ServedPeer, _ owner: LiveKitMember) {
    let (sid, group) = (LiveKitRegistry.sid(of: stream.id), owner.look { $0.sid(of: stream.userID) } ?? "")
    let place = place
    let lane = PlayerLane(isVideo: stream.isVideo, over: peer.transport, clock: table.clock) { place.requestKeyFrame(of: $0) }
    do throws(MediaError) {
      try peer.publish(
        lane.stream, codec: stream.codec, format: stream.format, in: mid, as: (group: "\(group)|\(sid)", id: sid),
        appendsTrailers: stream.carriesMetadata && owner.look { $0.takesTrailers })
    } catch {
      // This section cannot take it; another offer may have one that can.
      return
    }
    lane.follow(stream.id)
    let isPaused: Bool = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream.id }) else { return true }
      (state.remotes[index].mid, state.remotes[index].lane) = (mid, lane)
      return state.remotes[index].isPaused
    }
    if !isPaused { subscribe(to: stream.id, lane) }
  }

  /// Asks the client for an offer, if a stream waits for a section.
  func arrange() {
    guard let owner else { return }
    if let subscriber { return offer(subscriber, owner) }
    let (waiting, sections, now) = (waiting(owner), owner.look { $0.sections }, table.clock.now())
    let missing: [Int]? = state.withLock { state in
      guard !state.isAsked, state.peer != nil, !waiting.isEmpty, state.laneCount < LiveKitMedia.mostLanes else { return nil }
      let missing = [false, true].map { isVideo in
        max(0, waiting.count { $0.isVideo == isVideo } - state.free(sections, isVideo: isVideo).count)
      }
      guard sections.count + missing[0] + missing[1] <= LiveKitMedia.mostSections else { return nil }
      guard state.turns.take(at: now) else {
        rest(&state, now)
        return nil
      }
      state.isAsked = true
      return missing
    }
    if let missing { owner.change { $0.require(audio: missing[0], video: missing[1]) } }
  }

  /// False: it is tried again when there may be another.
  private func takeTurn() -> Bool {
    let now = table.clock.now()
    return state.withLock { state in
      if state.turns.take(at: now) { return true }
      rest(&state, now)
      return false
    }
  }

  private func rest(_ state: inout State, _ now: Int64) {
    guard !state.isResting else { return }
    state.isResting = true
    table.loop.schedule(at: state.turns.time(at: now)) { [weak self] in
      guard let self else { return }
      self.state.withLock { $0.isResting = false }
      arrange()
    }
  }
}
