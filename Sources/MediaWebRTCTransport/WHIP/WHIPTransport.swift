import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// A session's way to a server of WHIP or WHEP: sessions there, one after the other, each with a connection of WebRTC. Of WHIP the first is made when
/// streams are published; of WHEP at once. When one is lost, the next is tried, in times that grow.
final class WHIPTransport: Transport {
  enum Phase {
    case idle
    /// For the first stream of WHIP.
    case waiting
    /// There was no path yet.
    case connecting
    case here
    /// There was one.
    case reconnecting
    case out
  }

  struct State {
    var delegate: (any TransportDelegate)?
    var phase = Phase.idle
    var token: AccessToken
    var session: WHIPSession?
    /// In the order in which they were published.
    var publications: [WHIPPublication] = []
    /// Others, by user id, and their streams: what the session at the server brought.
    var members: [String] = []
    var streams: [StreamID] = []
    var policy = ReconnectPolicy()
    /// When trying ends.
    var end = Int64.max
    /// When the next session begins; nil: none is to begin.
    var due: Int64?
    /// When there was a path; nil: not in this session.
    var connectedAt: Int64?
    /// Of sessions that are over.
    var past = TransportStats()
  }

  /// Streams that are published so soon after the first are offered with it, where none was attached before `connect`.
  static let gathering: Int64 = 100_000_000
  /// So long the first session is tried.
  static let patience: Int64 = 30_000_000_000
  /// So long a lost one is replaced.
  static let absence: Int64 = 300_000_000_000

  let url: WHIPURL
  private let own: String
  private let thread: any DriverLoop
  private let network: any Network
  private let loop: EventLoop
  private let capture: PacketCapture?
  let state: Monitor<State>

  /// Throws `.invalid` for a token that cannot be sent.
  init(
    _ url: WHIPURL, own: String, token: AccessToken, thread: any DriverLoop, network: any Network, loop: EventLoop, capture: PacketCapture?
  ) throws(MediaError) {
    _ = try WHIPClient(url.kind, url.endpoint, token: token.value.isEmpty ? nil : token.value)
    (self.url, self.own, self.thread, self.network, self.loop, self.capture) = (url, own, thread, network, loop, capture)
    state = Monitor(State(token: token))
  }

  private func post(_ event: TransportEvent) {
    loop.post { [self] in tell(event) }
  }

  /// On the loop.
  private func tell(_ event: TransportEvent) { state.withLock { $0.delegate }?.transport(self, event) }

  // MARK: Connecting

  var publishesBeforeConnected: Bool { url.kind == .whip }

  func connect(_ delegate: any TransportDelegate) {
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      (state.delegate, state.phase) = (delegate, .waiting)
      return true
    }
    if isFirst, url.kind == .whep { begin(at: .min) }
  }

  func disconnect() {
    state.withLock { $0.delegate = nil }
    stop()
  }

  /// Whether it was not stopped before.
  @discardableResult
  private func stop() -> Bool {
    let (isFirst, session): (Bool, WHIPSession?) = state.withLock { state in
      defer { (state.phase, state.publications) = (.out, []) }
      return (state.phase != .out, state.session.take())
    }
    session?.leave()
    if isFirst { capture?.close() }
    return isFirst
  }

  private func end(_ error: MediaError) {
    if stop() { tell(.disconnected(error)) }
  }

  /// Another session at the server, then; or sooner, if one is to begin sooner.
  private func begin(at time: Int64) {
    let isNews = state.withLock { state in
      guard state.due.map({ time < $0 }) ?? true else { return false }
      state.due = time
      return true
    }
    if isNews { loop.schedule(at: time) { [self] in begin() } }
  }

  private func begin() {
    let now = loop.clock.now()
    let peer = WebRTCTransport(
      url.options, servers: [], own: own, thread: thread, network: network, loop: loop, capture: capture, keepsCapture: true)
    do throws(MediaError) {
      let session: WHIPSession? = try state.withLock { state throws(MediaError) in
        // It began sooner, or the next one begins later.
        guard let due = state.due, due <= now else { return nil }
        state.due = nil
        // Of WHIP a stream begins it.
        guard state.phase != .out, state.session == nil, url.kind == .whep || !state.publications.isEmpty else { return nil }
        let session = try WHIPSession(
          url, token: state.token, state.publications, peer, thread: thread, network: network, loop: loop, owner: self)
        if state.phase == .waiting { (state.phase, state.end) = (.connecting, now &+ WHIPTransport.patience) }
        (state.session, state.connectedAt) = (session, nil)
        return session
      }
      session?.begin()
    } catch {
      end(error)
    }
  }

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers) throws(MediaError) {
    guard url.kind == .whip else {
      throw MediaError(.unsupported, "a session of WHEP receives only; accepted: a session of WHIP for streams that are sent")
    }
    let (kind, _) = try WebRTCTransport.check(codec, format, layers)
    let one = WHIPPublication(id: stream, codec: codec, format: format, layers: layers, kind: kind)
    let session: WHIPSession? = try state.withLock { state throws(MediaError) in
      guard state.phase != .idle, state.phase != .out else { throw MediaError(.state, "the session is not connecting or connected") }
      guard !state.publications.contains(where: { $0.kind == kind }) else {
        throw MediaError(
          .limit, "the session sends a stream of \(kind.rawValue) already; accepted over WHIP: one of each kind (RFC 9725, section 4.4.2)")
      }
      if state.session == nil { state.publications.append(one) }
      return state.session
    }
    guard let session else { return begin(at: loop.clock.now() &+ WHIPTransport.gathering) }
    try session.publish(one)
    state.withLock { $0.publications.append(one) }
  }

  /// No other stream has to be waited for.
  func attachedArePublished() {
    if state.withLock({ !$0.publications.isEmpty && $0.session == nil && $0.phase == .waiting }) { begin(at: .min) }
  }

  func unpublish(_ stream: StreamID) {
    let session: WHIPSession? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      state.publications.remove(at: place)
      return state.session
    }
    session?.unpublish(stream)
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {
    state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return }
      state.publications[place].format = format
    }
  }

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {}

  // MARK: Access

  /// The next session shows it; this one goes on with the token that it began with.
  func renew(_ token: AccessToken) {
    do throws(MediaError) {
      _ = try WHIPClient(url.kind, url.endpoint, token: token.value.isEmpty ? nil : token.value)
      state.withLock { $0.token = token }
      post(.accessRenewed(nil))
    } catch {
      post(.accessRenewed(error))
    }
  }

  func remove(_ userID: String, reason: String) throws(MediaError) { throw WHIPTransport.noRoom }
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) { throw WHIPTransport.noRoom }
  private static let noRoom = MediaError(.unsupported, "a session of WHIP or WHEP has a server and no room: it has no moderation")

  // MARK: Figures

  var stats: TransportStats {
    let (past, peer) = state.withLock { ($0.past, $0.session?.peer) }
    return peer.map { past + $0.stats } ?? past
  }
}

// MARK: What comes of a session

extension WHIPTransport: WHIPSessionOwner {
  func session(_ session: WHIPSession, did event: TransportEvent) {
    let now = loop.clock.now()
    let news: TransportEvent? = state.withLock { state in
      guard state.session === session else { return nil }
      switch event {
      case .connected, .reconnected:
        defer { (state.phase, state.end) = (.here, .max) }
        state.connectedAt = state.connectedAt ?? now
        switch state.phase {
        case .connecting: return .connected(url.kind == .whip ? [.publishVideo, .publishAudio, .shareScreen] : .receive)
        case .reconnecting: return .reconnected
        default: return nil
        }
      case .reconnecting:
        guard state.phase == .here else { return nil }
        (state.phase, state.end) = (.reconnecting, now &+ WHIPTransport.absence)
      case .joined(let member): state.members.append(member.userID)
      case .left(let name): state.members.removeAll { $0 == name }
      case .streamAdded(let stream): state.streams.append(stream.id)
      case .streamRemoved(let stream): state.streams.removeAll { $0 == stream }
      case .receivers(let stream, let count):
        if let place = state.publications.firstIndex(where: { $0.id == stream }) { state.publications[place].isTaken = count > 0 }
      // Who sends nothing has none.
      case .estimate where url.kind == .whep: return nil
      default: break
      }
      return event
    }
    if let news { tell(news) }
  }

  func session(_ session: WHIPSession, failed failure: SignallingFailure) {
    let now = loop.clock.now()
    let stats = session.peer.stats
    var random = NetworkRandom(network: network)
    let (events, next): ([TransportEvent], Int64?) = state.withLock { state in
      guard state.session === session, state.phase != .out else { return ([], .max) }
      state.session = nil
      state.past = state.past + stats
      var events: [TransportEvent] = []
      if state.phase == .here {
        (state.phase, state.end) = (.reconnecting, now &+ WHIPTransport.absence)
        events.append(.reconnecting)
      }
      for place in state.publications.indices where state.publications[place].isTaken {
        state.publications[place].isTaken = false
        events.append(.receivers(state.publications[place].id, 0))
      }
      events += state.streams.map { .streamRemoved($0) } + state.members.map { .left(userID: $0) }
      (state.streams, state.members) = ([], [])
      state.policy.lasted(state.connectedAt.map { now &- $0 } ?? 0)
      guard let delay = state.policy.delay(after: failure, random: &random), now &+ delay < state.end else { return (events, nil) }
      return (events, now &+ delay)
    }
    session.leave()
    for event in events { tell(event) }
    guard let next else { return end(failure.error) }
    if next != .max { begin(at: next) }
  }
}

// MARK: What the peer does

extension WHIPTransport {
  private var peer: WebRTCTransport? { state.withLock { $0.session }?.peer }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    guard let peer else { return state.withLock({ $0.phase == .reconnecting }) ? .noReceiver : .notConnected }
    return peer.send(frame, id, on: stream)
  }

  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) { peer?.setSpeaking(stream, isSpeaking, level: level) }
  func setTargetBitrate(_ stream: StreamID, _ bitrate: UInt64) { peer?.setTargetBitrate(stream, bitrate) }
  func backlog(of stream: StreamID) -> Int64 { peer?.backlog(of: stream) ?? 0 }
  func carriage(of stream: StreamID) -> Carriage { peer?.carriage(of: stream) ?? Carriage() }
  func subscribe(to stream: StreamID, _ sink: StreamSink) { peer?.subscribe(to: stream, sink) }
  func unsubscribe(from stream: StreamID) { peer?.unsubscribe(from: stream) }
  func requestKeyFrame(of stream: StreamID) { peer?.requestKeyFrame(of: stream) }
  var networkFigures: NetworkFigures? { peer?.networkFigures }
  func look(sending stream: StreamID) -> OutboundSnapshot? { peer?.look(sending: stream) }
  func look(receiving stream: StreamID) -> InboundSnapshot? { peer?.look(receiving: stream) }
  func statsEntries(at time: Double) -> [JSON] { peer?.statsEntries(at: time) ?? [] }
}
