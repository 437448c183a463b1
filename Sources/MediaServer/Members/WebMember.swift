import CMediaSDK
import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSDP
import MediaSignalling
import MediaTransport

/// A member of the room who comes by HTTP: a client of WHIP, a player of WHEP, or a page with sessions of both. In the room they are a
/// member like any other, by a transport of this process, so that access, permissions, capacity, moderation and speakers are the room's.
final class WebMember: WebParticipant, WebConnectionOwner, TransportDelegate {
  private struct State {
    var permissions: Permissions?
    var isOver = false
    /// Others, in the order of their coming.
    var others: [String] = []
    /// Of others, in the order of their publishing.
    var streams: [StreamDescription] = []
    /// Raw ones of others, by whom they are: who sends so may encode soon, as somebody has come who takes nothing else.
    var raw: [StreamID: String] = [:]
    var speakers: [StreamID: String] = [:]
    var fans: [StreamID: StreamFanOut] = [:]
    var peers: [WebPeer] = []
    /// What a moderator did, and what the page says.
    var isSilenced = false
    var isMuted = false
    /// A page's.
    var page: WebConnection?
    var messages: WorkAllowance
    var requests: WorkAllowance
  }

  /// Nanoseconds in which the room has to answer.
  static let patience: Int64 = 60_000_000_000
  /// Nanoseconds that a player waits for those who send to begin to encode, and between two looks.
  static let encoding: Int64 = 3_000_000_000
  private static let look: Int64 = 50_000_000
  /// Sessions of one member at a time.
  static let mostPeers = 64

  /// Offers and changes, at once and in a second: a page that enters a room of 64 begins 65 sessions.
  static let requests = 200.0
  static let requestsPerSecond = 10.0

  let member: Member
  let hasPage: Bool
  let place: LoopbackTransport
  let prefix: AddressPrefix
  let address: SocketAddress
  var id: ObjectIdentifier { ObjectIdentifier(place) }
  private let table: WebTable
  /// What is to be done when the room has answered.
  private let entered: Monitor<(@Sendable (Result<Permissions, MediaError>) -> Void)?>
  private let state: Monitor<State>

  /// `page`: nil for a client or a player, who leave with their last session. `entered` is called once, on the loop.
  init(
    _ user: Member, token: String, page: WebConnection?, at address: SocketAddress, _ table: WebTable,
    entered: @escaping @Sendable (Result<Permissions, MediaError>) -> Void
  ) {
    var member = user
    // Of what is sent to them, nothing is decoded or encoded here.
    (member.decodes, member.takesRaw) = ([UInt32(MSDK_CODEC_VP8)], false)
    (self.member, self.table, self.address, prefix) = (member, table, address, AddressPrefix(address))
    self.entered = Monitor(entered)
    place = LoopbackTransport(room: table.room, member: member, token: AccessToken(token), loop: table.loop) { place throws(MediaError) in
      try table.admit(place)
    }
    hasPage = page != nil
    let messages = WorkAllowance(burst: PageMessage.burst, perSecond: PageMessage.perSecond, now: table.clock.now())
    let requests = WorkAllowance(burst: WebMember.requests, perSecond: WebMember.requestsPerSecond, now: table.clock.now())
    state = Monitor(State(page: page, messages: messages, requests: requests))
  }

  /// What passes a room of this kind.
  static func codec(isVideo: Bool) -> UInt32 { UInt32(isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS) }

  /// On the loop.
  func start() {
    guard !state.withLock({ $0.isOver }) else { return }
    place.connect(self)
    // Who has gone is not held until then.
    table.loop.schedule(at: table.clock.now() &+ WebMember.patience) { [weak self] in self?.endWaiting() }
  }

  private func endWaiting() {
    guard state.withLock({ $0.permissions == nil && !$0.isOver }) else { return }
    leave(MediaError(.timeout, "the room did not answer within \(WebMember.patience / 1_000_000_000) s"))
  }

  // MARK: The end

  func leave(_ error: MediaError?) {
    let (isFirst, wasIn, peers, page): (Bool, Bool, [WebPeer], WebConnection?) = state.withLock { state in
      defer { (state.isOver, state.peers, state.page, state.fans) = (true, [], nil, [:]) }
      return (!state.isOver, state.permissions != nil, state.peers, state.page)
    }
    guard isFirst else { return }
    for peer in peers {
      table.forget(peer)
      peer.close()
    }
    place.disconnect()
    table.remove(self)
    entered.withLock { $0.take() }?(.failure(error ?? MediaError(.closed, "the client has gone")))
    if let page {
      if let error { page.send(.text(PageNotice.disconnected(error.text).text)) }
      page.close(error?.text ?? "")
    }
    if wasIn { table.options.watch?(.left(userID: member.userID, because: error)) }
  }

  /// A session of theirs has ended by itself.
  func ended(_ peer: WebPeer, _ error: MediaError) {
    table.forget(peer)
    let isLast = state.withLock { state in
      state.peers.removeAll { $0 === peer }
      return state.peers.isEmpty && state.page == nil
    }
    if isLast { leave(error.status == .closed ? nil : error) }
  }

  /// The client has ended it.
  func end(_ peer: WebPeer) {
    peer.close()
    ended(peer, MediaError(.closed, "the client ended the session"))
  }

  /// The page's connection has ended.
  func lost(_ page: WebConnection) {
    let isIt = state.withLock { $0.page === page }
    if isIt { leave(nil) }
  }

  // MARK: Sessions

  /// Before an offer or a change is done: `.limit` if there are too many.
  func charge() throws(MediaError) {
    let now = table.clock.now()
    guard state.withLock({ $0.requests.take(at: now) }) else { throw MediaError(.limit, "the member makes too many requests") }
  }

  /// A path to one of their sessions was found.
  func connected(_ peer: WebPeer) { table.connected(peer, of: self) }

  /// On the loop: begins a session; `reply` gets its answer, once.
  func begin(
    _ offer: WHIPServer.Offer, isScreen: Bool, since began: Int64? = nil,
    reply: @escaping @Sendable (Result<(WebPeer, String), MediaError>) -> Void
  ) {
    let now = table.clock.now()
    let began = began ?? now
    if isEncodedSoon(offer), now &- began < WebMember.encoding {
      return table.loop.schedule(at: now &+ WebMember.look) { [self] in begin(offer, isScreen: isScreen, since: began, reply: reply) }
    }
    let peer: WebPeer
    do throws(MediaError) {
      try charge()
      try check(offer)
      peer = WebPeer(offer, isScreen: isScreen, of: self, table)
      try state.withLock { state throws(MediaError) in
        guard !state.isOver else { throw MediaError(.closed, "the member has left") }
        guard state.peers.count < WebMember.mostPeers else {
          throw MediaError(.full, "the member has \(state.peers.count) sessions; accepted: at most \(WebMember.mostPeers)")
        }
        state.peers.append(peer)
      }
    } catch {
      reply(.failure(error))
      return leaveIfIdle()
    }
    table.begins(peer, of: self)
    followMute()
    peer.answer(offer.sdp) { result in reply(result.map { (peer, $0) }) }
  }

  /// Whether nothing can be sent to the player yet but streams that are sent raw now.
  private func isEncodedSoon(_ offer: WHIPServer.Offer) -> Bool {
    guard offer.kind == .whep, candidates(of: offer.participant).isEmpty else { return false }
    return state.withLock { state in !state.isOver && state.raw.values.contains { offer.participant == nil || $0 == offer.participant } }
  }

  private func check(_ offer: WHIPServer.Offer) throws(MediaError) {
    let (permissions, others) = state.withLock { ($0.permissions ?? [], $0.others) }
    switch offer.kind {
    case .whip:
      guard !permissions.isDisjoint(with: [.publishVideo, .publishAudio, .shareScreen]) else {
        throw MediaError(.permission, "the room does not permit \"\(member.userID.prefix(64))\" to publish")
      }
    case .whep:
      guard permissions.contains(.receive) else {
        throw MediaError(.permission, "the room does not permit \"\(member.userID.prefix(64))\" to receive")
      }
      if let name = offer.participant, !others.contains(name) {
        throw MediaError(.notFound, "no member of the room has the user id \"\(name.prefix(64))\"")
      }
      guard !candidates(of: offer.participant).isEmpty else {
        throw MediaError(.again, offer.participant == nil ? "no member of the room sends yet" : "the participant sends nothing yet")
      }
    }
  }

  /// A client without a session is nobody.
  private func leaveIfIdle() {
    if state.withLock({ $0.peers.isEmpty && $0.page == nil }) { leave(nil) }
  }

  // MARK: Streams of others

  /// What a player may be sent.
  func candidates(of participant: String?) -> [LaneChoice.Candidate] {
    state.withLock { $0.streams }.filter { participant == nil || $0.userID == participant }
      .map { LaneChoice.Candidate(id: $0.id, userID: $0.userID, isVideo: $0.isVideo, isScreen: $0.isScreen) }
  }

  /// On the loop.
  func attach(_ lane: PlayerLane, to stream: StreamID?) {
    detach(lane)
    lane.follow(stream)
    guard let stream else { return }
    let (fan, isNew): (StreamFanOut, Bool) = state.withLock { state in
      if let fan = state.fans[stream] { return (fan, false) }
      let fan = StreamFanOut()
      state.fans[stream] = fan
      return (fan, true)
    }
    fan.add(lane)
    // Subscribing asks for a key frame.
    if isNew { place.subscribe(to: stream, .encoded(fan)) } else { requestKeyFrame(of: stream) }
  }

  func detach(_ lane: PlayerLane) {
    guard let former = lane.source else { return }
    lane.follow(nil)
    let isUnused: Bool = state.withLock { state in
      guard state.fans[former]?.remove(lane) == true else { return false }
      state.fans[former] = nil
      return true
    }
    if isUnused { place.unsubscribe(from: former) }
  }

  func requestKeyFrame(of stream: StreamID) { place.requestKeyFrame(of: stream) }

  // MARK: The room's events, on its loop

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): welcome(permissions)
    case .disconnected(let error): leave(error ?? WebTable.closed)
    case .joined(let other):
      state.withLock { $0.others.append(other.userID) }
      tell(.joined(other))
    case .left(let userID):
      state.withLock { $0.others.removeAll { $0 == userID } }
      tell(.left(user: userID))
    case .streamAdded(let stream): added(stream)
    case .streamRemoved(let id):
      let known: Bool = state.withLock { state in
        state.raw[id] = nil
        defer { state.streams.removeAll { $0.id == id } }
        return state.streams.contains { $0.id == id }
      }
      guard known else { return }
      tell(.ended(id))
      followStreams()
    case .streamMuted(let id, let isMuted): tell(.muted(id, isMuted))
    case .speaking(_, let userID, let isSpeaking, _): tell(.speaking(user: userID, isSpeaking))
    case .keyFrameRequested(let id):
      for peer in state.withLock({ $0.peers }) where peer.keyFrameRequested(id) { return }
    case .permissionsChanged(let userID, let permissions):
      guard userID == member.userID else { return }
      state.withLock { $0.permissions = permissions }
      tell(.permissions(permissions))
      if !permissions.contains(.receive) {
        for peer in state.withLock({ $0.peers }) where peer.kind == .whep { end(peer) }
      }
    case .moderated(_, let moderation, _):
      guard moderation != .removed else { return }
      state.withLock { $0.isSilenced = moderation == .muted }
      followMute()
      tell(.moderated(isMuted: moderation == .muted))
    // Of a scripted network, and of transports with layers; what a preference says no client is asked for.
    default: break
    }
  }

  private func welcome(_ permissions: Permissions) {
    let (isIn, page): (Bool, WebConnection?) = state.withLock { state in
      if !state.isOver { state.permissions = permissions }
      return (!state.isOver, state.page)
    }
    guard isIn else { return }
    table.options.watch?(.entered(member))
    if let page { tell(.welcome(user: member.userID, ticket: table.makeTicket(for: self), permissions: permissions), to: page) }
    // After what the room says of others, which has been posted.
    table.loop.post { [self] in entered.withLock { $0.take() }?(.success(permissions)) }
  }

  private func added(_ stream: StreamDescription) {
    let isVideo = stream.isVideo
    guard stream.codec == WebMember.codec(isVideo: isVideo) else {
      if stream.codec == FourCC.raw { state.withLock { $0.raw[stream.id] = stream.userID } }
      let what = stream.codec == FourCC.raw ? "is sent raw" : "has the codec \(FourCC.text(stream.codec))"
      return place.cannotReceive(
        stream.id, because: MediaError(.unsupported, "the stream \(what); browsers are sent MSDK_CODEC_VP8 and MSDK_CODEC_OPUS"))
    }
    guard !stream.isEncrypted else {
      return place.cannotReceive(
        stream.id, because: MediaError(.unsupported, "the stream is encrypted from end to end; browsers have no key"))
    }
    state.withLock { $0.streams.append(stream) }
    tell(.stream(stream))
    followStreams()
  }

  private func followStreams() { for peer in state.withLock({ $0.peers }) { peer.followStreams() } }

  private func followMute() {
    let (isMuted, peers) = state.withLock { ($0.isSilenced || $0.isMuted, $0.peers) }
    for peer in peers { peer.setMuted(isMuted) }
  }

  // MARK: The page

  private func tell(_ notice: PageNotice) {
    if let page = state.withLock({ $0.page }) { tell(notice, to: page) }
  }

  private func tell(_ notice: PageNotice, to page: WebConnection) {
    if page.send(.text(notice.text)) == .full { leave(MediaError(.limit, "the page does not read its messages")) }
  }

  /// What the page says; on the network thread.
  func receive(_ message: WebLink.Message) {
    guard case .text(let text) = message else { return }
    let now = table.clock.now()
    do throws(MediaError) {
      guard state.withLock({ $0.messages.take(at: now) }) else { throw MediaError(.limit, "the page sends too many messages") }
      switch try PageMessage(parsing: text) {
      case .join: throw MediaError(.corrupt, "the page joins a second time")
      case .mute(let isMuted):
        state.withLock { $0.isMuted = isMuted }
        table.loop.post { [self] in followMute() }
      case .leave: table.loop.post { [self] in leave(nil) }
      }
    } catch {
      let error = error
      table.loop.post { [self] in leave(error) }
    }
  }
}
