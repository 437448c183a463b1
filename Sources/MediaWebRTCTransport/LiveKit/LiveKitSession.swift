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

  private let url: LiveKitURL
  /// Of both connections.
  private let options: WebRTCOptions
  let own: Member
  private let thread: any DriverLoop
  private let network: any Network
  let loop: EventLoop
  private let capture: PacketCapture?
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
  private let label: String

  init(
    _ url: LiveKitURL, own: Member, _ entry: RoomEntry, thread: any DriverLoop, network: any Network, loop: EventLoop,
    capture: PacketCapture?, farewells: RoomFarewells, owner: any RoomSessionOwner
  ) {
    (self.url, self.own, self.thread, self.network, self.loop) = (url, own, thread, network, loop)
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

  func hangUp() {
    let (publisher, reception, isAwaited): (WebRTCTransport?, RoomReception<String>?, Bool) = state.withLock { state in
      (state.isLeaving, state.isLeft) = (true, true)
      state.client.leave()
      return (state.publisher.take(), state.reception.take(), state.flushEnd.take() != nil)
    }
    publisher?.disconnect()
    reception?.close()
    moderation.close()
    // At once, as the loop may end with the engine.
    flush()
    state.withLock { $0.socket.take() }?.close()
    if isAwaited { farewells.end() }
  }

  // MARK: The server

  private func change(_ body: (inout State, _ now: Int64) -> Void) {
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
  private func advance() {
    while true {
      let (next, event): (Int64?, LiveKitClient.Event?) = state.withLock { state in
        (state.client.poll(now: loop.clock.now()), state.client.takeEvent())
      }
      flush()
      guard let event else {
        if let next, next != .max { loop.schedule(at: next) { [self] in advance() } }
        return
      }
      handle(event)
    }
  }

  private func take(_ event: WebSocketLinkEvent, of number: Int) {
    guard state.withLock({ $0.sockets == number }) else { return }
    switch event {
    case .message(let bytes): change { state, now in state.client.receive(bytes, now: now) }
    case .failed(let failure): interrupt(failure)
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
  private func renew() {
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
    if let offer { change { state, _ in state.client.offer(offer) } } else { self.offer() }
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
      case .moderated(let cid, let isMuted): moderated(cid, isMuted)
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
  private func moderated(_ cid: String, _ isMuted: Bool) {
    let isAudio = state.withLock { state in
      guard let stream = state.stream(cid), let place = state.publications.firstIndex(where: { $0.id == stream }) else { return false }
      state.publications[place].isMuted = isMuted
      return !state.publications[place].isVideo
    }
    if isAudio { tell([.moderated(by: "", isMuted ? .muted : .unmuted, reason: "")]) }
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

  /// LiveKit's API takes no reason.
  func remove(_ userID: String, reason: String) throws(MediaError) {
    try moderate(userID, .remove, reason: reason) { _ in [.remove] }
  }

  func mute(_ userID: String, _ isMuted: Bool) throws(MediaError) {
    try moderate(userID, isMuted ? .mute : .unmute, reason: "") { $0.map { .mute(track: $0, isMuted) } }
  }

  /// `requests`: by the sids of their audio, of a server that has only LiveKit's API.
  private func moderate(
    _ userID: String, _ action: LiveKitModerationAction, reason: String, _ requests: ([String]) -> [LiveKitServiceRequest.Moderation]
  ) throws(MediaError) {
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
    try moderation.ask(requests(audio), of: userID, in: room, token: token) { [weak self] error in
      guard let self else { return }
      self.loop.post { self.tell([.moderationFailed(userID: userID, error)]) }
    }
  }

  // MARK: Sending

  func publish(_ one: RoomPublication) throws(MediaError) {
    let isJoined = try state.withLock { state throws(MediaError) in
      if let mask = state.client.mask, !Permissions(rawValue: mask).isSuperset(of: one.format.needed) {
        throw MediaError(.permission, "the room does not permit \"\(own.userID.prefix(64))\" to \(one.format.publishing)")
      }
      state.publications.append(one)
      return state.isJoined
    }
    if isJoined { announce(one) }
  }

  private func announce(_ one: RoomPublication) {
    var sizes: [(width: UInt32, height: UInt32)] = []
    if case .video(let format, _) = one.format {
      sizes = one.layers.layers.indices.map { one.layers.size(of: $0, width: format.width, height: format.height) }
    }
    change { state, now in
      state.nextCID += 1
      let cid = "\(label)-\(state.nextCID)"
      state.cids[one.id] = cid
      state.client.announce(
        cid, isScreen: one.isScreen, layers: sizes, isMuted: one.isMuted, isEncrypted: own.encrypts,
        carriesMetadata: one.carriesMetadata, format: one.format.announced, now: now)
    }
  }

  func setFormat(_ stream: StreamID, _ format: StreamFormat) {
    change { state, _ in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return }
      state.publications[place].format = format
      if let cid = state.cids[stream] { state.client.setFormat(cid, format.announced) }
    }
  }

  /// The server knows what is about to come.
  private func publish(_ cid: String, carriesMetadata: Bool) throws(MediaError) {
    // It may have ended meanwhile.
    guard let one = state.withLock({ state in state.publications.first { state.cids[$0.id] == cid } }) else { return }
    guard let publisher = connectPublisher() else { return }
    // Of a session before this one others may be known.
    if one.isVideo {
      tell([.layers(one.id, active: one.layers.layers.map { _ in true }, bitrates: []), .wanted(one.id, .any)])
    }
    do throws(MediaError) {
      let layers = one.layers.layers.count > 1 ? LiveKitClient.layerNames.prefix(one.layers.layers.count) : []
      try publisher.publish(
        one.id, one.codec, one.format, layers: Array(layers), as: RTPMedia.Track(label, cid), appendsTrailers: carriesMetadata)
    } catch {
      return refused(cid, error)
    }
    loop.post { [self] in offer() }
  }

  /// The connection that sends, which begins with the first thing to be sent. nil: the session has left.
  func connectPublisher() -> WebRTCTransport? {
    let (publisher, isNew): (WebRTCTransport?, Bool) = state.withLock { state in
      guard !state.isLeft, state.publisher == nil else { return (state.publisher, false) }
      let made = WebRTCTransport(
        options, servers: state.servers, own: own.userID, thread: thread, network: network, loop: loop, capture: capture,
        keepsCapture: true)
      state.publisher = made
      return (made, true)
    }
    if isNew { publisher?.connect(self) }
    return publisher
  }

  private func refused(_ cid: String, _ error: MediaError) {
    let (stream, publisher): (StreamID?, WebRTCTransport?) = state.withLock { state in
      state.client.withdraw(cid)
      guard let stream = state.stream(cid) else { return (nil, nil) }
      state.forget(stream)
      return (stream, state.publisher)
    }
    guard let stream else { return }
    publisher?.unpublish(stream, endsSection: true)
    tell([.publishFailed(stream, error)])
  }

  func unpublish(_ stream: StreamID) {
    let publisher: WebRTCTransport? = state.withLock { state in
      if let cid = state.cids[stream] { state.client.withdraw(cid) }
      state.forget(stream)
      return state.publisher
    }
    publisher?.unpublish(stream, endsSection: true)
    loop.post { [self] in advance() }
  }

  func setMuted(_ stream: StreamID, _ isMuted: Bool) {
    change { state, _ in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return }
      state.publications[place].isMuted = isMuted
      if let cid = state.cids[stream] { state.client.setMuted(cid, isMuted) }
    }
  }

  /// What is wanted, and in no description yet; when the one before was answered.
  private func offer() {
    let publisher: WebRTCTransport? = state.withLock { state in
      guard !state.isOffering, !state.isLeaving, !state.hasFailed, let publisher = state.publisher else { return nil }
      state.isOffering = true
      return publisher
    }
    guard let publisher else { return }
    do throws(MediaError) {
      guard publisher.needsNegotiation else { return state.withLock { $0.isOffering = false } }
      _ = try publisher.describe()
      let text = try publisher.localDescription()
      change { state, _ in
        state.offer = text
        state.client.offer(text)
      }
    } catch {
      fail(error)
    }
  }

  private func take(answer sdp: String) throws(MediaError) {
    guard let publisher = state.withLock({ $0.isOffering ? $0.publisher : nil }) else { return }
    _ = try publisher.setRemote(.answer, sdp)
    state.withLock { $0.isOffering = false }
    offer()
  }

  /// Of the publisher's connection.
  func transport(_ transport: any Transport, _ event: TransportEvent) {
    guard let publisher = state.withLock({ $0.isLeft ? nil : $0.publisher }), publisher === transport else { return }
    switch event {
    case .signal(.negotiationNeeded): offer()
    case .signal(.localCandidate(let text, let mid, let user)):
      change { state, _ in
        if LiveKitSession.isNew(text, user, in: state.offer) { state.client.add(candidate: text, mid: mid, isSubscribing: false) }
      }
    case .signal(.restartWanted): renew()
    case .signal: return
    case .connected, .reconnected: found(.sending)
    case .reconnecting: lost(.sending)
    case .disconnected(let error): ended(.sending, error ?? MediaError(.closed, "LiveKit: the server ended the connection that publishes"))
    case .receivers(let stream, let count):
      countReceivers(of: stream) { state, place in state.publications[place].isTaken = count > 0 }
    case .layers(let stream, let active, _): follow(stream) { $0.taken = active }
    case .publishFailed(let stream, let error): if let cid = state.withLock({ $0.cids[stream] }) { refused(cid, error) }
    case .keyFrameRequested, .estimate, .network: tell([event])
    case .channel(let channel, let event): follow(event, of: channel)
    default: return
    }
  }

  /// Others receive a stream, or want something else of it than before.
  private func demanded(_ cid: String, _ receivers: Int, _ wish: VideoPreference) {
    guard let stream = state.withLock({ $0.stream(cid) }) else { return }
    countReceivers(of: stream) { state, _ in state.receivers[stream] = receivers }
    // What no program could say is nobody's wish.
    guard (try? wish.check(argument: cid)) != nil else { return }
    let isNews = state.withLock { $0.wishes.updateValue(wish, forKey: stream) ?? .any } != wish
    if isNews { tell([.wanted(stream, wish)]) }
  }

  /// How many receive a stream: those in the room, where the server says, once it takes the stream; else the server itself.
  private func countReceivers(of stream: StreamID, after change: (inout State, _ place: Int) -> Void) {
    let news: Int? = state.withLock { state in
      guard let place = state.publications.firstIndex(where: { $0.id == stream }) else { return nil }
      let former = state.receiverCount(of: place)
      change(&state, place)
      let now = state.receiverCount(of: place)
      return now == former ? nil : now
    }
    if let news { tell([.receivers(stream, news)]) }
  }

  /// The server takes other layers of a stream than before, or others want some.
  private func follow(_ stream: StreamID, _ change: (inout PublishedLayers) -> Void) {
    let news: [Bool]? = state.withLock { state in
      guard let one = state.publications.first(where: { $0.id == stream }) else { return nil }
      var layers = state.layers[stream] ?? PublishedLayers(count: one.layers.layers.count)
      let former = layers.active
      change(&layers)
      state.layers[stream] = layers
      return layers.active == former ? nil : layers.active
    }
    if let news { tell([.layers(stream, active: news, bitrates: [])]) }
  }

  // MARK: Paths

  private func lost(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.lose(direction) }) }
  private func found(_ direction: RoomPaths.Direction) { tell(state.withLock { $0.paths.find(direction) }) }

  /// A connection of WebRTC is over. Why, the server may say later: the packet that ends it may be faster.
  private func ended(_ direction: RoomPaths.Direction, _ error: MediaError) {
    guard error.status == .closed else { return fail(error) }
    lost(direction)
    loop.schedule(at: loop.clock.now() &+ LiveKitSession.reasonPatience) { [self] in fail(error) }
  }

  // MARK: Receiving

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

  private func place(of stream: StreamID) -> (sid: String, reception: RoomReception<String>?)? {
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

  private func take(offer sdp: String, _ tracks: [String: String]) throws(MediaError) {
    guard let reception = state.withLock({ $0.isLeaving ? nil : $0.reception }) else { return }
    let text = try reception.answer(sdp, tracks)
    change { state, _ in
      state.answer = text
      state.client.answer(text)
    }
  }

  private func take(_ event: RoomReceptionEvent<String>) {
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

  // MARK: Figures

  var publisher: WebRTCTransport? { state.withLock { $0.publisher } }
  var received: TransportStats { state.withLock { $0.reception }?.stats ?? TransportStats() }
  func receivedEntries(at time: Double) -> [JSON] { state.withLock { $0.reception }?.statsEntries(at: time) ?? [] }
  func look(receiving stream: StreamID) -> InboundSnapshot? { place(of: stream).flatMap { $0.reception?.look(receiving: $0.sid) } }
}

extension StreamFormat {
  /// As it is said to a server of this library.
  fileprivate var announced: LiveKitClient.Format {
    switch self {
    case .video(let format, _): .video(format)
    case .audio(let format, _): .audio(format)
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
