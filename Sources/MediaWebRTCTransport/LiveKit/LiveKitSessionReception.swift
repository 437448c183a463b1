import MediaCore
import MediaSignalling
import MediaTransport

/// What others send, in a connection that the server offers.
extension LiveKitSession {
  func subscribe(to stream: StreamID, _ sink: StreamSink) {
    guard let (sid, reception) = place(of: stream) else { return }
    let carriesMetadata = state.withLock { $0.roster.carriesMetadata(sid) }
    reception?.subscribe(to: sid, carriesMetadata ? MetadataSink(sink.encoded) : sink.encoded)
    change { state, _ in state.client.want(sid, true) }
  }

  func unsubscribe(from stream: StreamID) {
    guard let (sid, reception) = place(of: stream) else { return }
    reception?.unsubscribe(from: sid)
    change { state, _ in state.client.want(sid, false) }
  }

  func place(of stream: StreamID) -> (sid: String, reception: RoomReception<String>?)? {
    state.withLock { state in state.roster.sid(of: stream).map { ($0, state.reception) } }
  }

  func prefer(_ preference: VideoPreference, of stream: StreamID) {
    let rate = UInt32((preference.frameRate?.perSecond ?? 0).rounded(.up))
    change { state, _ in
      guard let sid = state.roster.sid(of: stream) else { return }
      state.client.prefer(sid, width: preference.width, height: preference.height, rate: rate, priority: preference.priority.ofLiveKit)
    }
  }

  func requestKeyFrame(of stream: StreamID) {
    if let (sid, reception) = place(of: stream) { reception?.requestKeyFrame(of: sid) }
  }

  func take(offer sdp: String, _ tracks: [String: String]) throws(MediaError) {
    guard let reception = state.withLock({ $0.isLeaving ? nil : $0.reception }) else { return }
    let text = try reception.answer(sdp, tracks)
    change { state, _ in
      state.answer = text
      state.client.answer(text)
    }
  }

  func take(_ event: RoomReceptionEvent<String>) {
    if state.withLock({ $0.isLeft || $0.hasFailed }) { return }
    switch event {
    case .candidate(let text, let mid, let user):
      change { state, _ in
        if LiveKitSession.isNew(text, user, in: state.answer) { state.client.add(candidate: text, mid: mid, isSubscribing: true) }
      }
    // Of this connection the server alone begins another generation of ICE, which it does for a session that comes back.
    case .restartWanted: renew()
    case .path(true):
      state.withLock { $0.receptionLostAt = nil }
      found(.receiving)
    case .path(false): receptionLost()
    case .failed(let error): ended(.receiving, error)
    case .readable: receiveData()
    // The server says who speaks, and chooses layers.
    case .candidatesComplete, .size, .spoke: return
    }
  }

  private func receptionLost() {
    let now = loop.clock.now()
    let isNews = state.withLock { state in
      defer { state.receptionLostAt = state.receptionLostAt ?? now }
      return state.receptionLostAt == nil
    }
    guard isNews else { return }
    lost(.receiving)
    loop.schedule(at: now &+ WebRTCTransport.patience) { [self] in
      guard state.withLock({ $0.receptionLostAt == now }) else { return }
      fail(MediaError(.timeout, "the path by which streams are received was lost for \(WebRTCTransport.patience / 1_000_000_000) s"))
    }
  }
}

extension VideoPreference.Priority {
  /// 1 is the highest. Nothing is said of what is usual.
  fileprivate var ofLiveKit: UInt32 {
    switch self {
    case .high: 1
    case .medium: 0
    case .low: 192
    case .veryLow: 255
    }
  }
}
