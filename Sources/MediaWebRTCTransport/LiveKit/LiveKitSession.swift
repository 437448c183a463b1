import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTransport
import MediaWebRTC

/// One session at a server that speaks LiveKit's protocol: joins the client's side of the signalling, its connection of WebSocket, the connection
/// of WebRTC that publishes and the one that receives. After it failed another one is made. Functions may be called from any thread; what comes
/// is handled on the event loop.
final class LiveKitSession: RoomSession, TransportDelegate {
  struct State: @unchecked Sendable {
    let client: LiveKitClient
    /// To the server; another one takes its place if it is lost. Counted, as is what comes of them.
    var socket: WebSocketLink?
    var sockets = 0
    /// Of connections that were lost since the last one by which the session went on.
    var attempts = 0
    /// With which the next connection is asked for.
    var token: AccessToken
    /// What the session says of itself, and what of that it said when it came.
    var attributes: ParticipantAttributes
    var said: [String: String] = [:]
    var roster = LiveKitRoster()
    var isJoined = false
    var hasFailed = false
    /// Nothing is negotiated any more.
    var isLeaving = false
    /// It leaves when its data is acknowledged, or then.
    var flushEnd: Int64?
    var isLeft = false
    var paths = RoomPaths()
    var receptionLostAt: Int64?

    // What is sent.
    var servers: [ICEServer] = []
    var publisher: WebRTCTransport?
    var publications: [RoomPublication]
    /// What the signalling calls them.
    var cids: [StreamID: String] = [:]
    var nextCID = 0
    /// Of video, from when it is offered.
    var layers: [StreamID: PublishedLayers] = [:]
    /// As a server of this library says: what others want of a stream, and how many receive it.
    var wishes: [StreamID: VideoPreference] = [:]
    var receivers: [StreamID: Int] = [:]
    /// An offer waits for its answer.
    var isOffering = false
    var offer = ""

    /// In which data is sent; nil: none is opened.
    var reliable: MessageChannelID?
    var lossy: MessageChannelID?
    /// The server has no data channels.
    var dataError: MediaError?

    // What is received.
    var answer = ""
    var reception: RoomReception<String>?
    var unannounced = UnannouncedData()

    func stream(_ cid: String) -> StreamID? { cids.first { $0.value == cid }?.key }

    func receiverCount(of place: Int) -> Int {
      guard publications[place].isTaken else { return 0 }
      return client.isExtended ? receivers[publications[place].id] ?? 0 : 1
    }

    mutating func forget(_ stream: StreamID) {
      publications.removeAll { $0.id == stream }
      (cids[stream], layers[stream], receivers[stream], wishes[stream]) = (nil, nil, nil, nil)
    }
  }

  /// After the server ended a connection of WebRTC, nanoseconds in which it may say why.
  static let reasonPatience: Int64 = 3_000_000_000
  /// Of these, until the path counts as lost.
  static let endPatience: Int64 = 300_000_000
  /// Nanoseconds for a server to pass on what it has acknowledged.
  private static let passing: Int64 = 2_000_000_000

  private let url: LiveKitURL
  /// Of both connections.
  let options: WebRTCOptions
  let own: Member
  let thread: any DriverLoop
  let network: any Network
  let loop: EventLoop
  /// When time is to pass for the client.
  private let alarm: LoopAlarm
  let capture: PacketCapture?
  let farewells: RoomFarewells
  private let owner: any RoomSessionOwner
  /// What it says, which the server alone can verify; nil: it cannot be read.
  private let grants: LiveKitGrants?
  private let moderation: LiveKitModeration
  let state: Monitor<State>
  /// Held while a message is taken and sent.
  // Not of no size: the thread sanitizer takes that for what lies beside it.
  private let sending = Monitor(false)
  /// Of the session's tracks, so that none has the name of one before.
  let label: String

  init(
    _ url: LiveKitURL, own: Member, _ entry: RoomEntry, thread: any DriverLoop, network: any Network, loop: EventLoop,
    capture: PacketCapture?, farewells: RoomFarewells, owner: any RoomSessionOwner
  ) {
    (self.url, self.own, self.thread, self.network, self.loop) = (url, own, thread, network, loop)
    alarm = LoopAlarm(loop)
    (self.capture, self.farewells, self.owner) = (capture, farewells, owner)
    grants = LiveKitToken.claims(of: entry.token.value)
    moderation = LiveKitModeration(url, thread: thread, network: network)
    var options = url.options
    options.hasChannels = true
    self.options = options
    label = String(network.random(), radix: 36)
    let guest = url.room.map { LiveKitGuest(room: $0, identity: own.userID, name: own.displayName) }
    let client = LiveKitClient(as: guest, now: loop.clock.now())
    state = Monitor(State(client: client, token: entry.token, attributes: entry.attributes, publications: entry.publications))
  }

  func begin() {
    let introduction: HTTPFields = state.withLock { state in
      guard url.room != nil else { return [:] }
      let pairs = state.attributes.keys.map { ($0, state.attributes[$0] ?? "") }
      let (fields, said) = LiveKitClient.introduction(Dictionary(uniqueKeysWithValues: pairs))
      state.said = said
      return fields
    }
    open(state.withLock { $0.client.target }, introduction)
    change { _, _ in }
  }

  /// A connection to the server, in place of the one before.
  private func open(_ target: String, _ introduction: HTTPFields = [:]) {
    let endpoint = url.endpoint
    var (fields, query) = LiveKitClient.credentials(state.withLock { $0.token.value })
    for field in introduction.list { fields.set(field.name, field.value) }
    let settings = WebSocketLink.Settings(
      name: "LiveKit", endpoint: endpoint, target: url.path + target + query, fields: fields,
      fingerprint: url.fingerprint, longest: LiveKitClient.longest, patience: LiveKitClient.entryPatience
    ) { LiveKitClient.failure($0, of: endpoint.text) }
    let socket = WebSocketLink(settings, network: network, thread: thread)
    let (former, number, isLeft): (WebSocketLink?, Int, Bool) = state.withLock { state in
      defer { if !state.isLeft { state.socket = socket } }
      state.sockets += 1
      return (state.socket, state.sockets, state.isLeft)
    }
    // It has left meanwhile: nobody would close it.
    guard !isLeft else { return }
    former?.close()
    do throws(MediaError) {
      try socket.start { [weak self] event in
        guard let self else { return }
        self.loop.post { self.take(event, of: number) }
      }
    } catch {
      fail(error)
    }
  }

  func prepareToLeave() {
    // The channel of data that was sent just before may have to be agreed on.
    if !hasUnacknowledgedData { state.withLock { $0.isLeaving = true } }
  }

  func leave() {
    if !lingers() { hangUp() }
  }

  /// A server of this library first passes on what the session has sent: until it ends the session, its connections stay.
  func hangUp() {
    let now = loop.clock.now()
    let (end, isFirst, reception): (Int64?, Bool, RoomReception<String>?) = state.withLock { state in
      let isConnected = state.socket != nil && state.client.resumeTarget == nil && !state.hasFailed
      let waits = state.reliable != nil && state.client.isExtended && isConnected
      (state.isLeaving, state.isLeft) = (true, true)
      state.client.leave()
      let wasAwaited = state.flushEnd != nil
      if waits { state.flushEnd = min(state.flushEnd ?? .max, now &+ LiveKitSession.passing) }
      return (waits ? state.flushEnd : nil, !wasAwaited, state.reception)
    }
    moderation.close()
    // At once, as the loop may end with the engine.
    flush()
    guard let end else { return close() }
    if isFirst { farewells.begin() }
    // Nothing is received any more.
    reception?.unsubscribe()
    loop.schedule(at: end) { [self] in close() }
  }

  /// Once.
  private func close() {
    let (publisher, reception, socket, isAwaited) = state.withLock { state in
      (state.publisher.take(), state.reception.take(), state.socket.take(), state.flushEnd.take() != nil)
    }
    publisher?.disconnect()
    reception?.close()
    socket?.close()
    if isAwaited { farewells.end() }
  }

  // MARK: The server

  func change(_ body: (inout State, _ now: Int64) -> Void) {
    state.withLock { body(&$0, loop.clock.now()) }
    loop.post { [self] in advance() }
  }

  /// From any thread: what another one has taken goes before what is taken here, and before the connection is closed.
  private func flush() {
    sending.withLock { _ in
      while let (message, socket) = state.withLock({ state in state.client.takeOutput().map { ($0, state.socket) } }) {
        socket?.send(.binary(message))
      }
    }
  }

  /// Does what has happened. On the loop.
  func advance() {
    while true {
      let (next, event): (Int64?, LiveKitClient.Event?) = state.withLock { state in
        (state.client.poll(now: loop.clock.now()), state.client.takeEvent())
      }
      flush()
      guard let event else {
        if let next, next != .max { alarm.set(at: next) { [weak self] in self?.advance() } }
        return
      }
      handle(event)
    }
  }

  private func take(_ event: WebSocketLinkEvent, of number: Int) {
    guard state.withLock({ $0.sockets == number }) else { return }
    switch event {
    case .message(let bytes): change { state, now in state.client.receive(bytes, now: now) }
    case .failed(let failure): if state.withLock({ $0.isLeft }) { close() } else { interrupt(failure) }
    }
  }

  // MARK: Going on

  /// Nanoseconds before the first, second, … attempt at another connection.
  private static let pauses: [Int64] = [0, 300_000_000, 1_000_000_000, 2_000_000_000]

  /// The connection to the server is lost, or leads nowhere: the session goes on over another one, if it is let.
  private func interrupt(_ failure: SignallingFailure) {
    let now = loop.clock.now()
    let time: Int64? = state.withLock { state in
      // What comes of it is nobody's.
      state.sockets += 1
      guard !state.isLeft, !state.hasFailed, state.client.interrupt(failure, now: now) else { return nil }
      defer { state.attempts += 1 }
      return now &+ LiveKitSession.pauses[min(state.attempts, LiveKitSession.pauses.count - 1)]
    }
    change { _, _ in }
    guard let time else { return }
    lost(.signalling)
    loop.schedule(at: time) { [self] in
      guard let target = state.withLock({ $0.isLeft || $0.hasFailed ? nil : $0.client.resumeTarget }) else { return }
      open(target)
    }
  }

  /// The network is another one, or a path was lost: the connection to the server may be lost, too, and nobody has noticed. By another one both paths
  /// are found anew.
  func renew() {
    if state.withLock({ $0.client.resumeTarget == nil }) {
      interrupt(SignallingFailure(MediaError(.io, "LiveKit: the network has changed, or a path was lost"), isFinal: false))
    }
  }

  private func resumed(_ servers: [ICEServer]) throws(MediaError) {
    let (publisher, offer): (WebRTCTransport?, String?) = state.withLock { state in
      (state.attempts, state.servers) = (0, servers)
      return (state.publisher, state.isOffering ? state.offer : nil)
    }
    found(.signalling)
    try publisher?.restartICE()
    // The server may have it, or not; it answers once more. What it restarts is offered after that.
    if let offer { change { state, now in state.client.offer(offer, now: now) } } else { self.offer() }
  }

  private func handle(_ event: LiveKitClient.Event) {
    if state.withLock({ $0.isLeft }) { return }
    do throws(MediaError) {
      switch event {
      case .joined(let identity, let access, let servers): try joined(identity, access, servers)
      case .resumed(let servers): try resumed(servers)
      case .permitted(let access): tell([.permissionsChanged(userID: own.userID, permissions(access))])
      case .participant(let other): tell(state.withLock { $0.roster.take(other) + $0.unannounced.announce(other.identity) })
      case .left(let identity): tell(state.withLock { $0.roster.remove(userID: identity) })
      case .offer(let sdp, let tracks): try take(offer: sdp, tracks)
      case .answer(let sdp): try take(answer: sdp)
      case .candidate(let text, let mid, isSubscribing: true): state.withLock { $0.reception }?.addRemote(candidate: text, mid: mid)
      case .candidate(let text, let mid, _): try? state.withLock { $0.publisher }?.addRemote(candidate: text, mid: mid)
      case .published(let cid, let carriesMetadata): try publish(cid, carriesMetadata: carriesMetadata)
      case .refused(let cid, let error): refused(cid, error)
      case .moderated(let cid, let isMuted, let moderator): moderated(cid, isMuted, by: moderator)
      case .wanted(let cid, let layers):
        if let stream = state.withLock({ $0.stream(cid) }) {
          follow(stream) { known in
            for (index, isWanted) in zip(known.wanted.indices, layers) { known.wanted[index] = isWanted }
          }
        }
      case .demanded(let cid, let receivers, let width, let height, let rate):
        demanded(cid, receivers, VideoPreference(width: width, height: height, frameRate: rate))
      case .speaking(let identity, let isSpeaking, let level): speak(identity, isSpeaking, level)
      // Whoever connects again shows the newest. Without API keys it is of this session alone.
      case .token(let token):
        state.withLock { $0.token = AccessToken(token) }
        if url.room == nil { owner.session(self, took: AccessToken(token)) }
      case .moderatedBy(let identity, let action, let reason):
        let moderation: Moderation = action == .remove ? .removed : action == .mute ? .muted : .unmuted
        tell([.moderated(by: identity, moderation, reason: reason)])
      case .notModerated(let identity, let error): tell([.moderationFailed(userID: identity, error)])
      case .expiring(let remaining): tell([.accessExpiring(remaining)])
      case .renewed(let error): tell([.accessRenewed(error)])
      case .failed(let failure): fail(failure)
      }
    } catch {
      fail(error)
    }
  }

  func tell(_ events: [TransportEvent]) {
    for event in events { owner.session(self, did: event) }
  }

  func fail(_ error: MediaError) {
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

  private func joined(_ identity: String, _ access: LiveKitAccess, _ servers: [ICEServer]) throws(MediaError) {
    guard identity == own.userID else {
      let theirs = identity.prefix(64)
      throw MediaError(
        .invalid, "LiveKit: the access token is of \"\(theirs)\", the session of \"\(own.userID.prefix(64))\"; accepted: the same")
    }
    var receiving = options
    // Programs may take it encoded.
    receiving.carriesVideo = true
    let reception = RoomReception<String>(receiving, servers: servers, network: network, thread: thread, tap: capture) {
      [weak self] event in
      guard let self else { return }
      self.loop.post { self.take(event) }
    }
    let publications = state.withLock { state in
      (state.isJoined, state.servers, state.reception) = (true, servers, reception)
      // A token that does not grant it has attributes of its own.
      for key in Set(state.attributes.keys).union(state.said.keys).sorted() where state.attributes[key] != state.said[key] {
        try? state.client.setAttribute(key, state.attributes[key])
      }
      return state.publications
    }
    tell([.connected(permissions(access))])
    for one in publications { announce(one) }
  }

  private func permissions(_ access: LiveKitAccess) -> Permissions {
    if let mask = access.mask { return Permissions(rawValue: mask & Permissions.all.rawValue) }
    var result: Permissions = access.subscribes ? [.receive] : []
    if grants?.isAdministrator == true { result.insert(.moderate) }
    if access.sources.contains("camera") { result.insert(.publishVideo) }
    if access.sources.contains("microphone") { result.insert(.publishAudio) }
    if access.sources.contains("screen_share") { result.insert(.shareScreen) }
    if access.sendsData { result.insert(.sendData) }
    return result
  }

  private func speak(_ userID: String, _ isSpeaking: Bool, _ level: UInt32) {
    if let stream = state.withLock({ $0.roster.voice(of: userID) }) {
      tell([.speaking(stream, userID: userID, isSpeaking, level: level)])
    }
  }

  /// Video goes on here: the server does not pass it on.
  private func moderated(_ cid: String, _ isMuted: Bool, by moderator: String) {
    let isAudio = state.withLock { state in
      guard let stream = state.stream(cid), let place = state.publications.firstIndex(where: { $0.id == stream }) else { return false }
      state.publications[place].isMuted = isMuted
      return !state.publications[place].isVideo
    }
    if isAudio { tell([.moderated(by: moderator, isMuted ? .muted : .unmuted, reason: "")]) }
  }

  func setAttribute(_ key: String, _ value: String?) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      // Before it has joined: with that.
      if state.isJoined { try state.client.setAttribute(key, value) }
      _ = try state.attributes.set(key, value)
    }
    loop.post { [self] in advance() }
  }

  func renew(_ token: AccessToken) -> Bool {
    let isShown = state.withLock { state in
      if state.client.isExtended { state.client.renew(token.value) }
      return state.client.isExtended
    }
    loop.post { [self] in advance() }
    return isShown
  }

  /// Servers of LiveKit do not read the reason.
  func remove(_ userID: String, reason: String) throws(MediaError) {
    try moderate(userID, .remove, reason: reason)
  }

  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try moderate(userID, isMuted ? .mute : .unmute, reason: "")
  }

  private func moderate(_ userID: String, _ action: LiveKitModerationAction, reason: String) throws(MediaError) {
    let (mask, audio, room, token) = state.withLock { ($0.client.mask, $0.roster.audio(of: userID), $0.client.room, $0.token.value) }
    let isInRoom = url.room != nil
    guard isInRoom ? Permissions(rawValue: mask ?? 0).contains(.moderate) : grants?.isAdministrator == true else {
      let need = !isInRoom ? "; the access token would have to grant it (roomAdmin)" : ""
      throw MediaError(.permission, "the room does not permit \"\(own.userID.prefix(64))\" to moderate\(need)")
    }
    guard userID != own.userID else {
      throw MediaError(.invalid, "user_id is \"\(userID)\", which is the session's own; accepted: another member of the room")
    }
    guard let audio else { throw MediaError(.notFound, "user_id is \"\(userID.prefix(64))\"; no member of the room has it") }
    guard !isInRoom else {
      try state.withLock { state throws(MediaError) in try state.client.moderate(userID, action, reason: reason) }
      return loop.post { [self] in advance() }
    }
    // LiveKit's API mutes a track at a time.
    let requests: [LiveKitServiceRequest.Moderation] =
      action == .remove ? [.remove(reason: reason)] : audio.map { .mute(track: $0, action == .mute) }
    try moderation.ask(requests, of: userID, in: room, token: token) { [weak self] error in
      guard let self else { return }
      self.loop.post { self.tell([.moderationFailed(userID: userID, error)]) }
    }
  }

  // MARK: Paths

  func lost(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.lose(direction) }) }
  func found(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.find(direction) }) }

  /// A connection of WebRTC is over. Why, the server may say later: the packet that ends it may be faster.
  func ended(_ direction: RoomPaths.Direction, _ error: MediaError) {
    guard error.status == .closed else { return fail(error) }
    let now = loop.clock.now()
    // A session that has ended is not reconnecting.
    loop.schedule(at: now &+ LiveKitSession.endPatience) { [self] in
      if state.withLock({ !$0.isLeft && !$0.hasFailed }) { lost(direction) }
    }
    loop.schedule(at: now &+ LiveKitSession.reasonPatience) { [self] in fail(error) }
  }

  // MARK: Figures

  var publisher: WebRTCTransport? { state.withLock { $0.publisher } }
  var received: TransportStats { state.withLock { $0.reception }?.stats ?? TransportStats() }
  func receivedEntries(at time: Double) -> [JSON] { state.withLock { $0.reception }?.statsEntries(at: time) ?? [] }
  func look(receiving stream: StreamID) -> InboundSnapshot? { place(of: stream).flatMap { $0.reception?.look(receiving: $0.sid) } }
}
