import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// A member of the room who speaks LiveKit's protocol: in the room they are a member like any other, by a transport of this process, so that
/// access, permissions, capacity, moderation and speakers are the room's. What is not said to be called from any thread is called on the
/// server's event loop.
final class LiveKitMember: WebParticipant, WebConnectionOwner {
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

  struct State: @unchecked Sendable {
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
    /// With which the client came, or which it showed last and the room accepted. A secret.
    var token: String
    /// Which it shows, until the room answers.
    var renewal: String?
    /// They sent more than that, and are about to leave for it.
    var isFlooded = false
    /// By their sids, tracks that a moderator has muted, until the client unmutes them itself.
    var silenced: Set<String> = []
    var echoes = MuteEchoes()
    /// Who has left, of whom the client does not know it yet.
    var partings = Partings()
  }

  /// Nanoseconds in which a client may come back over another connection.
  static let absence: Int64 = 20_000_000_000
  /// Nanoseconds from one look at how long a client's access token lasts to the next, and seconds for which it is to last at least.
  static let refreshing: Int64 = 300_000_000_000
  static let refreshedLifetime: Int64 = 600
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
  let isExtended: Bool
  var id: ObjectIdentifier { ObjectIdentifier(place) }
  let table: WebTable
  let media: LiveKitMedia
  let state: Monitor<State>
  /// Held while a message is taken and sent.
  // Not of no size: the thread sanitizer takes that for what lies beside it.
  private let sending = Monitor(false)
  /// By which a guest proves that it comes back.
  let ticket: String?
  var isGuest: Bool { ticket != nil }

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
    state = Monitor(State(signalling: signalling, connection: connection, offer: offer, messages: messages, token: entry.token))
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
        state.signalling.lost()
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
    let qualities = table.qualities.known
    let (isHere, former): (Bool, WebConnection?) = state.withLock { state in
      guard !state.isOver, state.permissions != nil else { return (false, nil) }
      defer { state.connection = connection }
      state.signalling.resume(joining)
      state.signalling.setQualities(qualities)
      return (true, state.connection)
    }
    guard isHere else { return false }
    former?.close("the client has come back over another connection")
    connection.belong(to: self)
    advance()
    media.resume()
    return true
  }

  /// Whether who comes back is this participant. What a token of an API key says was verified.
  func isProven(by entry: Entry) -> Bool { ticket.map { entry.isGuest && LiveKitToken.isSame(entry.token, $0) } ?? true }

  /// Whether a moderator has muted that track.
  func isSilenced(_ sid: String) -> Bool { state.withLock { $0.silenced.contains(sid) } }

  /// A moderator mutes a track, or ends that. Whether it changes anything: what the client muted, it alone unmutes.
  func silence(_ sid: String, _ isMuted: Bool) -> Bool {
    state.withLock { state in
      guard isMuted else { return state.silenced.remove(sid) != nil }
      guard let track = state.signalling.announced(sid), !track.isMuted else { return false }
      // Those of tracks that have ended go.
      state.silenced = state.silenced.filter { state.signalling.announced($0) != nil }
      return state.silenced.insert(sid).inserted
    }
  }

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
      // What is said at the end is said at once; to a client that is away, when it comes back.
      guard let connection, isOver || connection.hasRoom else {
        guard !isOver, state.withLock({ $0.signalling.isOverfull }) else { return }
        return leave(MediaError(.limit, "the client does not read its messages"))
      }
      // What another thread has taken goes before what is taken here, and before the connection is closed.
      let sent: WebConnection.Sending? = sending.withLock { _ in
        guard let message = state.withLock({ $0.signalling.takeOutput() }) else { return nil }
        return connection.send(.bytes(message))
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
      guard !isOutdated else { return }
      if !isMuted { _ = silence(sid, false) }
      mute(sid, isMuted)
    case .confirmed(let sid, let isMuted): _ = state.withLock { $0.echoes.isOutdated(sid, isMuted, now: table.clock.now()) }
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
    case .left: depart()
    }
  }

  /// The client has left. What it has sent reaches the others before.
  private func depart() {
    guard let data = media.data, data.isReceiving else { return leave(nil) }
    data.drain()
    followDeparture(until: table.clock.now() &+ Partings.patience, wasQuiet: false)
  }

  private func followDeparture(until end: Int64, wasQuiet: Bool) {
    guard !state.withLock({ $0.isOver }) else { return }
    let (now, isQuiet) = (table.clock.now(), media.peer?.hasUnreadMessages != true)
    guard !(isQuiet && wasQuiet), now < end else { return leave(nil) }
    table.loop.schedule(at: now &+ Partings.step) { [weak self] in self?.followDeparture(until: end, wasQuiet: isQuiet) }
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
      state.withLock { $0.renewal = token }
      place.renew(AccessToken(token))
    } catch {
      let error = error
      change { $0.renewed(error) }
    }
  }

  private func moderate(_ identity: String, _ action: LiveKitModerationAction, _ reason: String, _ number: UInt32) {
    do throws(MediaError) {
      // Whatever the room permits: a token of an API key alone says who moderates.
      guard isGuest || grants.isAdministrator else { throw MediaError(.permission, "the access token does not grant roomAdmin") }
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

  func mute(_ sid: String, _ isMuted: Bool) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    media.setMuted(sid, isMuted)
    // The room does not know of video that is muted.
    guard let track = table.liveKit.setMuted(stream, isMuted), track.isVideo else { return }
    for other in table.liveKit.members where other !== self { other.change { $0.setMuted(sid, isMuted, of: member.userID) } }
  }

  // MARK: Data

  /// What the client sends: others who speak this protocol get all of it, the rest of the room what programs send.
  func send(_ packet: LiveKitDataPacket, isReliable: Bool) {
    guard grants.publishesData ?? grants.publishes, state.withLock({ $0.permissions?.contains(.sendData) == true }) else { return }
    guard let (names, sids) = packet.recipients else { return }
    let isForAll = names.isEmpty && sids.isEmpty
    let recipients = Set(names).union(look { $0.identities(of: sids) })
    guard isForAll || !recipients.isEmpty else { return }
    let (bytes, others) = (packet.from(member.userID, sid: sid), table.liveKit.members)
    var delivery: DataDelivery?
    // What others cannot read is no error of theirs.
    if let data = try? packet.userData() {
      var message = DataMessage(data.bytes)
      (message.topic, message.isLossy, message.recipients, message.content) = (data.topic, !isReliable, Array(recipients), data.content)
      // There was room for it before it was read.
      delivery = try? place.send(message, except: Set(others.map { ObjectIdentifier($0.place) }))
    }
    for other in others where other !== self {
      guard isForAll || recipients.contains(other.member.userID) else { continue }
      other.pass(bytes, isReliable: isReliable, delivery)
    }
  }

  /// Of somebody in the room who does not speak this protocol.
  func receive(_ message: DataMessage, from userID: String) {
    var data = LiveKitUserData(identity: userID, bytes: message.bytes, topic: message.topic, isLossy: message.isLossy, destinations: [])
    data.content = message.content
    pass(data.packet(sid: look { $0.sid(of: userID) } ?? ""), isReliable: !message.isLossy, place.delivery)
  }

  func pass(_ bytes: [UInt8], isReliable: Bool, _ delivery: DataDelivery? = nil) {
    if media.data?.send(bytes, isReliable: isReliable, delivery) == false {
      leave(MediaError(.limit, "the client does not read its data"))
    }
  }
}
