import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// A session of WHIP or WHEP: the connection of WebRTC to its client, and what passes between that and the room. Events come on the server's
/// event loop, and everything else that is not said to may be called from any thread.
final class WebPeer: WebPathSeeker, TransportDelegate {
  private struct State {
    /// Until the answer is sent.
    var reply: (@Sendable (Result<String, MediaError>) -> Void)?
    var isDescribed = false
    var hasCandidates = false
    /// There was a path.
    var wasConnected = false
    /// Counts the times at which the path was lost.
    var absences = 0
    var isConnected = false
    var isOver = false
    /// Of WHIP.
    var forwardings: [PublisherForwarding] = []
    var isMuted = false
    /// Of WHEP.
    var lanes: [PlayerLane] = []
  }

  /// Nanoseconds for the first path, and for another one after it was lost.
  static let connecting: Int64 = 20_000_000_000
  static let absence: Int64 = 30_000_000_000
  /// Sections of an offer in which streams are sent.
  static let mostLanes = 32

  let kind: WHIPClient.Kind
  /// Of WHEP: whose streams are sent; nil: everybody's.
  let participant: String?
  /// Of WHIP: what is sent is a shared screen.
  let isScreen: Bool
  private let peer: ServedPeer
  private let member: WebMember
  private let loop: EventLoop
  private let state = Monitor(State())
  private var transport: any Transport { peer.transport }

  init(_ offer: WHIPServer.Offer, isScreen: Bool, of member: WebMember, _ table: WebTable) {
    (kind, participant, self.isScreen, self.member, loop) = (offer.kind, offer.participant, isScreen, member, table.loop)
    peer = ServedPeer(
      offersLoopback: table.offersLoopback, bitrates: table.options.bitrates, ports: table.ports, thread: table.thread,
      network: table.network, loop: table.loop)
  }

  // MARK: The answer

  /// On the loop. `reply` is called once, there, unless it ends before.
  func answer(_ sdp: String, reply: @escaping @Sendable (Result<String, MediaError>) -> Void) {
    let now = loop.clock.now()
    state.withLock { $0.reply = reply }
    transport.connect(self)
    do throws(MediaError) {
      let sections = try peer.take(offer: sdp)
      switch kind {
      case .whip:
        guard sections.contains(where: \.receives) else {
          throw MediaError(.format, "the offer sends nothing; accepted: audio or video that is sent, a=sendonly")
        }
      case .whep: try makeLanes(sections)
      }
      try peer.describe()
      state.withLock { $0.isDescribed = true }
      replyIfReady()
    } catch {
      end(error)
    }
    // What has ended is not held until then.
    loop.schedule(at: now &+ WebPeer.connecting) { [weak self] in self?.endConnecting() }
  }

  private func endConnecting() {
    guard state.withLock({ !$0.wasConnected }) else { return }
    end(MediaError(.timeout, "no path to the client was found within \(WebPeer.connecting / 1_000_000_000) s"))
  }

  private func makeLanes(_ sections: [ServedPeer.Section]) throws(MediaError) {
    let wanted = sections.filter(\.sends)
    guard !wanted.isEmpty else {
      throw MediaError(.format, "the offer receives nothing; accepted: audio or video that is received, a=recvonly")
    }
    guard wanted.count <= WebPeer.mostLanes else {
      throw MediaError(.limit, "the offer receives \(wanted.count) streams; accepted: at most \(WebPeer.mostLanes)")
    }
    let member = member
    for section in wanted {
      let lane = PlayerLane(isVideo: section.isVideo, over: transport, clock: loop.clock) { member.requestKeyFrame(of: $0) }
      // Sizes and rates are those of the frames.
      let format: StreamFormat =
        section.isVideo
        ? .video(VideoFormat(.i420, width: 640, height: 360, frameRate: FrameRate(30)), kind: VideoKind.virtual.rawValue)
        : .audio(AudioFormat(.s16, sampleRate: 48_000, channels: 2), kind: 1)
      try transport.publish(lane.stream, codec: WebMember.codec(isVideo: section.isVideo), format: format)
      state.withLock { $0.lanes.append(lane) }
    }
    followStreams()
  }

  private func replyIfReady() {
    let reply: (@Sendable (Result<String, MediaError>) -> Void)? = state.withLock { state in
      state.isDescribed && state.hasCandidates ? state.reply.take() : nil
    }
    guard let reply else { return }
    do throws(MediaError) {
      reply(.success(try peer.answer()))
    } catch {
      reply(.failure(error))
      end(error)
    }
  }

  /// What a PATCH brought; of a restart what this end has for it.
  func change(_ fragment: ICEFragment, isRestart: Bool) throws(MediaError) -> ICEFragment? {
    guard isRestart else {
      try peer.add(fragment)
      return nil
    }
    return try peer.restart(fragment)
  }

  // MARK: The end

  /// Without a word to the member.
  func close() {
    let (isFirst, lanes, reply) = state.withLock { state in
      defer { (state.isOver, state.lanes) = (true, []) }
      return (!state.isOver, state.lanes, state.reply.take())
    }
    guard isFirst else { return }
    for lane in lanes { member.detach(lane) }
    transport.disconnect()
    withdraw()
    reply?(.failure(MediaError(.closed, "the session has ended")))
  }

  /// On the loop: the connection ended, cannot be made, or has to go.
  func end(_ error: MediaError) {
    let reply = state.withLock { $0.reply.take() }
    close()
    reply?(.failure(error))
    member.ended(self, error)
  }

  private func withdraw() {
    let forwardings = state.withLock { state in
      defer { state.forwardings = [] }
      return state.forwardings
    }
    for one in forwardings { member.place.unpublish(one.stream) }
  }

  // MARK: WHEP: what the room has for the client

  /// On the loop: streams came or went.
  func followStreams() {
    let lanes = state.withLock { $0.lanes }
    guard !lanes.isEmpty else { return }
    let chosen = LaneChoice.assign(
      lanes.map { ($0.isVideo, $0.source) }, member.candidates(of: participant), isOfOne: participant != nil)
    for (lane, stream) in zip(lanes, chosen) where lane.source != stream { member.attach(lane, to: stream) }
  }

  // MARK: WHIP: what the client has for the room

  /// A key frame of a stream of this client's is wanted. False: it is not of this client.
  func keyFrameRequested(_ stream: StreamID) -> Bool {
    guard let one = state.withLock({ $0.forwardings.first { $0.stream == stream } }) else { return false }
    if one.isToBeAsked(now: loop.clock.now()) { transport.requestKeyFrame(of: one.source) }
    return true
  }

  func setMuted(_ isMuted: Bool) {
    guard kind == .whip, !isScreen else { return }
    let audio = state.withLock { state in
      state.isMuted = isMuted
      return state.forwardings.filter { !$0.isVideo }
    }
    for one in audio {
      one.setMuted(isMuted)
      member.place.setMuted(one.stream, isMuted)
    }
  }

  private func publish(_ stream: StreamDescription) {
    guard kind == .whip, !state.withLock({ $0.isOver }) else { return }
    let place = member.place
    let id = place.makeStreamID()
    let isMuted = state.withLock { $0.isMuted }
    let format: StreamFormat =
      switch stream.format {
      case .video(let format, _): .video(format, kind: isScreen ? VideoKind.screenShare.rawValue : VideoKind.virtual.rawValue)
      case .audio(let format, _): .audio(format, kind: isScreen ? 2 : 1)
      }
    do throws(MediaError) {
      try place.publish(id, codec: stream.codec, format: format)
    } catch {
      // The room does not permit it; what else the client sends goes on.
      return
    }
    let one = PublisherForwarding(stream.id, as: id, isVideo: stream.isVideo, isMuted: isMuted, to: place.outlet(of: id))
    state.withLock { $0.forwardings.append(one) }
    if !stream.isVideo, isMuted { place.setMuted(id, true) }
    transport.subscribe(to: stream.id, .encoded(one))
  }

  private func forwarding(from source: StreamID) -> PublisherForwarding? {
    state.withLock { $0.forwardings.first { $0.source == source } }
  }

  // MARK: Events of the connection, on the loop

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .signal(.candidatesComplete):
      state.withLock { $0.hasCandidates = true }
      replyIfReady()
    case .connected, .reconnected:
      let (isFirst, lanes) = state.withLock { state in
        defer { (state.wasConnected, state.isConnected) = (true, true) }
        return (!state.wasConnected, state.lanes)
      }
      for lane in lanes { lane.setReachable(true) }
      if isFirst { member.connected(self) }
    case .reconnecting: lost()
    case .disconnected(let error): end(error ?? MediaError(.closed, "the client ended the connection"))
    case .streamAdded(let stream): publish(stream)
    case .streamRemoved(let source):
      guard let one = forwarding(from: source) else { return }
      state.withLock { $0.forwardings.removeAll { $0 === one } }
      member.place.unpublish(one.stream)
    case .speaking(let source, _, let isSpeaking, let level):
      if let one = forwarding(from: source) { member.place.setSpeaking(one.stream, isSpeaking, level: level) }
    case .receivers(let stream, let count): lane(stream)?.setTaken(count > 0)
    case .keyFrameRequested(let stream): lane(stream)?.keyFrameRequested()
    default: break
    }
  }

  private func lane(_ stream: StreamID) -> PlayerLane? { state.withLock { $0.lanes.first { $0.stream == stream } } }

  private func lost() {
    let (absence, lanes) = state.withLock { state in
      (state.isConnected, state.absences) = (false, state.absences + 1)
      return (state.absences, state.lanes)
    }
    for lane in lanes { lane.setReachable(false) }
    loop.schedule(at: loop.clock.now() &+ WebPeer.absence) { [weak self] in self?.endAbsence(absence) }
  }

  private func endAbsence(_ absence: Int) {
    guard state.withLock({ !$0.isConnected && $0.absences == absence }) else { return }
    end(MediaError(.timeout, "the path to the client was lost for \(WebPeer.absence / 1_000_000_000) s"))
  }
}
