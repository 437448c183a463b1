import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// One session at a server of Janus, in a room: joins the client, its link to the server, the connection that publishes and the one that
/// receives.
/// After it failed another one is made. Functions may be called from any thread; what comes is handled on the event loop.
final class JanusSession: RoomSession, TransportDelegate {
  private struct State: @unchecked Sendable {
    let client: JanusClient
    var roster: JanusRoster
    var isJoined = false
    var hasFailed = false
    /// Nothing is negotiated any more.
    var isLeaving = false
    var isLeft = false
    /// The engine does not end before the server is told.
    var isAwaited = false
    var paths = RoomPaths()
    /// The server says who speaks, so that packets need not.
    var hearsTalking = false

    // What is sent.
    var publisher: WebRTCTransport?
    var publications: [RoomPublication]
    /// An offer waits for its answer, or for its candidates.
    var isOffering = false
    var isWaiting = false
    var isComplete = false
    /// The last offer was refused: no other one until the streams are others.
    var isHeld = false
    var offer = ""

    // What is received.
    var answer = ""
    var subscribed: [StreamID] = []
    /// Of streams of others.
    var choices: [StreamID: JanusLayerChoice] = [:]
    var waits: [StreamID: JanusLayerWait] = [:]
    var receptionLostAt: Int64?
    var renewedAt: Int64 = 0
    /// The server ended a connection of WebRTC, and has not said why.
    var isEnding = false
  }

  /// After `leave`, nanoseconds in which the server may answer.
  static let farewell: Int64 = 5_000_000_000
  /// After the server ended a connection of WebRTC, nanoseconds in which it may say why.
  static let reasonPatience: Int64 = 3_000_000_000
  /// Nanoseconds in which connections to the server are given up once.
  static let renewPause: Int64 = 2_000_000_000

  private let url: JanusURL
  private let own: Member
  private let link: any JanusLink
  private let thread: any DriverLoop
  private let network: any Network
  private let loop: EventLoop
  /// When time is to pass for the client.
  private let alarm: LoopAlarm
  private let capture: PacketCapture?
  private let farewells: RoomFarewells
  private let owner: any RoomSessionOwner
  private let state: Monitor<State>
  private let reception: Monitor<RoomReception<JanusSource>?>

  /// Throws `.invalid` for an access token that is none of Janus.
  init(
    _ url: JanusURL, own: Member, _ entry: RoomEntry, thread: any DriverLoop, network: any Network, loop: EventLoop,
    capture: PacketCapture?, farewells: RoomFarewells, owner: any RoomSessionOwner
  ) throws(MediaError) {
    (self.url, self.own, self.thread, self.network, self.loop) = (url, own, thread, network, loop)
    alarm = LoopAlarm(loop)
    (self.capture, self.farewells, self.owner) = (capture, farewells, owner)
    let secrets = try JanusSecrets(accessToken: entry.token.value)
    link =
      url.isWebSocket
      ? JanusSocketLink(url.endpoint, fingerprint: url.fingerprint, network: network, thread: thread)
      : JanusHTTPLink(url.endpoint, fingerprint: url.fingerprint, network: network, thread: thread, loop: loop)
    let client = JanusClient(room: url.room, name: own.displayName, secrets: secrets)
    state = Monitor(State(client: client, roster: JanusRoster(own: own.userID), publications: entry.publications))
    reception = Monitor(nil)
    let made = RoomReception<JanusSource>(url.options, network: network, thread: thread, tap: capture) { [weak self] event in
      guard let self else { return }
      self.loop.post { self.take(event) }
    }
    reception.withLock { $0 = made }
  }

  func begin() {
    do throws(MediaError) {
      try link.start { [weak self] event in
        guard let self else { return }
        self.loop.post { self.take(event) }
      }
    } catch {
      return fail(error)
    }
    change { $0.client.start(now: $1) }
  }

  /// `leave` follows, once all streams are withdrawn.
  func prepareToLeave() { state.withLock { $0.isLeaving = true } }

  /// Ends the session at the server. Nobody is told anything from now on.
  func leave() {
    let isAwaited = state.withLock { state in
      (state.isLeaving, state.isLeft) = (true, true)
      state.client.leave(now: loop.clock.now())
      state.isAwaited = !state.client.hangsUp
      return state.isAwaited
    }
    if isAwaited { farewells.begin() }
    reception.withLock { $0 }?.unsubscribe()
    hangUp()
    // At once, as the loop may end with the engine.
    while link.canSend, let request = state.withLock({ $0.client.takeRequest() }) { link.send(request) }
    loop.post { [self] in advance() }
    loop.schedule(at: loop.clock.now() &+ JanusSession.farewell) { [self] in
      link.close()
      farewellIsSaid()
    }
  }

  /// Nothing is left to be sent, or can be.
  private func farewellIsSaid() {
    let wasAwaited = state.withLock { state in
      guard state.isAwaited, state.client.hangsUp else { return false }
      state.isAwaited = false
      return true
    }
    if wasAwaited { farewells.end() }
  }

  private func hangUp() {
    guard state.withLock({ $0.isLeft && $0.client.hangsUp }) else { return }
    state.withLock { $0.publisher.take() }?.disconnect()
    reception.withLock { $0.take() }?.close()
  }

  // MARK: The server

  private func change(_ body: (inout State, _ now: Int64) -> Void) {
    state.withLock { body(&$0, loop.clock.now()) }
    loop.post { [self] in advance() }
  }

  /// Sends what is to be sent, and does what has happened. On the loop.
  private func advance() {
    while true {
      hangUp()
      let canSend = link.canSend
      let (next, request, event, target, isEnded): (Int64?, JanusRequest?, JanusClient.Event?, String?, Bool) = state.withLock { state in
        let next = state.client.poll(now: loop.clock.now())
        let request = canSend ? state.client.takeRequest() : nil
        return (next, request, state.client.takeEvent(), state.client.pollTarget, state.isLeft && state.client.isEnded)
      }
      if let request { link.send(request) }
      if let event { handle(event) }
      link.poll(target)
      if request == nil, canSend { farewellIsSaid() }
      // The request that ends it is in flight; what is written before the engine ends arrives.
      if isEnded, link.canSend {
        farewellIsSaid()
        return link.close()
      }
      guard event == nil, request == nil else { continue }
      if let next { alarm.set(at: next) { [weak self] in self?.advance() } }
      return
    }
  }

  private func take(_ event: JanusLinkEvent) {
    change { state, now in
      switch event {
      case .message(let bytes): state.client.receive(bytes, now: now)
      case .ready: return
      case .failed(let failure): state.client.fail(failure, now: now)
      }
    }
    if case .failed = event { farewellIsSaid() }
  }

  private func handle(_ event: JanusClient.Event) {
    if state.withLock({ $0.isLeft }) { return }
    do throws(MediaError) {
      switch event {
      case .joined: joined()
      case .participant(let one): tell(state.withLock { $0.roster.take(one) })
      case .left(let id): tell(state.withLock { $0.roster.remove(id) })
      case .answer(let sdp): try take(answer: sdp)
      case .publishFailed(let error): publishFailed(error)
      case .offer(let sdp, let sources): try take(offer: sdp, sources)
      case .candidate(.publisher, let text, let mid): try? state.withLock { $0.publisher }?.addRemote(candidate: text, mid: mid)
      case .candidate(.subscriber, let text, let mid): reception.withLock { $0 }?.addRemote(candidate: text, mid: mid)
      case .talking(let source, let isTalking, let level):
        state.withLock { $0.hearsTalking = true }
        speak(source, isTalking, level)
      case .layer(let source, let substream): choose(source) { $0.relays(substream) }
      case .moderated(let source, let isMuted): moderated(source, isMuted)
      case .removed: tell([.moderated(by: "", .removed, reason: "")])
      case .failed(let failure): fail(failure)
      case .ended: return
      }
    } catch {
      fail(error)
    }
  }

  private func tell(_ events: [TransportEvent]) {
    for event in events {
      if case .streamRemoved(let stream) = event { state.withLock { ($0.choices[stream], $0.waits[stream]) = (nil, nil) } }
      owner.session(self, did: event)
    }
  }

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

  // MARK: The room

  private func joined() {
    let (publications, moderates): ([RoomPublication], Bool) = state.withLock { state in
      state.isJoined = true
      return (state.publications, state.client.moderates)
    }
    tell([.connected((moderates ? Permissions.all : .ordinary).subtracting(.sendData))])
    for one in publications {
      do throws(MediaError) {
        try send(one)
      } catch {
        tell([.publishFailed(one.id, error)])
      }
    }
  }

  private func speak(_ source: JanusSource, _ isSpeaking: Bool, _ level: UInt32) {
    let known = state.withLock { state in
      state.roster.streams[source].flatMap { id in state.roster.userID(of: source.feed).map { (id, $0) } }
    }
    if let (stream, name) = known { tell([.speaking(stream, userID: name, isSpeaking, level: level)]) }
  }

  private func moderated(_ source: JanusSource, _ isMuted: Bool) {
    let (publisher, publications, isOwn) = state.withLock { ($0.publisher, $0.publications, $0.client.isOwn(source.feed)) }
    guard isOwn else { return tell(state.withLock { $0.roster.moderate(source, isMuted) }) }
    // Video goes on here: the server does not pass it on.
    let isAudio = publications.contains { !$0.isVideo && publisher?.section(of: $0.id) == source.mid }
    if isAudio { tell([.moderated(by: "", isMuted ? .muted : .unmuted, reason: "")]) }
  }

  /// Janus carries no reason.
  func remove(_ userID: String, reason: String) throws(MediaError) {
    try moderate(userID) { (client, id, now) throws(MediaError) in try client.remove(id, now: now) }
  }

  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try moderate(userID) { (client, id, now) throws(MediaError) in try client.mute(id, isMuted, now: now) }
  }

  private func moderate(_ userID: String, _ body: (JanusClient, JanusID, Int64) throws(MediaError) -> Void) throws(MediaError) {
    guard userID != own.userID else { throw MediaError(.invalid, "userID is the session's own; accepted: that of another member") }
    try state.withLock { state throws(MediaError) in
      guard let id = state.roster.id(of: userID) else {
        throw MediaError(.notFound, "no participant has the user id \"\(userID.prefix(64))\"")
      }
      try body(state.client, id, loop.clock.now())
    }
    loop.post { [self] in advance() }
  }

  // MARK: Sending

  /// In this session, or at once when it has joined.
  func publish(_ one: RoomPublication) throws(MediaError) {
    let isJoined = state.withLock { state in
      state.publications.append(one)
      state.isHeld = false
      return state.isJoined && !state.isEnding
    }
    if isJoined { try send(one) }
  }

  /// The smallest first. The server takes the first that is offered for the largest.
  private static let layerNames = ["l", "m", "h"]

  private func send(_ one: RoomPublication) throws(MediaError) {
    let (publisher, isNew): (WebRTCTransport, Bool) = state.withLock { state in
      if let publisher = state.publisher { return (publisher, false) }
      let made = WebRTCTransport(
        url.options, servers: [], own: own.userID, thread: thread, network: network, loop: loop, capture: capture, keepsCapture: true)
      (state.publisher, state.isOffering, state.isWaiting, state.isComplete, state.offer) = (made, false, false, false, "")
      return (made, true)
    }
    if isNew { publisher.connect(self) }
    do throws(MediaError) {
      let layers = one.layers.layers.count > 1 ? JanusSession.layerNames.suffix(one.layers.layers.count) : []
      // Of a session before this one others may be known. Who publishes must not be called meanwhile.
      if one.isVideo { loop.post { [self] in tell([.layers(one.id, active: one.layers.layers.map { _ in true }, bitrates: [])]) } }
      try publisher.publish(one.id, one.codec, one.format, layers: Array(layers), offersLargestFirst: true)
    } catch {
      state.withLock { $0.publications.removeAll { $0.id == one.id } }
      throw error
    }
    // What the server would have refused, it may take now.
    loop.post { [self] in offer() }
  }

  func unpublish(_ stream: StreamID) {
    let publisher: WebRTCTransport? = state.withLock { state in
      state.publications.removeAll { $0.id == stream }
      state.isHeld = false
      return state.publisher
    }
    publisher?.unpublish(stream)
  }

  /// Others read it in what is said of the stream.
  func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    let (one, publisher): (RoomPublication?, WebRTCTransport?) = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return (nil, nil) }
      state.publications[place].isMuted = isMuted
      return (state.publications[place], state.publisher)
    }
    // One that is in no description yet is described with the first.
    guard let one, let mid = publisher?.section(of: stream) else { return }
    change { $0.client.describe([(mid, JanusStreamText.of(one))], now: $1) }
  }

  /// What is wanted, and in no description yet; when the one before was answered.
  private func offer() {
    let publisher: WebRTCTransport? = state.withLock { state in
      guard !state.isOffering, !state.isHeld, !state.isLeaving, !state.hasFailed, let publisher = state.publisher else { return nil }
      state.isOffering = true
      return publisher
    }
    guard let publisher else { return }
    do throws(MediaError) {
      guard publisher.needsNegotiation else { return state.withLock { $0.isOffering = false } }
      _ = try publisher.describe()
      // Without trickle all candidates are waited for.
      let isNow = state.withLock { state in
        state.isWaiting = !url.options.trickles && !state.isComplete
        return !state.isWaiting
      }
      if isNow { try sendOffer(publisher) }
    } catch {
      fail(error)
    }
  }

  private func sendOffer(_ publisher: WebRTCTransport) throws(MediaError) {
    let text = try publisher.localDescription()
    let texts = state.withLock { $0.publications }.compactMap { one in
      publisher.section(of: one.id).map { (mid: $0, text: JanusStreamText.of(one)) }
    }
    change { state, now in
      (state.offer, state.isWaiting) = (text, false)
      state.client.publish(offer: text, texts: texts, now: now)
    }
  }

  private func take(answer sdp: String) throws(MediaError) {
    guard let publisher = state.withLock({ $0.publisher }) else { return }
    _ = try publisher.setRemote(.answer, sdp)
    state.withLock { $0.isOffering = false }
    offer()
  }

  /// What is new in the offer that was refused is not sent; what was there before goes on.
  private func publishFailed(_ error: MediaError) {
    let (publisher, refused, isFirst): (WebRTCTransport?, [StreamID], Bool) = state.withLock { state in
      let refused = state.publications.filter { !$0.isTaken }.map(\.id)
      let isFirst = refused.count == state.publications.count
      state.publications.removeAll { !$0.isTaken }
      (state.isOffering, state.isHeld) = (false, !isFirst)
      return (isFirst ? state.publisher.take() : state.publisher, refused, isFirst)
    }
    if isFirst {
      publisher?.disconnect()
    } else {
      _ = try? publisher?.setRemote(.rollback, "")
      for stream in refused { publisher?.unpublish(stream) }
    }
    tell(refused.map { .publishFailed($0, error) })
  }

  /// Of the publisher's connection.
  func transport(_ transport: any Transport, _ event: TransportEvent) {
    guard let publisher = state.withLock({ $0.isLeft ? nil : $0.publisher }), publisher === transport else { return }
    switch event {
    case .signal(.negotiationNeeded): offer()
    case .signal(.localCandidate(let text, let mid, let user)):
      let isNew = state.withLock { $0.isOffering || !$0.offer.isEmpty } && JanusSession.isNew(text, user, in: state.withLock { $0.offer })
      if isNew { change { $0.client.add(candidate: text, mid: mid, of: .publisher, now: $1) } }
    case .signal(.candidatesComplete):
      let waits = state.withLock { state in
        state.isComplete = true
        return state.isWaiting
      }
      if waits {
        do throws(MediaError) {
          try sendOffer(publisher)
        } catch {
          fail(error)
        }
      }
      change { $0.client.add(candidate: "", mid: nil, of: .publisher, now: $1) }
    case .signal(.restartWanted):
      renew()
      state.withLock { ($0.isComplete, $0.isHeld) = (false, false) }
      do throws(MediaError) { try publisher.restartICE() } catch { fail(error) }
    case .signal: return
    case .connected, .reconnected: found(.sending)
    case .reconnecting: lost(.sending)
    case .disconnected(let error): ended(.sending, error ?? MediaError(.closed, "the server ended the connection"))
    case .receivers(let stream, let count):
      state.withLock { state in
        if let place = state.publications.firstIndex(where: { $0.id == stream }) { state.publications[place].isTaken = count > 0 }
      }
      tell([event])
    case .publishFailed(let stream, _):
      state.withLock { $0.publications.removeAll { $0.id == stream } }
      tell([event])
    case .keyFrameRequested, .estimate, .network, .layers: tell([event])
    default: return
    }
  }

  // MARK: Paths

  /// What the path was lost with may have taken the connections to the server, too. Both connections of WebRTC say so.
  private func renew() {
    let now = loop.clock.now()
    let isNews = state.withLock { state in
      guard now >= state.renewedAt &+ JanusSession.renewPause else { return false }
      state.renewedAt = now
      return true
    }
    guard isNews else { return }
    link.renew()
    if !url.isWebSocket { change { $0.client.probe(now: $1) } }
  }

  private func lost(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.lose(direction) }) }
  private func found(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.find(direction) }) }

  /// A connection of WebRTC is over. The server takes a participant out with it, and what it says of that may arrive later.
  private func ended(_ direction: RoomPaths.Direction, _ error: MediaError) {
    guard error.status == .closed else { return fail(SignallingFailure(error, isFinal: error.status == .untrusted)) }
    state.withLock { $0.isEnding = true }
    lost(direction)
    loop.schedule(at: loop.clock.now() &+ JanusSession.reasonPatience) { [self] in fail(error) }
  }

  // MARK: Receiving

  func subscribe(to stream: StreamID, _ sink: StreamSink) {
    guard let source = state.withLock({ $0.roster.source(of: stream) }) else { return }
    reception.withLock { $0 }?.subscribe(to: source, sink.encoded)
    change { state, now in
      if !state.subscribed.contains(stream) { state.subscribed.append(stream) }
      want(&state, now)
    }
  }

  func unsubscribe(from stream: StreamID) {
    if let source = state.withLock({ $0.roster.source(of: stream) }) { reception.withLock { $0 }?.unsubscribe(from: source) }
    change { state, now in
      state.subscribed.removeAll { $0 == stream }
      want(&state, now)
    }
  }

  func prefer(_ preference: VideoPreference, of stream: StreamID) {
    if let source = state.withLock({ $0.roster.source(of: stream) }) { choose(source) { $0.prefer(preference) } }
  }

  /// What is known of a stream before something is preferred counts, too.
  private func choose(_ source: JanusSource, _ body: (inout JanusLayerChoice) -> Void) {
    var later: (StreamID, at: Int64)?
    change { state, now in
      guard let stream = state.roster.streams[source] else { return }
      var (choice, wait) = (state.choices[stream] ?? JanusLayerChoice(), state.waits[stream] ?? JanusLayerWait())
      let (former, due) = (choice.layer, wait.next)
      body(&choice)
      wait.wait(for: choice.awaited, now: now)
      (state.choices[stream], state.waits[stream]) = (choice, wait)
      if choice.layer != former { state.client.choose(choice.layer, of: source, now: now) }
      if let next = wait.next, next != due { later = (stream, next) }
    }
    if let (stream, at) = later { loop.schedule(at: at) { [self] in urge(stream) } }
  }

  /// The layer that was asked for has not come.
  private func urge(_ stream: StreamID) {
    let now = loop.clock.now()
    let (isDue, next) = state.withLock { (isDue: $0.waits[stream]?.isDue(now: now) == true, next: $0.waits[stream]?.next) }
    guard isDue else { return }
    requestKeyFrame(of: stream)
    if let next { loop.schedule(at: next) { [self] in urge(stream) } }
  }

  private func want(_ state: inout State, _ now: Int64) {
    state.client.want(state.subscribed.compactMap { state.roster.source(of: $0) }, now: now)
  }

  private func take(offer sdp: String, _ sources: [String: JanusSource]) throws(MediaError) {
    guard !state.withLock({ $0.isLeaving }), let reception = reception.withLock({ $0 }) else { return }
    let text = try reception.answer(sdp, sources)
    change { state, now in
      state.answer = text
      state.client.answer(text, now: now)
    }
  }

  private func take(_ event: RoomReceptionEvent<JanusSource>) {
    if state.withLock({ $0.isLeft || $0.hasFailed }) { return }
    switch event {
    case .candidate(let text, let mid, let user):
      if JanusSession.isNew(text, user, in: state.withLock { $0.answer }) {
        change { $0.client.add(candidate: text, mid: mid, of: .subscriber, now: $1) }
      }
    case .candidatesComplete: change { $0.client.add(candidate: "", mid: nil, of: .subscriber, now: $1) }
    case .restartWanted:
      renew()
      change { $0.client.restartReceiving(now: $1) }
    case .path(true):
      state.withLock { $0.receptionLostAt = nil }
      found(.receiving)
    case .path(false): receptionLost()
    case .failed(let error): ended(.receiving, error)
    case .size(let source, let width, let height): choose(source) { $0.came(width: width, height: height) }
    // Its connections have no data channels.
    case .readable: return
    case .spoke(let source, let level):
      if !state.withLock({ $0.hearsTalking }) { speak(source, level != nil, level ?? AudioFrame.silentLevel) }
    }
  }

  private func receptionLost() {
    let now = loop.clock.now()
    let isNews = state.withLock { state in
      guard state.receptionLostAt == nil else { return false }
      state.receptionLostAt = now
      return true
    }
    guard isNews else { return }
    lost(.receiving)
    loop.schedule(at: now &+ WebRTCTransport.patience) { [self] in
      guard state.withLock({ $0.receptionLostAt == now }) else { return }
      fail(MediaError(.timeout, "the path by which streams are received was lost for \(WebRTCTransport.patience / 1_000_000_000) s"))
    }
  }

  func requestKeyFrame(of stream: StreamID) {
    if let source = state.withLock({ $0.roster.source(of: stream) }) { reception.withLock { $0 }?.requestKeyFrame(of: source) }
  }

  // MARK: Figures

  var publisher: WebRTCTransport? { state.withLock { $0.publisher } }
  private var receiver: RoomReception<JanusSource>? { reception.withLock { $0 } }
  var received: TransportStats { receiver?.stats ?? TransportStats() }
  func receivedEntries(at time: Double) -> [JSON] { receiver?.statsEntries(at: time) ?? [] }

  func look(receiving stream: StreamID) -> InboundSnapshot? {
    state.withLock { $0.roster.source(of: stream) }.flatMap { source in receiver?.look(receiving: source) }
  }
}
