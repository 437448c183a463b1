import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// One session at a server of WHIP or WHEP: requests of HTTP that agree on one connection of WebRTC, and that connection. After it failed another one
/// is made. Functions may be called from any thread; what comes is handled on the event loop.
final class WHIPSession: RoomSession, TransportDelegate {
  private struct State: @unchecked Sendable {
    let client: WHIPClient
    /// What was offered last, or answered to a counter-offer.
    var local = ""
    /// The last answer of the server; nil: there is none, or the server offered.
    var answer: String?
    var isStarted = false
    var isRestarting = false
    /// Streams came or went while ICE was restarted.
    var isChanged = false
    var hasFailed = false
    var isLeft = false
  }

  /// After `leave`, nanoseconds in which the server may answer.
  static let farewell: Int64 = 5_000_000_000

  private let peer: WebRTCTransport
  private let kind: WHIPClient.Kind
  private let trickles: Bool
  private let requester: HTTPRequester
  private let loop: EventLoop
  private let owner: any RoomSessionOwner
  /// What it begins with: each has a section of the offer.
  private let publications: [RoomPublication]
  private let state: Monitor<State>

  /// Throws `.invalid` for a token that cannot be sent.
  init(
    _ url: WHIPURL, own: String, _ entry: RoomEntry, thread: any DriverLoop, network: any Network, loop: EventLoop, capture: PacketCapture?,
    owner: any RoomSessionOwner
  ) throws(MediaError) {
    (publications, kind, trickles) = (entry.publications, url.kind, url.options.trickles)
    (self.loop, self.owner) = (loop, owner)
    peer = WebRTCTransport(
      url.options, servers: [], own: own, thread: thread, network: network, loop: loop, capture: capture, keepsCapture: true)
    requester = HTTPRequester(network: network, thread: thread, fingerprint: url.fingerprint)
    state = Monitor(State(client: try WHIPSession.client(url, entry.token)))
  }

  /// Throws `.invalid` for a token that cannot be sent.
  static func client(_ url: WHIPURL, _ token: AccessToken) throws(MediaError) -> WHIPClient {
    try WHIPClient(url.kind, url.endpoint, token: token.value.isEmpty ? nil : token.value)
  }

  /// Offers the streams, or to receive.
  func begin() {
    peer.connect(self)
    do throws(MediaError) {
      try requester.start()
      for one in publications { try peer.publish(one.id, one.codec, one.format) }
      _ = try peer.describe()
      // Else when all candidates are known.
      if trickles { start() }
    } catch {
      fail(error)
    }
  }

  func leave() {
    let now = loop.clock.now()
    state.withLock { state in
      state.isLeft = true
      state.client.leave(now: now)
    }
    peer.disconnect()
    advance()
    loop.schedule(at: now &+ WHIPSession.farewell) { [self] in requester.close() }
  }

  // MARK: HTTP

  private func start() {
    do throws(MediaError) {
      let text = try peer.localDescription()
      let (user, password) = try WHIPSession.credentials(in: text)
      try state.withLock { state throws(MediaError) in
        guard !state.isStarted, !state.isLeft else { return }
        (state.isStarted, state.local) = (true, text)
        try state.client.start(offer: text, user: user, password: password, now: loop.clock.now())
      }
    } catch {
      return fail(error)
    }
    advance()
  }

  /// Sends what is to be sent, and does what has happened.
  private func advance() {
    while true {
      let now = loop.clock.now()
      let (next, event, exchange, isEnded): (Int64?, WHIPClient.Event?, WHIPClient.Exchange?, Bool) = state.withLock { state in
        let next = state.client.poll(now: now)
        let exchange = state.client.takeRequest()
        return (next, state.client.takeEvent(), exchange, state.isLeft && state.client.isEnded)
      }
      if let exchange {
        requester.send(exchange.request, to: exchange.url) { [self] answer in loop.post { [self] in take(answer) } }
      }
      if let event { handle(event) }
      if isEnded { return requester.close() }
      guard event == nil, exchange == nil else { continue }
      if let next { loop.schedule(at: next) { [self] in advance() } }
      return
    }
  }

  private func take(_ answer: HTTPRequester.Answer) {
    let (now, wallClock) = (loop.clock.now(), loop.clock.wallTime())
    state.withLock { state in
      switch answer {
      case .success(let response): state.client.receive(response, now: now, wallClock: wallClock)
      case .failure(let error): state.client.fail(error, now: now)
      }
    }
    advance()
  }

  private func handle(_ event: WHIPClient.Event) {
    do throws(MediaError) {
      switch event {
      case .answer(let sdp, let servers): try take(answer: sdp, servers)
      case .counterOffer(let sdp, let servers): try take(counterOffer: sdp, servers)
      case .established, .trickleFailed, .ended: return
      case .restarted(let fragment): try take(restart: fragment)
      case .restartFailed(let failure):
        fail(SignallingFailure(failure.error, status: failure.status, isFinal: false, retryAfter: failure.retryAfter))
      case .failed(let failure): fail(failure)
      }
    } catch {
      fail(error)
    }
  }

  /// What was agreed on cannot be done here, or the peer's connection failed.
  private func fail(_ error: MediaError) {
    fail(SignallingFailure(error, isFinal: ![.timeout, .closed, .io, .again].contains(error.status)))
  }

  private func fail(_ failure: SignallingFailure) {
    let isNews = state.withLock { state in
      defer { state.hasFailed = true }
      return !state.hasFailed && !state.isLeft
    }
    if isNews { loop.post { [self] in owner.session(self, failed: failure) } }
  }

  // MARK: Descriptions

  private static func credentials(in text: String) throws(MediaError) -> (user: String, password: String) {
    guard let found = WHIPDescriptions.credentials(in: text) else {
      throw MediaError(.fail, "a description of this end has no credentials of ICE")
    }
    return found
  }

  private func take(answer sdp: String, _ servers: [ICEServer]) throws(MediaError) {
    // Of those that cannot be used, others may do.
    for server in servers { try? peer.add(server) }
    guard !WHIPDescriptions.isRefusal(sdp) else { throw MediaError(.unsupported, "the server refuses all that was offered to it") }
    _ = try peer.setRemote(.answer, sdp)
    state.withLock { $0.answer = sdp }
  }

  /// The server offers what it has instead (draft-ietf-wish-whep, section 4.2).
  private func take(counterOffer sdp: String, _ servers: [ICEServer]) throws(MediaError) {
    for server in servers { try? peer.add(server) }
    _ = try peer.setRemote(.offer, sdp)
    _ = try peer.describe()
    let text = try peer.localDescription()
    let (user, password) = try WHIPSession.credentials(in: text)
    try state.withLock { state throws(MediaError) in
      (state.local, state.answer) = (text, nil)
      try state.client.answer(text, user: user, password: password, now: loop.clock.now())
    }
  }

  /// A new generation of ICE. Where the server made the offer another session takes its place.
  private func restart() {
    let (canRestart, isAnother) = state.withLock { state in
      guard state.answer != nil, !state.isLeft, !state.hasFailed else { return (false, false) }
      defer { state.isRestarting = true }
      return (true, state.isRestarting)
    }
    guard canRestart else { return }
    // What the path was lost with may have taken it, too.
    requester.renewConnection()
    do throws(MediaError) {
      // The addresses have changed again before the server has answered: what was offered first leads nowhere.
      if isAnother { _ = try peer.setRemote(.rollback, "") }
      try peer.restartICE()
      _ = try peer.describe()
      let text = try peer.localDescription()
      let (user, password) = try WHIPSession.credentials(in: text)
      try state.withLock { state throws(MediaError) in
        state.local = text
        let now = loop.clock.now()
        try state.client.restart(user: user, password: password, now: now)
        for line in WHIPDescriptions.lines(of: text) where line.utf8.starts(with: "a=candidate:".utf8) {
          if let candidate = try Candidate(parsing: String(line.dropFirst(2))) { try state.client.add(candidate, now: now) }
        }
      }
    } catch {
      return fail(error)
    }
    advance()
  }

  private func take(restart fragment: ICEFragment) throws(MediaError) {
    guard let answer = state.withLock({ $0.answer }) else { return }
    let next = WHIPDescriptions.answer(answer, with: fragment)
    _ = try peer.setRemote(.answer, WHIPDescriptions.answer(next, to: state.withLock { $0.local }))
    let isChanged = state.withLock { state in
      defer { (state.answer, state.isRestarting, state.isChanged) = (next, false, false) }
      return state.isChanged
    }
    if isChanged { try agree() }
  }

  // MARK: Streams

  /// One more, in a section that the offer has. Throws `.state` where none is free.
  func publish(_ one: RoomPublication) throws(MediaError) {
    guard publications.contains(where: { $0.isVideo == one.isVideo }) else {
      throw MediaError(
        .state,
        "the session began without \(one.isVideo ? "video" : "audio"), and WHIP agrees on media once; accepted: streams that are started before the "
          + "session connects, and others in the place of stopped ones")
    }
    try peer.publish(one.id, one.codec, one.format)
    try change()
  }

  func unpublish(_ stream: StreamID) {
    peer.unpublish(stream)
    do throws(MediaError) {
      try change()
    } catch {
      // Another session may do.
      fail(SignallingFailure(error, isFinal: false))
    }
  }

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {}

  private func change() throws(MediaError) {
    let isNow = state.withLock { state in
      state.isChanged = true
      guard state.answer != nil, !state.isRestarting else { return false }
      state.isChanged = false
      return true
    }
    if isNow { try agree() }
  }

  /// What is sent in a section has changed, and nothing that the server agreed on: it hears nothing of it (RFC 9725, section 4.2).
  private func agree() throws(MediaError) {
    guard let answer = state.withLock({ $0.answer }) else { return }
    _ = try peer.describe()
    _ = try peer.setRemote(.answer, WHIPDescriptions.answer(answer, to: try peer.localDescription()))
  }

  // MARK: The peer

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .signal(.negotiationNeeded): return
    case .signal(.localCandidate(let text, _, let user)): trickle(text, user)
    case .signal(.candidatesComplete):
      if state.withLock({ $0.isStarted }) {
        state.withLock { $0.client.endOfCandidates(now: loop.clock.now()) }
        advance()
      } else {
        start()
      }
    case .signal(.restartWanted): restart()
    case .disconnected(let error): fail(error ?? MediaError(.closed, "the server ended the connection"))
    // The server says nothing of what may be done.
    case .connected: owner.session(self, did: .connected(kind == .whip ? [.publishVideo, .publishAudio, .shareScreen] : .receive))
    // Who sends nothing has none.
    case .estimate where kind == .whep: return
    default: owner.session(self, did: event)
    }
  }

  private func trickle(_ text: String, _ user: String) {
    let isNew = state.withLock { state in
      guard state.isStarted, !state.isLeft, let known = WHIPDescriptions.credentials(in: state.local), known.user == user,
        !state.local.has(text), let candidate = try? Candidate(parsing: text)
      else { return false }
      // Of so many that wait, some were enough.
      try? state.client.add(candidate, now: loop.clock.now())
      return true
    }
    if isNew { advance() }
  }

  // MARK: Receiving

  func subscribe(to stream: StreamID, _ sink: StreamSink) { peer.subscribe(to: stream, sink) }
  func unsubscribe(from stream: StreamID) { peer.unsubscribe(from: stream) }
  func requestKeyFrame(of stream: StreamID) { peer.requestKeyFrame(of: stream) }

  // MARK: Others

  func remove(_ userID: String, reason: String) throws(MediaError) { throw WHIPSession.noRoom }
  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) { throw WHIPSession.noRoom }
  private static let noRoom = MediaError(.unsupported, "a session of WHIP or WHEP has a server and no room: it has no moderation")

  // MARK: Figures

  var publisher: WebRTCTransport? { peer }
  /// One connection does both.
  var received: TransportStats { TransportStats() }
  func receivedEntries(at time: Double) -> [JSON] { [] }
  func look(receiving stream: StreamID) -> InboundSnapshot? { peer.look(receiving: stream) }
}
