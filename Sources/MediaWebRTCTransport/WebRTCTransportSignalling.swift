import MediaCore
import MediaRTP
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// What the program carries to and from the other end.
extension WebRTCTransport {
  func describe() throws(MediaError) -> DescriptionKind {
    let options = options
    let kind = try driver().signal { (peer, now) throws(MediaError) in
      let kind: DescriptionKind = peer.signalling.state == .haveRemoteOffer ? .answer : .offer
      // A second offer would make the first one's answer meaningless.
      guard peer.signalling.state != .haveLocalOffer else {
        throw MediaError(.state, "an offer of this end waits for its answer; accepted: the answer, or a rollback")
      }
      if kind == .offer {
        // Who publishes nothing may still receive.
        for (kind, isReceived) in [(Transceiver.Kind.audio, options.receivesAudio), (.video, options.receivesVideo)] where isReceived {
          guard !peer.signalling.transceivers.contains(where: { $0.kind == kind && !$0.isStopped }) else { continue }
          _ = try peer.addTransceiver(kind, .receiveOnly)
        }
      }
      _ = try peer.setLocal(kind, now: now)
      return kind
    }
    followAgreement()
    followExchange()
    return kind
  }

  /// An exchange of descriptions that agreed on nothing leads to no path: another one has its time.
  private func followExchange() {
    let now = loop.clock.now()
    guard let driver = state.withLock({ $0.driver }), driver.look({ $0.signalling.state == .stable && $0.state == .new }) else { return }
    let isSought = state.withLock { state in
      guard state.phase == .connecting else { return false }
      state.soughtSince = now
      return true
    }
    if isSought { loop.schedule(at: now &+ WebRTCTransport.patience) { self.giveUp(since: now) } }
  }

  /// Something is wanted that no description has, and none is being agreed on.
  var needsNegotiation: Bool { (try? driver())?.look { $0.signalling.needsNegotiation } ?? false }

  func localDescription() throws(MediaError) -> String {
    guard let text = try driver().look({ $0.signalling.localDescription }) else {
      throw MediaError(.state, "there is no description of this end; accepted after msdk_session_describe")
    }
    return text
  }

  func setRemote(_ kind: DescriptionKind, _ text: String) throws(MediaError) -> WebRTCTarget.Outcome {
    let outcome = try driver().signal { (peer, now) throws(MediaError) in try peer.setRemote(kind, text, now: now) }
    let isIgnored = if case .ignored = outcome { true } else { false }
    state.withLock { $0.ignores = isIgnored }
    followAgreement()
    followExchange()
    return isIgnored ? .ignored : .applied
  }

  func addRemote(candidate text: String, mid: String?) throws(MediaError) {
    do throws(MediaError) {
      try driver().change { (peer, now) throws(MediaError) in try peer.addRemote(candidate: text, mid: mid, now: now) }
    } catch {
      guard error.status == .notFound, state.withLock({ $0.ignores }) else { throw error }
    }
  }

  func add(_ server: ICEServer) throws(MediaError) { try driver().add(server) }
  func restartICE() throws(MediaError) { try driver().restartICE() }

  /// What the other end takes now of what is published.
  func followAgreement() {
    guard let driver = state.withLock({ $0.driver }) else { return }
    let (events, refused): ([TransportEvent], [StreamID]) = state.withLock { state in
      let isHere = state.phase == .here || state.phase == .reconnecting
      var (events, refused): ([TransportEvent], [StreamID]) = ([], [])
      for (stream, publication) in state.publications.inKeyOrder {
        let (agreed, isRefused): ([(ssrc: SSRC, rid: String?)], Bool) = driver.look { peer in
          guard let transceiver = peer.signalling.transceiver(publication.transceiver) else { return ([], true) }
          let medium = peer.signalling.negotiated?.media.first { $0.transceiver == publication.transceiver }
          guard let medium, medium.codec?.encoding.lowercased() == publication.encoding.format?.name.lowercased(),
            peer.stream(publication.transceiver) != nil
          else { return ([], transceiver.isStopped) }
          return (medium.sources, false)
        }
        let isTaken = isHere && !agreed.isEmpty
        state.publications[stream]?.sources = agreed.map(\.ssrc)
        state.publications[stream]?.isTaken = isTaken
        if !agreed.isEmpty, !publication.layers.isEmpty {
          let isOne = agreed.count == 1 && agreed[0].rid == nil
          let places = publication.layers.map { name in
            isOne ? (name == publication.layers.last ? 0 : nil) : agreed.firstIndex { $0.rid == name }
          }
          if places.map({ $0 == nil }) != publication.places.map({ $0 == nil }) {
            events.append(.layers(stream, active: places.map { $0 != nil }, bitrates: []))
          }
          state.publications[stream]?.places = places
        }
        if isTaken != publication.isTaken { events.append(.receivers(stream, isTaken ? 1 : 0)) }
        if isRefused, !publication.isRefused { refused.append(stream) }
        state.publications[stream]?.isRefused = isRefused
      }
      return (events, refused)
    }
    for event in events { post(event) }
    for stream in refused { post(.publishFailed(stream, MediaError(.unsupported, "the peer refuses the stream's medium"))) }
  }
}
