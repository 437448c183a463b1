import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// A session's way to a room, or to a server that only takes or only sends streams: sessions there, one after the other, each with its
/// connections of WebRTC. When one is lost, the next is tried, in times that grow.
final class RoomTransport: Transport {
  /// Makes a session for its owner. Throws for a token that cannot be one.
  typealias Make = @Sendable (RoomEntry, any RoomSessionOwner) throws(MediaError) -> any RoomSession

  enum Phase {
    case idle
    /// For the first stream, if one has to be there.
    case waiting
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
    /// Streams in which somebody speaks: from before the server has heard of them, and through reconnections.
    var speaking: Set<StreamID> = []
    /// Others, by user id, and their streams: what the session at the server brought.
    var members: [String] = []
    var streams: [StreamID] = []
    var policy = ReconnectPolicy()
    /// When trying ends.
    var end = Int64.max
    /// When the next session begins; nil: none is to begin.
    var due: Int64?
    /// When the room was joined; nil: not in this session.
    var joinedAt: Int64?
    /// A path is lost, in a session that goes on.
    var isPathLost = false
    /// Data was refused, and is to be sent again.
    var isDataAwaited = false
    /// Of sessions that are over.
    var past = TransportStats()
  }

  /// Streams that are published so soon after the first are in the same session's beginning, where none was attached before `connect`.
  static let gathering: Int64 = 100_000_000
  /// So long the first session is tried.
  static let patience: Int64 = 30_000_000_000
  /// So long a lost one is replaced.
  static let absence: Int64 = 300_000_000_000

  private let network: any Network
  private let loop: EventLoop
  private let capture: PacketCapture?
  private let rules: RoomRules
  private let make: Make
  let state: Monitor<State>

  /// Throws as `rules.accepts`.
  init(
    _ context: TransportContext, network: any Network, capture: PacketCapture?, _ rules: RoomRules, make: @escaping Make
  ) throws(MediaError) {
    try rules.accepts(context.token)
    (self.network, self.capture, self.rules, self.make, loop) = (network, capture, rules, make, context.loop)
    state = Monitor(State(token: context.token, attributes: context.member.attributes))
  }

  private func post(_ event: TransportEvent) {
    loop.post { [self] in tell(event) }
  }

  /// On the loop.
  private func tell(_ event: TransportEvent) { state.withLock { $0.delegate }?.transport(self, event) }

  // MARK: Connecting

  var publishesBeforeConnected: Bool { rules.needsStream }

  func connect(_ delegate: any TransportDelegate) {
    let isFirst = state.withLock { state in
      guard state.phase == .idle else { return false }
      (state.delegate, state.phase) = (delegate, .waiting)
      return true
    }
    if isFirst, !rules.needsStream { begin(at: .min) }
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
    do throws(MediaError) {
      let session: (any RoomSession)? = try state.withLock { state throws(MediaError) in
        // It began sooner, or the next one begins later.
        guard let due = state.due, due <= now else { return nil }
        state.due = nil
        guard state.phase != .out, state.session == nil, !rules.needsStream || !state.publications.isEmpty else { return nil }
        let session = try make(RoomEntry(token: state.token, attributes: state.attributes, publications: state.publications), self)
        if state.phase == .waiting { (state.phase, state.end) = (.connecting, now &+ RoomTransport.patience) }
        (state.session, state.joinedAt, state.isPathLost) = (session, nil, false)
        return session
      }
      session?.begin()
    } catch {
      end(error)
    }
  }

  // MARK: Streams out

  func makeStreamID() -> StreamID { StreamID.next() }

  func publish(
    _ stream: StreamID, codec: UInt32, format: StreamFormat, layers: StreamLayers, carriesMetadata: Bool
  ) throws(MediaError) {
    _ = try WebRTCTransport.check(codec, format)
    if !rules.takesLayers { try layers.checkIsOne(over: "a session of this kind") }
    let one = RoomPublication(id: stream, codec: codec, format: format, layers: layers, carriesMetadata: carriesMetadata)
    let session: (any RoomSession)? = try state.withLock { state throws(MediaError) in
      guard state.phase != .idle, state.phase != .out else { throw MediaError(.state, "the session is not connecting or connected") }
      try rules.admits(one, state.publications)
      state.publications.append(one)
      return state.session
    }
    guard let session else {
      if rules.needsStream { begin(at: loop.clock.now() &+ RoomTransport.gathering) }
      return
    }
    do throws(MediaError) {
      try session.publish(one)
    } catch {
      state.withLock { $0.publications.removeAll { $0.id == stream } }
      throw error
    }
  }

  /// No other stream has to be waited for.
  func attachedArePublished() {
    let isFirst = state.withLock { $0.phase == .waiting && $0.session == nil && !$0.publications.isEmpty }
    if isFirst { begin(at: .min) }
  }

  func unpublish(_ stream: StreamID) {
    let session: (any RoomSession)? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      state.publications.remove(at: place)
      state.speaking.remove(stream)
      return state.session
    }
    session?.unpublish(stream)
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {
    let session: (any RoomSession)? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      state.publications[place].format = format
      return state.session
    }
    session?.setFormat(stream, format)
  }

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    let session: (any RoomSession)? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      state.publications[place].isMuted = isMuted
      return state.session
    }
    session?.setMuted(stream, isMuted)
  }

  // MARK: Data

  func send(_ message: DataMessage) throws(MediaError) {
    do throws(MediaError) {
      try pass(message)
    } catch {
      guard error.status == .again else { throw error }
      if message.isLossy { return }
      state.withLock { $0.isDataAwaited = true }
      // Room that was made meanwhile was reported to nobody. Somebody else may wait, too: one event too many does no harm.
      try pass(message)
    }
  }

  private func pass(_ message: DataMessage) throws(MediaError) {
    let (phase, session): (Phase, (any RoomSession)?) = state.withLock { ($0.phase, $0.session) }
    guard phase == .here || phase == .reconnecting else { throw MediaError(.state, "the session is not connected") }
    guard let session else { throw MediaError(.again, "the session is reconnecting") }
    try session.send(message)
  }

  /// Data may be sent again that was refused.
  private func resumeData() {
    let isAwaited = state.withLock { state in
      defer { state.isDataAwaited = false }
      return state.isDataAwaited
    }
    if isAwaited { tell(.dataWritable) }
  }

  // MARK: Access

  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    var (attributes, session): (ParticipantAttributes, (any RoomSession)?) = state.withLock { ($0.attributes, $0.session) }
    guard try attributes.set(key, value) else { return }
    try session?.setAttribute(key, value)
    state.withLock { $0.attributes = attributes }
  }

  /// The next session at the server shows it, and this one if the server takes it meanwhile.
  func renew(_ token: AccessToken) {
    do throws(MediaError) {
      try rules.accepts(token)
      let session: (any RoomSession)? = state.withLock { state in
        state.token = token
        return state.session
      }
      if session?.renew(token) != true { post(.accessRenewed(nil)) }
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
    var renewed: StreamID?
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
        guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { break }
        state.publications[place].isTaken = count > 0
        guard count > 0, state.publications[place].wasTaken, state.publications[place].isVideo else { break }
        (state.publications[place].wasTaken, renewed) = (false, stream)
      case .publishFailed(let stream, _): state.publications.removeAll { $0.id == stream }
      case .dataWritable: return nil
      default: break
      }
      return event
    }
    if let news { tell(news) }
    // Not every server asks for one.
    if let renewed { tell(.keyFrameRequested(renewed)) }
    switch event {
    case .connected, .dataWritable: resumeData()
    default: break
    }
  }

  func session(_ session: any RoomSession, took token: AccessToken) {
    state.withLock { state in
      if state.session === session { state.token = token }
    }
  }

  func session(_ session: any RoomSession, failed failure: SignallingFailure) {
    let (events, next) = follow(failure, of: ObjectIdentifier(session), RoomTransport.stats(of: session))
    session.leave()
    for event in events { tell(event) }
    guard let next else { return end(failure.error) }
    if next != .max { begin(at: next) }
  }

  /// What is to be said, and when the next attempt is: .max where there is none to be made, nil where there is no time left for it. By itself, as each
  /// kind of session would have it compiled once more.
  private func follow(
    _ failure: SignallingFailure, of session: ObjectIdentifier, _ stats: TransportStats
  ) -> (events: [TransportEvent], next: Int64?) {
    let now = loop.clock.now()
    var random = NetworkRandom(network: network)
    return state.withLock { state in
      guard let present = state.session, ObjectIdentifier(present) == session, state.phase != .out else { return ([], .max) }
      state.session = nil
      state.past = state.past + stats
      let wasHere = state.phase == .here
      if state.phase != .connecting, state.end == .max { (state.phase, state.end) = (.reconnecting, now &+ RoomTransport.absence) }
      var events: [TransportEvent] = []
      for place in state.publications.indices where state.publications[place].isTaken {
        (state.publications[place].isTaken, state.publications[place].wasTaken) = (false, true)
        events.append(.receivers(state.publications[place].id, 0))
      }
      events += state.streams.map { .streamRemoved($0) }
      let gone: [TransportEvent] = state.members.map { .left(userID: $0) }
      (state.streams, state.members) = ([], [])
      state.policy.lasted(state.joinedAt.map { now &- $0 } ?? 0)
      // The server does not know yet that the session before is over: the user id becomes free.
      let isOwn = failure.error.status == .exists && state.phase == .reconnecting && failure.status != nil
      let isFirst = state.phase == .connecting && !rules.isPatient
      let isFinal = isFirst || failure.isFinal && !isOwn
      let known = SignallingFailure(failure.error, status: failure.status, isFinal: isFinal, retryAfter: failure.retryAfter)
      guard let own = state.policy.delay(after: known, random: &random), now < state.end, now &+ (failure.retryAfter ?? 0) < state.end
      else {
        // The session leaves the others, and not they the session.
        return (events, nil)
      }
      // The last attempt is made when the time is over.
      let delay = min(own, state.end &- now)
      return ((wasHere ? [.reconnecting] : []) + events + gone + [.retrying(failure.error, after: delay)], now &+ delay)
    }
  }
}

// MARK: What the connections do

extension RoomTransport {
  private var session: (any RoomSession)? { state.withLock { $0.session } }
  private var publisher: WebRTCTransport? { session?.publisher }

  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID) -> SendResult { send(frame, id, on: stream, layer: 0) }
  func send(_ frame: EncodedFrame, _ id: FrameID, on stream: StreamID, layer: Int) -> SendResult {
    let (session, phase, isSpeaking) = state.withLock { ($0.session, $0.phase, $0.speaking.contains(stream)) }
    guard let publisher = session?.publisher else { return phase == .reconnecting || phase == .here ? .noReceiver : .notConnected }
    return publisher.send(frame, id, on: stream, layer: layer, isSpeaking: isSpeaking)
  }

  func setSpeaking(_ stream: StreamID, _ isSpeaking: Bool, level: UInt32) {
    state.withLock { state in
      // Speech may end after its stream.
      if isSpeaking, state.publications.contains(where: { $0.id == stream }) {
        state.speaking.insert(stream)
      } else {
        state.speaking.remove(stream)
      }
    }
  }
  func setDemand(_ bitrate: UInt64) { publisher?.setDemand(bitrate) }
  func setTargetBitrate(_ stream: StreamID, layer: Int, _ bitrate: UInt64) {
    publisher?.setTargetBitrate(stream, layer: layer, bitrate)
  }
  func backlog(of stream: StreamID) -> Int64 { publisher?.backlog(of: stream) ?? 0 }
  func carriage(of stream: StreamID) -> Carriage { publisher?.carriage(of: stream) ?? Carriage() }
  func subscribe(to stream: StreamID, _ sink: StreamSink) { session?.subscribe(to: stream, sink) }
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
