import MediaCore
import MediaNetwork
import MediaRTP
import MediaTransport
import MediaWebRTC

/// What happens, on the network thread.
extension WebRTCTransport: PeerDriverDelegate {
  private struct Reader: IncomingStreamsReader {
    let transport: WebRTCTransport
    let driver: PeerDriver

    /// One peer has no name; only the session's own is taken.
    var name: String { transport.own == "peer" ? "remote-peer" : "peer" }

    func medium(ofType type: UInt8, mid: String?) -> IncomingStreams.Medium? {
      let kind: Transceiver.Kind? = driver.look { peer in
        let media = peer.rtp.configuration.media
        let medium =
          media.first { $0.mid != nil && $0.mid == mid && $0.receiving[type] != nil } ?? media.first { $0.receiving[type] != nil }
        guard case .media(let format)? = medium?.receiving[type] else { return nil }
        return format.isVideo ? .video : .audio
      }
      return kind.map { .init(isVideo: $0 == .video) }
    }

    func post(_ event: TransportEvent) { transport.post(event) }
    func follow(_ event: RTPSessionEvent) { transport.follow(event, driver) }
  }

  func driver(_ driver: PeerDriver, received arrivals: [PeerArrival]) {
    incoming.handBacklogs(of: 0)
    if !arrivals.isEmpty { incoming.take(arrivals, of: 0, Reader(transport: self, driver: driver)) }
  }

  func driver(_ driver: PeerDriver, did event: PeerDriverEvent) {
    switch event {
    case .restartWanted: post(.signal(.restartWanted))
    case .serverFailed(let server, let code, let text): post(.signal(.serverFailed(server: server, code: code, text)))
    case .peer(.state(let state)): follow(state)
    case .peer(.negotiationNeeded):
      // A description of meanwhile may have what was wanted.
      if driver.look({ $0.signalling.needsNegotiation }) { post(.signal(.negotiationNeeded)) }
    case .peer(.candidate(let candidate, let mid, let user)):
      if options.trickles { post(.signal(.localCandidate("candidate:\(candidate.text)", mid: mid, user: user))) }
    case .peer(.candidatesComplete): post(.signal(.candidatesComplete))
    case .peer: break
    }
  }

  private func follow(_ event: RTPSessionEvent, _ driver: PeerDriver) {
    switch event {
    case .keyFrameRequested(let ssrc):
      let stream = state.withLock { state in state.publications.first { $0.value.sources.contains(ssrc) }?.key }
      if let stream { post(.keyFrameRequested(stream)) }
    case .target(let rate):
      let hasFeedback = driver.look { $0.rtp.configuration.hasTransportFeedback }
      // Without reports of arrivals nothing is known until something was lost.
      let isNews = state.withLock { state in
        let wasLimited = state.isLimited
        state.isLimited = hasFeedback || rate < options.bitrates.maximum
        return state.isLimited || wasLimited
      }
      if isNews { post(.estimate(UInt64(clamping: rate))) }
    case .collision(let ssrc): _ = try? driver.change { (peer, _) throws(MediaError) in peer.replaceSource(ssrc) }
    default: break
    }
  }

  // MARK: How far it has come

  private func follow(_ peer: PeerState) {
    let now = loop.clock.now()
    let (event, isSought): (TransportEvent?, Bool) = state.withLock { state in
      guard state.phase != .out else { return (nil, false) }
      switch peer {
      case .new, .closed: return (nil, false)
      case .connected:
        defer { (state.phase, state.soughtSince) = (.here, nil) }
        return (state.phase == .connecting ? .connected(.ordinary) : state.phase == .reconnecting ? .reconnected : nil, false)
      case .failed(let error) where error.status != .timeout: return (nil, false)
      case .connecting, .disconnected, .failed:
        let wasHere = state.phase == .here
        if wasHere { state.phase = .reconnecting }
        // Another attempt has its time.
        if case .connecting = peer { state.soughtSince = now }
        if wasHere || state.soughtSince == nil { state.soughtSince = now }
        return (wasHere ? .reconnecting : nil, state.soughtSince == now)
      }
    }
    if case .failed(let error) = peer, error.status != .timeout { return end(error) }
    if let event { post(event) }
    if isSought { loop.schedule(at: now &+ WebRTCTransport.patience) { self.giveUp(since: now) } }
    followAgreement()
  }

  func giveUp(since time: Int64) {
    let (isOver, wasHere) = state.withLock { state in (state.soughtSince == time, state.phase == .reconnecting) }
    guard isOver else { return }
    let seconds = WebRTCTransport.patience / 1_000_000_000
    end(
      MediaError(
        .timeout, wasHere ? "the path to the peer was lost for \(seconds) s" : "no path to the peer was found within \(seconds) s"))
  }
}
