import MediaCore
import MediaNetwork
import MediaRTP

/// What comes, on the network thread.
extension RTPTransport {
  private struct Reader: IncomingStreamsReader {
    let transport: RTPTransport
    let leg: BundleTransport

    var name: String { leg.remote.map { "\($0)" } ?? "rtp" }

    func medium(ofType type: UInt8, mid: String?) -> IncomingStreams.Medium? {
      let medium =
        leg.plan.media.first { $0.direction.receives && $0.mid != nil && $0.mid == mid && $0.receiving[type] != nil }
        ?? leg.plan.media.first { $0.direction.receives && $0.receiving[type] != nil }
      return medium.map { .init(isVideo: $0.kind == .video, frameRate: $0.frameRate) }
    }

    func post(_ event: TransportEvent) { transport.post(event) }
    func follow(_ event: RTPSessionEvent) { transport.follow(event, leg) }
  }

  func take(_ arrivals: inout [PeerArrival], isAnswered: Bool, _ leg: BundleTransport) {
    incoming.handBacklogs(of: leg.index)
    if isAnswered {
      // Who speaks first is who is spoken to.
      for stream in state.withLock({ state in state.publications.filter { $0.value.leg === leg }.map(\.key) }) {
        post(.receivers(stream, 1))
      }
    }
    guard !arrivals.isEmpty else { return }
    incoming.take(arrivals, of: leg.index, Reader(transport: self, leg: leg))
  }

  fileprivate func follow(_ event: RTPSessionEvent, _ leg: BundleTransport) {
    switch event {
    case .keyFrameRequested(let ssrc):
      let stream = state.withLock { state in state.publications.first { $0.value.leg === leg && $0.value.ssrc == ssrc }?.key }
      if let stream { post(.keyFrameRequested(stream)) }
    case .target(let rate):
      // Sound on a way of its own says nothing of how much the pictures may have.
      guard leg.plan.sendsVideo || !configuration.legs.contains(where: \.sendsVideo) else { return }
      // Without reports of arrivals nothing is known until something was lost.
      let isNews = state.withLock { state in
        let wasLimited = state.isLimited
        state.isLimited = leg.plan.hasTransportFeedback || rate < state.configuration.bitrates.maximum
        return state.isLimited || wasLimited
      }
      if isNews { post(.estimate(UInt64(clamping: rate))) }
    default: break
    }
  }
}

extension RTPConfiguration.Leg {
  fileprivate var sendsVideo: Bool { media.contains { $0.kind == .video && $0.direction.sends } }
}
