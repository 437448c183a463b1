import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// A session's way to a room: sessions at its server, one after the other, each with its connections of WebRTC. When one is lost, the next
/// is tried, in times that grow.
final class RoomTransport: Transport {
  /// Makes a session that shows the token, and says that of its participant. Throws for a token that cannot be one.
  typealias Make =
    @Sendable (AccessToken, ParticipantAttributes, any RoomSessionOwner) throws(MediaError) -> any RoomSession

  enum Phase {
    case idle
    /// The room was not joined yet.
    case connecting
    case here
    /// It was.
    case reconnecting
    case out
  }

  struct State {
    var delegate: (any TransportDelegate)?
    var phase = Phase.idle
    var token: AccessToken
    /// Of the session's own participant.
    var attributes: ParticipantAttributes
    var session: (any RoomSession)?
    /// In the order in which they were published.
    var publications: [RoomPublication] = []
    /// Others, by user id, and their streams: what the session at the server brought.
    var members: [String] = []
    var streams: [StreamID] = []
    var policy = ReconnectPolicy()
    /// When trying ends.
    var end = Int64.max
    /// When the room was joined; nil: not in this session.
    var joinedAt: Int64?
    /// A path is lost, in a session that goes on.
    var isPathLost = false
    /// Of sessions that are over.
    var past = TransportStats()
  }

  /// So long the first session is tried.
  static let patience: Int64 = 30_000_000_000
  /// So long a lost one is replaced.
  static let absence: Int64 = 300_000_000_000

  private let network: any Network
  private let loop: EventLoop
  private let capture: PacketCapture?
  private let check: @Sendable (AccessToken) throws(MediaError) -> Void
  private let make: Make
  let state: Monitor<State>

  /// `check` throws for a token that cannot be one, as this does.
  init(
    _ context: TransportContext, network: any Network, capture: PacketCapture?,
    check: @escaping @Sendable (AccessToken) throws(MediaError) -> Void = { (_) throws(MediaError) in }, make: @escaping Make
  ) throws(MediaError) {
    try check(context.token)
    (self.network, self.capture, self.check, self.make, loop) = (network, capture, check, make, context.loop)
    state = Monitor(State(token: context.token, attributes: context.member.attributes))
  }

  private func post(_ event: TransportEvent) {
    loop.post { [self] in tell(event) }
  }

  /// On the loop.
  private func tell(_ event: TransportEvent) { state.withLock { $0.delegate }?.transport(self, event) }

  // MARK: Connecting

  func connect(_ delegate: any TransportDelegate) {
    let now = loop.clock.now()
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      (state.delegate, state.phase, state.end) = (delegate, .connecting, now &+ RoomTransport.patience)
      return true
    }
    if isFirst { loop.post { [self] in begin() } }
  }

  func prepareToDisconnect() { session?.prepareToLeave() }

  func disconnect() {
    state.withLock { $0.delegate = nil }
    stop()
  }

  /// Whether it was not stopped before.
  @discardableResult
  private func stop() -> Bool {
    let (isFirst, session): (Bool, (any RoomSession)?) = state.withLock { state in
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

  private func begin() {
    do throws(MediaError) {
      let (session, publications): ((any RoomSession)?, [RoomPublication]) = try state.withLock { state throws(MediaError) in
        guard state.phase != .out, state.session == nil else { return (nil, []) }
        let session = try make(state.token, state.attributes, self)
        (state.session, state.joinedAt, state.isPathLost) = (session, nil, false)
        return (session, state.publications)
      }
      session?.begin(publications)
    } catch {
      end(error)
    }
  }

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(_ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers) throws(MediaError) {
    _ = try WebRTCTransport.check(codec, format, layers)
    let one = RoomPublication(id: stream, codec: codec, format: format, layers: layers)
    let session: (any RoomSession)? = try state.withLock { state throws(MediaError) in
      guard state.phase == .here || state.phase == .reconnecting else {
        throw MediaError(.state, "the session is not connected")
      }
      state.publications.append(one)
      return state.session
    }
    do throws(MediaError) {
      try session?.publish(one)
    } catch {
      state.withLock { $0.publications.removeAll { $0.id == stream } }
      throw error
    }
  }

  func unpublish(_ stream: StreamID) {
    let session: (any RoomSession)? = state.withLock { state in
      state.publications.removeAll { $0.id == stream }
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

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    let session: (any RoomSession)? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      state.publications[place].isMuted = isMuted
      return state.session
    }
    session?.setMuted(stream, isMuted)
  }

  // MARK: Access

  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    var (attributes, session): (ParticipantAttributes, (any RoomSession)?) = state.withLock { ($0.attributes, $0.session) }
    guard try attributes.set(key, value) else { return }
    try session?.setAttribute(key, value)
    state.withLock { $0.attributes = attributes }
  }

  /// The next session at the server shows it; this one goes on with the token that it began with.
  func renew(_ token: AccessToken) {
    do throws(MediaError) {
      try check(token)
      state.withLock { $0.token = token }
      post(.accessRenewed(nil))
    } catch {
      post(.accessRenewed(error))
    }
  }

  func remove(_ userID: String, reason: String) throws(MediaError) { try joined().remove(userID, reason: reason) }
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) { try joined().mute(userID, isMuted) }

  private func joined() throws(MediaError) -> any RoomSession {
    guard let session = state.withLock({ $0.session }) else { throw MediaError(.state, "the session is not connected") }
    return session
  }

  // MARK: Figures

  var stats: TransportStats {
    let (past, session) = state.withLock { ($0.past, $0.session) }
    return past + (session.map(RoomTransport.stats) ?? TransportStats())
  }

  private static func stats(of session: any RoomSession) -> TransportStats {
    session.received + (session.publisher?.stats ?? TransportStats())
  }
}

// MARK: What comes of a session

extension RoomTransport: RoomSessionOwner {
  func session(_ session: any RoomSession, did event: TransportEvent) {
    let now = loop.clock.now()
    let news: TransportEvent? = state.withLock { state in
      guard state.session === session else { return nil }
      switch event {
      case .connected:
        defer { (state.phase, state.end, state.joinedAt) = (.here, .max, now) }
        return state.phase == .connecting ? event : .reconnected
      // The room is there all the same: a session that ends decides.
      case .reconnecting:
        guard state.phase == .here else { return nil }
        (state.phase, state.isPathLost) = (.reconnecting, true)
      case .reconnected:
        guard state.isPathLost else { return nil }
        (state.phase, state.isPathLost) = (.here, false)
      case .joined(let member): state.members.append(member.userID)
      case .left(let name): state.members.removeAll { $0 == name }
      case .streamAdded(let stream): state.streams.append(stream.id)
      case .streamRemoved(let stream): state.streams.removeAll { $0 == stream }
      case .receivers(let stream, let count):
        if let place = state.publications.firstIndex(where: { $0.id == stream }) { state.publications[place].isTaken = count > 0 }
      case .publishFailed(let stream, _): state.publications.removeAll { $0.id == stream }
      default: break
      }
      return event
    }
    if let news { tell(news) }
  }

  func session(_ session: any RoomSession, took token: AccessToken) {
    state.withLock { state in
      if state.session === session { state.token = token }
    }
  }

  func session(_ session: any RoomSession, failed failure: SignallingFailure) {
    let now = loop.clock.now()
    let stats = RoomTransport.stats(of: session)
    var random = NetworkRandom(network: network)
    let (events, next): ([TransportEvent], Int64?) = state.withLock { state in
      guard state.session === session, state.phase != .out else { return ([], .max) }
      state.session = nil
      state.past = state.past + stats
      var events: [TransportEvent] = []
      if state.phase == .here { events.append(.reconnecting) }
      if state.phase != .connecting, state.end == .max { (state.phase, state.end) = (.reconnecting, now &+ RoomTransport.absence) }
      for place in state.publications.indices where state.publications[place].isTaken {
        state.publications[place].isTaken = false
        events.append(.receivers(state.publications[place].id, 0))
      }
      events += state.streams.map { .streamRemoved($0) } + state.members.map { .left(userID: $0) }
      (state.streams, state.members) = ([], [])
      state.policy.lasted(state.joinedAt.map { now &- $0 } ?? 0)
      guard let delay = state.policy.delay(after: failure, random: &random), now &+ delay < state.end else { return (events, nil) }
      return (events, now &+ delay)
    }
    session.leave()
    for event in events { tell(event) }
    guard let next else { return end(failure.error) }
    if next != .max { loop.schedule(at: next) { [self] in begin() } }
  }
}

// MARK: What the connections do

extension RoomTransport {
  private var session: (any RoomSession)? { state.withLock { $0.session } }
  private var publisher: WebRTCTransport? { session?.publisher }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult {
    guard let publisher else { return state.withLock({ $0.phase == .reconnecting || $0.phase == .here }) ? .noReceiver : .notConnected }
    return publisher.send(frame, id, on: stream)
  }

  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) { publisher?.setSpeaking(stream, isSpeaking, level: level) }
  func setTargetBitrate(_ stream: StreamID, _ bitrate: UInt64) { publisher?.setTargetBitrate(stream, bitrate) }
  func backlog(of stream: StreamID) -> Int64 { publisher?.backlog(of: stream) ?? 0 }
  func carriage(of stream: StreamID) -> Carriage { publisher?.carriage(of: stream) ?? Carriage() }
  func subscribe(to stream: StreamID, _ sink: StreamSink) { session?.subscribe(to: stream, sink.encoded) }
  func unsubscribe(from stream: StreamID) { session?.unsubscribe(from: stream) }
  func prefer(_ preference: VideoPreference, of stream: StreamID) { session?.prefer(preference, of: stream) }
  func requestKeyFrame(of stream: StreamID) { session?.requestKeyFrame(of: stream) }
  var networkFigures: NetworkFigures? { publisher?.networkFigures }
  func look(sending stream: StreamID) -> OutboundSnapshot? { publisher?.look(sending: stream) }
  func look(receiving stream: StreamID) -> InboundSnapshot? { session?.look(receiving: stream) }
  func statsEntries(at time: Double) -> [JSON] {
    (publisher?.statsEntries(at: time) ?? []) + (session?.receivedEntries(at: time) ?? [])
  }
}
