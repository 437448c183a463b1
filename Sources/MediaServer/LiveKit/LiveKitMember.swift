import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// A member of the room who speaks LiveKit's protocol: in the room they are a member like any other, by a transport of this process, so that
/// access, permissions, capacity, moderation and speakers are the room's. What is not said to be called from any thread is called on the
/// server's event loop.
final class LiveKitMember: WebParticipant, WebConnectionOwner, TransportDelegate {
  /// As whom somebody comes.
  struct Entry: Sendable {
    var grants: LiveKitGrants
    /// A secret.
    let token: String
    /// Nobody has proven who they are: the server has no API keys.
    let isGuest: Bool

    func saying(_ attributes: [String: String]) -> Entry {
      var entry = self
      entry.grants.attributes = attributes
      return entry
    }
  }

  private struct State: @unchecked Sendable {
    let signalling: LiveKitServerSession
    /// nil: it was lost, and may come again.
    var connection: WebConnection?
    /// The request that is answered when the room has.
    var offer: WebSocketOffer?
    var permissions: Permissions?
    var isOver = false
    /// Counts the connections that were lost.
    var absences = 0
    var messages: WorkAllowance
    /// They sent more than that, and are about to leave for it.
    var isFlooded = false
    /// A moderator has muted them.
    var isSilenced = false
    var echoes = MuteEchoes()
    /// Who has left, of whom the client does not know it yet.
    var partings: [Parting] = []
  }

  private struct Parting {
    let userID: String
    /// Of their data.
    let mark: UInt64
    let end: Int64
  }

  /// Nanoseconds for which the client may be sent data of somebody who has left, and between looks at it.
  static let parting: Int64 = 5_000_000_000
  private static let partingStep: Int64 = 10_000_000

  /// Nanoseconds in which a client may come back over another connection.
  static let absence: Int64 = 20_000_000_000
  /// Messages at once, and in a second, of up to 4,096 bytes; longer ones count once more for each 4,096. A client that joins a room of many
  /// subscribes to each, and trickles.
  static let burst = 1_000.0
  static let perSecond = 50.0

  let member: Member
  let sid: String
  let place: LoopbackTransport
  let prefix: AddressPrefix
  let address: SocketAddress
  let grants: LiveKitGrants
  let hasPage = true
  private let isExtended: Bool
  var id: ObjectIdentifier { ObjectIdentifier(place) }
  private let table: WebTable
  private let media: LiveKitMedia
  private let state: Monitor<State>
  /// Held while a message is taken and sent.
  // Not of no size: the thread sanitizer takes that for what lies beside it.
  private let sending = Monitor(false)
  /// By which a guest proves that it comes back.
  private let ticket: String?
  private var isGuest: Bool { ticket != nil }

  /// What a client is told whom nobody knows any more: it joins as somebody else.
  static let comeAgain: [UInt8] = LiveKitServerSession.leave(nil, isAgain: true)

  init(
    _ user: Member, _ joining: LiveKitJoining, _ entry: Entry, _ offer: WebSocketOffer, _ connection: WebConnection, _ table: WebTable
  ) {
    let grants = entry.grants
    ticket = entry.isGuest ? WebTable.makeSecret() : nil
    var member = user
    // Of what is sent to them, nothing is decoded or encoded here.
    (member.decodes, member.takesRaw) = ([WebMember.codec(isVideo: true)], false)
    (self.member, self.grants, self.table, address, prefix) = (member, grants, table, connection.address, connection.prefix)
    isExtended = joining.isExtended
    let place = LoopbackTransport(room: table.room, member: member, token: AccessToken(entry.token), loop: table.loop) {
      (place) throws(MediaError) in try table.admit(place)
    }
    (self.place, sid) = (place, LiveKitRegistry.makeSID("PA_"))
    media = LiveKitMedia(of: place, grants, table)
    let now = table.clock.now()
    let own = LiveKitServerSession.Participant(
      sid: sid, identity: member.userID, name: member.displayName, metadata: grants.metadata, attributes: grants.attributes,
      joined: table.clock.wallTime() / 1_000_000_000)
    let signalling = LiveKitServerSession(joining, as: own, grants: grants, room: table.liveKit.room) {
      LiveKitRegistry.sid(of: place.makeStreamID())
    }
    let messages = WorkAllowance(burst: LiveKitMember.burst, perSecond: LiveKitMember.perSecond, now: now)
    state = Monitor(State(signalling: signalling, connection: connection, offer: offer, messages: messages))
  }

  func start() {
    guard !state.withLock({ $0.isOver }) else { return }
    media.begin(self)
    // The server was closed meanwhile, from another thread.
    guard !state.withLock({ $0.isOver }) else { return media.close() }
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
    let (isFirst, wasIn, connection, hasOffer): (Bool, Bool, WebConnection?, Bool) = state.withLock { state in
      defer { (state.isOver, state.offer) = (true, nil) }
      return (!state.isOver, state.permissions != nil, state.connection, state.offer != nil)
    }
    guard isFirst else { return }
    media.close()
    place.disconnect()
    table.remove(self)
    table.liveKit.leave(self, as: member.userID)
    if hasOffer, let error {
      connection?.respond(WebTable.response(error))
    } else {
      state.withLock { $0.signalling.end(error) }
      flush()
      connection?.close(error?.text ?? "")
    }
    state.withLock { $0.connection = nil }
    if wasIn {
      table.options.watch?(.left(userID: member.userID, because: error))
    } else if let error {
      table.options.watch?(.refused(userID: member.userID, at: address, because: error))
    }
  }

  /// From any thread.
  func lost(_ connection: WebConnection) {
    let isBroken = connection.isBroken
    table.loop.post { [self] in
      // Who breaks rules keeps no place.
      if isBroken, state.withLock({ $0.connection === connection }) {
        return leave(MediaError(.limit, "the client's connection broke TLS, WebSocket or one of their bounds"))
      }
      let (absence, isIn): (Int?, Bool) = state.withLock { state in
        guard state.connection === connection, !state.isOver else { return (nil, false) }
        (state.connection, state.absences) = (nil, state.absences + 1)
        return (state.absences, state.permissions != nil)
      }
      guard let absence else { return }
      guard isIn else { return leave(nil) }
      table.loop.schedule(at: table.clock.now() &+ LiveKitMember.absence) { [weak self] in self?.endAbsence(absence) }
    }
  }

  private func endAbsence(_ absence: Int) {
    guard state.withLock({ $0.connection == nil && $0.absences == absence && !$0.isOver }) else { return }
    leave(MediaError(.timeout, "the client did not come back within \(LiveKitMember.absence / 1_000_000_000) s"))
  }

  /// The client comes back, over a connection that speaks WebSocket already. False: it has left.
  func resume(_ joining: LiveKitJoining, _ connection: WebConnection) -> Bool {
    let (isHere, former): (Bool, WebConnection?) = state.withLock { state in
      guard !state.isOver, state.permissions != nil else { return (false, nil) }
      defer { state.connection = connection }
      return (true, state.connection)
    }
    guard isHere else { return false }
    former?.close("the client has come back over another connection")
    connection.belong(to: self)
    change { $0.resume(joining) }
    media.resume()
    return true
  }

  /// Whether who comes back is this participant. What a token of an API key says was verified.
  func isProven(by entry: Entry) -> Bool { ticket.map { entry.isGuest && LiveKitToken.isSame(entry.token, $0) } ?? true }

  /// A moderator has muted them: also what they publish later.
  var isSilenced: Bool { state.withLock { $0.isSilenced } }

  /// To be called once a second; nil: it is not known.
  func sampleQuality(now: Int64) -> LiveKitConnectionQuality? { media.sampleQuality(now: now) }

  // MARK: Messages

  /// On the network thread.
  func receive(_ message: WebLink.Message) {
    guard case .bytes(let bytes) = message else { return }
    let (now, wallTime) = (table.clock.now(), table.clock.wallTime())
    // Here: what is posted waits in memory.
    let isTooMuch: Bool? = state.withLock { state in
      state.isOver || state.isFlooded ? nil : !state.messages.take(1 + bytes.count / 4_096, at: now)
    }
    guard let isTooMuch else { return }
    if isTooMuch { state.withLock { $0.isFlooded = true } }
    table.loop.post { [self] in
      do throws(MediaError) {
        guard !isTooMuch else { throw MediaError(.limit, "the client sends too many messages") }
        try state.withLock { state throws(MediaError) in
          if !state.isOver { try state.signalling.receive(bytes, wallTime: wallTime) }
        }
        advance()
      } catch {
        leave(error)
      }
    }
  }

  func writable() { table.loop.post { [self] in flush() } }

  func change(_ body: (LiveKitServerSession) -> Void) {
    state.withLock { body($0.signalling) }
    advance()
  }

  func look<Result>(_ body: (LiveKitServerSession) -> Result) -> Result { state.withLock { body($0.signalling) } }

  private func advance() {
    flush()
    while let event = state.withLock({ $0.signalling.takeEvent() }) {
      if state.withLock({ $0.isOver }) { return }
      handle(event)
      flush()
    }
  }

  private func flush() {
    while true {
      let (connection, isOver) = state.withLock { ($0.connection, $0.isOver) }
      // What is said at the end is said at once.
      if let connection, !isOver, !connection.hasRoom {
        guard state.withLock({ $0.signalling.isOverfull }) else { return }
        return leave(MediaError(.limit, "the client does not read its messages"))
      }
      // What another thread has taken goes before what is taken here, and before the connection is closed.
      let sent: WebConnection.Sending? = sending.withLock { _ in
        guard let message = state.withLock({ $0.signalling.takeOutput() }) else { return nil }
        // What a client is told while it is away, it learns when it comes back.
        return connection?.send(.bytes(message)) ?? .gone
      }
      guard let sent else { return }
      // One that has just broken is noticed in a moment, and replaced by another one.
      guard sent != .full || state.withLock({ $0.isOver }) else {
        return leave(MediaError(.limit, "the client does not read its messages"))
      }
    }
  }

  private func handle(_ event: LiveKitServerSession.Event) {
    switch event {
    case .offer(let sdp): media.take(offer: sdp)
    case .answer(let sdp): media.take(answer: sdp)
    case .candidate(let text, let mid, let isSubscribing): media.addRemote(candidate: text, mid: mid, isSubscribing: isSubscribing)
    case .muted(let sid, let isMuted):
      let isOutdated = state.withLock { $0.echoes.isOutdated(sid, isMuted, now: table.clock.now()) }
      if !isOutdated { mute(sid, isMuted) }
    case .wants(let sid, let isWanted): media.setWanted(sid, isWanted)
    case .paused(let sid, let isPaused): media.setPaused(sid, isPaused)
    case .prefers(let sid, let width, let height, let rate, let layer, let priority):
      let preference = VideoPreference(width: width, height: height, frameRate: rate > 0 ? FrameRate(rate) : nil)
      media.setPreference(sid, preference, layer: layer, rank: priority == 0 ? LayerAllocator.usualRank : UInt8(clamping: priority))
    case .announced(let sid): media.announced(sid)
    case .withdrawn(let sid): media.withdraw(sid)
    case .describes(let name, let metadata, let attributes): describe(name, metadata, attributes)
    case .renews(let token): renew(token)
    case .moderates(let identity, let action, let reason, let number): moderate(identity, action, reason, number)
    case .left: leave(nil)
    }
  }

  /// Attributes of the room are everybody's; the rest is for those who speak this protocol.
  private func describe(_ name: String, _ metadata: String, _ attributes: [String: String]) {
    // Others are sent all that is said of them.
    let now = table.clock.now()
    state.withLock { state in state.messages.charge(state.signalling.ownSize / 1_024, at: now) }
    var rest = attributes
    for key in attributes.keys.sorted() where ParticipantAttributes.isKey(key) {
      guard let value = attributes[key], value.utf8.count <= ParticipantAttributes.longestValue else { continue }
      if (try? place.setAttribute(key, value.isEmpty ? nil : value)) != nil { rest[key] = nil }
    }
    guard !name.isEmpty || !metadata.isEmpty || !rest.isEmpty else { return }
    for other in table.liveKit.members where other !== self {
      other.change { $0.describe(member.userID, name: name, metadata: metadata, attributes: rest) }
    }
  }

  private func renew(_ token: String) {
    do throws(MediaError) {
      guard token.utf8.count <= AccessToken.longest else {
        throw MediaError(.invalid, "the access token has \(token.utf8.count) bytes; accepted: at most \(AccessToken.longest)")
      }
      if !isGuest { try table.checkRenewal(token, of: grants.identity) }
      place.renew(AccessToken(token))
    } catch {
      let error = error
      change { $0.renewed(error) }
    }
  }

  private func moderate(_ identity: String, _ action: LiveKitModerationAction, _ reason: String, _ number: UInt32) {
    do throws(MediaError) {
      switch action {
      case .remove: try place.remove(identity, reason: reason)
      case .mute, .unmute: try place.mute(identity, action == .mute)
      }
      change { $0.answer(moderation: number, of: identity, nil) }
    } catch {
      let error = error
      change { $0.answer(moderation: number, of: identity, error) }
    }
  }

  private func mute(_ sid: String, _ isMuted: Bool) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    media.setMuted(sid, isMuted || isSilenced)
    // The room does not know of video that is muted.
    guard let track = table.liveKit.setMuted(stream, isMuted), track.isVideo else { return }
    for other in table.liveKit.members where other !== self { other.change { $0.setMuted(sid, isMuted, of: member.userID) } }
  }

  // MARK: Data

  /// What the client sends: others who speak this protocol get all of it, the rest of the room what programs send.
  func send(_ packet: LiveKitDataPacket, isReliable: Bool) {
    guard grants.publishesData ?? grants.publishes, state.withLock({ $0.permissions?.contains(.sendData) == true }) else { return }
    let (bytes, others) = (packet.from(member.userID, sid: sid), table.liveKit.members)
    for other in others where other !== self {
      if packet.destinations.isEmpty || packet.destinations.contains(other.member.userID) { other.pass(bytes, isReliable: isReliable) }
    }
    // What others cannot read is no error of theirs.
    guard let data = try? packet.userData() else { return }
    var message = DataMessage(data.bytes)
    (message.topic, message.isLossy, message.recipients, message.content) = (data.topic, !isReliable, data.destinations, data.content)
    // There was room for it before it was read.
    try? place.send(message, except: Set(others.map { ObjectIdentifier($0.place) }))
  }

  /// Of somebody in the room who does not speak this protocol.
  private func receive(_ message: DataMessage, from userID: String) {
    var data = LiveKitUserData(identity: userID, bytes: message.bytes, topic: message.topic, isLossy: message.isLossy, destinations: [])
    data.content = message.content
    pass(data.packet(sid: look { $0.sid(of: userID) } ?? ""), isReliable: !message.isLossy)
  }

  func pass(_ bytes: [UInt8], isReliable: Bool) {
    if media.data?.send(bytes, isReliable: isReliable) == false {
      leave(MediaError(.limit, "the client does not read its data"))
    }
  }

  // MARK: The room's events

  func transport(_ transport: any Transport, _ event: TransportEvent) {
    switch event {
    case .connected(let permissions): welcome(permissions)
    case .disconnected(let error): leave(error ?? WebTable.closed)
    case .joined(let other):
      part(other.userID)
      meet(other)
    case .left(let userID): left(userID)
    case .streamAdded(let stream): added(stream)
    case .streamRemoved(let id):
      guard let userID = media.remove(id) else { return }
      change { $0.remove(LiveKitRegistry.sid(of: id), of: userID) }
    case .streamMuted(let id, let isMuted):
      if let userID = media.publisher(of: id) { change { $0.setMuted(LiveKitRegistry.sid(of: id), isMuted, of: userID) } }
    case .speaking(_, let userID, let isSpeaking, let level): change { $0.speak(userID, isSpeaking, level: level) }
    case .attributeChanged(let userID, let key, let value, _): change { $0.setAttribute(key, value, of: userID) }
    case .keyFrameRequested(let id): media.requestKeyFrame(of: id)
    case .data(let userID, let message): receive(message, from: userID)
    case .permissionsChanged(let userID, let permissions):
      if userID == member.userID { state.withLock { $0.permissions = permissions } }
      setAccess(permissions, of: userID)
    case .accessExpiring(let remaining): change { $0.warn(remaining: remaining) }
    case .accessRenewed(let error): change { $0.renewed(error) }
    case .moderated(let by, let moderation, let reason): moderated(by, moderation, reason)
    case .layers(let id, let active, _): change { $0.setWanted(LiveKitRegistry.sid(of: id), layers: active) }
    case .receivers(let id, let count): change { $0.setReceivers(LiveKitRegistry.sid(of: id), count) }
    case .wanted(let id, let wish):
      change { $0.setWish(LiveKitRegistry.sid(of: id), width: wish.width, height: wish.height, rate: wish.frameRate) }
    // Of a scripted network, and of transports without a room.
    default: break
    }
  }

  private func welcome(_ permissions: Permissions) {
    let (connection, offer): (WebConnection?, WebSocketOffer?) = state.withLock { state in
      guard !state.isOver else { return (nil, nil) }
      state.permissions = permissions
      return (state.connection, state.offer.take())
    }
    guard let connection, let offer else { return }
    // Others are told of them after this.
    if isGuest { _ = table.liveKit.enter(self, as: member.userID) }
    table.options.watch?(.entered(member))
    // After what the room says of others, which has been posted.
    table.loop.post { [self] in
      // Who has gone is noticed by the connection.
      guard !state.withLock({ $0.isOver }), connection.upgrade(offer, for: .liveKit) else { return }
      let permissions = state.withLock { $0.permissions } ?? permissions
      setAccess(permissions, of: member.userID)
      change { signalling in
        signalling.welcome()
        if let ticket { signalling.setToken(ticket) }
      }
      media.welcome()
      table.qualities.begin()
    }
  }

  /// What the room lets somebody do, of which a token of an API key may grant less.
  private func setAccess(_ permissions: Permissions, of userID: String) {
    let other = userID == member.userID ? self : table.liveKit.member(userID)
    let rest = other.map { $0.isGuest ? permissions : permissions.within($0.grants) } ?? permissions
    change { $0.setAccess(rest.access(describes: other?.grants.updatesMetadata ?? true), mask: rest.foreign, of: userID) }
  }

  private func meet(_ other: Member) {
    // Who speaks this protocol too says more than the room knows.
    if let known = table.liveKit.member(other.userID) {
      setAccess(other.permissions, of: other.userID)
      let participant = known.look { $0.participant }
      return change { $0.meet(participant) }
    }
    let participant = table.liveKit.participant(other)
    setAccess(other.permissions, of: other.userID)
    change { $0.meet(participant) }
  }

  /// What they have sent goes first. It comes over another connection, and a client takes nothing of somebody who is not there.
  private func left(_ userID: String) {
    let parting = Parting(userID: userID, mark: media.data?.mark ?? 0, end: table.clock.now() &+ LiveKitMember.parting)
    let isFirst = state.withLock { state in
      state.partings.append(parting)
      return state.partings.count == 1
    }
    if isFirst { followPartings() }
  }

  private func followPartings() {
    let now = table.clock.now()
    for one in state.withLock({ $0.partings }) where now >= one.end || media.data?.hasDelivered(one.mark) != false { part(one.userID) }
    guard state.withLock({ !$0.partings.isEmpty && !$0.isOver }) else { return }
    table.loop.schedule(at: now &+ LiveKitMember.partingStep) { [weak self] in self?.followPartings() }
  }

  private func part(_ userID: String) {
    let isNews = state.withLock { state in
      let count = state.partings.count
      state.partings.removeAll { $0.userID == userID }
      return state.partings.count < count
    }
    guard isNews else { return }
    let sid = look { $0.sid(of: userID) }
    change { $0.part(userID) }
    if let sid { table.liveKit.left(userID, sid: sid) }
  }

  private func added(_ stream: StreamDescription) {
    guard ForwardedCodec(stream.codec) != nil else {
      let what = stream.codec == FourCC.raw ? "is sent raw" : "has the codec \(FourCC.text(stream.codec))"
      let accepted = "members of LiveKit are sent MSDK_CODEC_VP8, H.264 and MSDK_CODEC_OPUS"
      return place.cannotReceive(stream.id, because: MediaError(.unsupported, "the stream \(what); \(accepted)"))
    }
    media.add(stream)
    change { $0.add(table.liveKit.track(of: stream), of: stream.userID) }
    media.arrange()
  }

  private func moderated(_ moderator: String, _ moderation: Moderation, _ reason: String) {
    let action: LiveKitModerationAction = moderation == .removed ? .remove : moderation == .muted ? .mute : .unmute
    change { $0.moderate(action, by: moderator, reason: reason) }
    guard moderation != .removed else { return }
    let isMuted = moderation == .muted
    state.withLock { $0.isSilenced = isMuted }
    // A session of this library has been notified as a whole.
    for sid in media.publishedAudio { if isExtended { mute(sid, isMuted) } else { moderate(sid, isMuted) } }
  }

  /// One track: the client is told, and does as it is told.
  func moderate(_ sid: String, _ isMuted: Bool) {
    state.withLock { $0.echoes.ask(sid, isMuted, now: table.clock.now()) }
    change { $0.moderate(sid, isMuted) }
    mute(sid, isMuted)
  }
}

extension Permissions {
  /// Without what a token of an API key does not grant. It alone says who moderates.
  fileprivate func within(_ grants: LiveKitGrants) -> Permissions {
    var rest = self
    let sources = grants.publishes ? (grants.sources.isEmpty ? LiveKitAccess.all : grants.sources) : []
    if !sources.contains("camera") { rest.remove(.publishVideo) }
    if !sources.contains("microphone") { rest.remove(.publishAudio) }
    if !sources.contains("screen_share") { rest.remove(.shareScreen) }
    if !grants.subscribes { rest.remove(.receive) }
    if !(grants.publishesData ?? grants.publishes) { rest.remove(.sendData) }
    if grants.isAdministrator { rest.insert(.moderate) } else { rest.remove(.moderate) }
    return rest
  }

  /// In the words of LiveKit's protocol. `describes`: they may say something of themselves.
  fileprivate func access(describes: Bool) -> LiveKitAccess {
    let kinds: [Permissions] = [.publishVideo, .publishAudio, .shareScreen, .shareScreen]
    let sources = zip(LiveKitAccess.all, kinds).filter { contains($0.1) }.map(\.0)
    return LiveKitAccess(sources: sources, subscribes: contains(.receive), describes: describes, sendsData: contains(.sendData))
  }
}
