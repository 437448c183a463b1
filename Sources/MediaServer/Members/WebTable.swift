import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport
import MediaWebRTCTransport

/// Who is at a web server: connections of strangers, each in a bounded number with a share for each address, members and their sessions.
/// What requests ask for is done here.
final class WebTable: Sendable {
  private struct State: @unchecked Sendable {
    let whip: WHIPServer
    var strangers: WebStrangers
    /// When the next offer of a stranger is looked for; `.max`: none waits.
    var nextOffer = Int64.max
    /// Whom the room has not answered yet.
    var waiting = AddressShares<ObjectIdentifier, any WebParticipant>(capacity: WebTable.mostWaiting)
    /// Let in, by their places in the room.
    var members: [ObjectIdentifier: any WebParticipant] = [:]
    /// Of members, those without a page to whom no path was found yet: who only pretends to be somebody gives way.
    var pending = AddressShares<ObjectIdentifier, any WebParticipant>(capacity: WebTable.mostPending)
    /// Members without those, and how many are at an address.
    var present: Set<ObjectIdentifier> = []
    var membersOfPrefix: [AddressPrefix: Int] = [:]
    /// Sessions without a first path, of all members: each holds memory and sockets.
    var unconnected = AddressShares<ObjectIdentifier, any WebPathSeeker>(capacity: WebTable.mostUnconnected)
    var tickets: [String: WebMember] = [:]
    var sessions: [String: (member: WebMember, peer: WebPeer)] = [:]
    var isClosed = false

    init(_ whip: WHIPServer, _ strangers: WebStrangers) { (self.whip, self.strangers) = (whip, strangers) }

    mutating func arrive(_ member: any WebParticipant) {
      if present.insert(member.id).inserted { membersOfPrefix[member.prefix, default: 0] += 1 }
    }

    mutating func depart(_ member: any WebParticipant) {
      guard present.remove(member.id) != nil, let count = membersOfPrefix[member.prefix] else { return }
      membersOfPrefix[member.prefix] = count > 1 ? count - 1 : nil
    }
  }

  /// Members who wait for the room's answer.
  static let mostWaiting = 64
  /// Of members, those without a page and without a path.
  static let mostPending = 32
  /// Sessions without a first path.
  static let mostUnconnected = 256
  /// Sections of an offer: as many as a player may have streams, and some that have ended.
  static let mostSections = 64
  static let closed = MediaError(.closed, "the server is closed")

  let room: String
  let options: WebServer.Options
  let thread: any DriverLoop
  let network: any Network
  let loop: EventLoop
  /// At which media of its clients arrives.
  let ports: PeerPorts
  let offersLoopback: Bool
  let liveKit: LiveKitRegistry
  let service: LiveKitService
  let qualities: LiveKitQualityWatch
  var clock: any MediaClock { loop.clock }
  private let state: Monitor<State>

  /// Throws what `PeerPorts.init` throws.
  init(
    _ room: String, _ options: WebServer.Options, _ thread: any DriverLoop, _ network: any Network, _ loop: EventLoop
  ) throws(MediaError) {
    (self.room, self.options, self.thread, self.network, self.loop) = (room, options, thread, network, loop)
    offersLoopback = options.addresses.contains(where: \.isLoopback)
    ports = try PeerPorts(
      udp: options.mediaPort, publicAddresses: options.publicAddresses, offersLoopback: offersLoopback, network: network, thread: thread)
    liveKit = LiveKitRegistry(room: room, mostMembers: options.mostMembers, created: loop.clock.wallTime())
    service = LiveKitService(room, liveKit, now: loop.clock.now())
    qualities = LiveKitQualityWatch(liveKit, loop: loop)
    let whip = WHIPServer(origins: options.origins, random: SystemRandomNumberGenerator())
    state = Monitor(State(whip, WebStrangers(handshakes: options.handshakes, offers: options.offers)))
  }

  // MARK: Connections

  /// False: it is not to begin. Who has to go for it is dropped.
  func add(_ connection: WebConnection) -> Bool {
    let (isOpen, dropped): (Bool, WebConnection?) = state.withLock { state in
      guard !state.isClosed else { return (false, nil) }
      return (true, state.strangers.add(connection, isNeighbour: state.membersOfPrefix[connection.prefix] != nil))
    }
    dropped?.drop()
    return isOpen && dropped !== connection
  }

  func advance(_ connection: WebConnection, to stage: Int) {
    state.withLock { $0.strangers.advance(connection, to: stage) }
  }

  func remove(_ connection: WebConnection) {
    state.withLock { $0.strangers.remove(connection) }
    wakeNext()
  }

  /// Whether a connection of which something came may begin the handshake now (nil), or when to ask again.
  func mayHandshake(_ connection: WebConnection, now: Int64) -> Int64? {
    state.withLock { $0.strangers.mayHandshake(connection, at: now) }
  }

  func charge(_ cost: Int, of connection: WebConnection, now: Int64) {
    state.withLock { $0.strangers.charge(cost, of: connection, at: now) }
  }

  /// Who may begin next asks again when it may.
  func wakeNext() {
    let now = clock.now()
    for (connection, time) in state.withLock({ $0.strangers.nextHandshakes(at: now) }) { connection.wake(at: time) }
  }

  /// No descriptor is left: a stranger's is given up. False: there is nobody.
  func giveWay() -> Bool {
    let dropped = state.withLock { $0.strangers.dropOne() }
    dropped?.drop()
    return dropped != nil
  }

  // MARK: Requests, on the network thread

  func handle(_ request: HTTPRequest, _ connection: WebConnection) {
    if let response = openPage(request, connection) {
      if let response { connection.respond(response) }
      return
    }
    if takeLiveKit(request, connection) || takeService(request, connection) { return }
    switch state.withLock({ $0.whip.receive(request) }) {
    case .other: connection.respond(WebPage.response(to: request, room: room))
    case .respond(let response): connection.respond(response)
    case .offer(let offer): take(offer, request, connection)
    case .change(let change): loop.post { [self] in take(change, connection) }
    case .end(let session, let response):
      connection.respond(response)
      loop.post { [self] in
        if let (member, peer) = state.withLock({ $0.sessions.removeValue(forKey: session) }) { member.end(peer) }
      }
    }
  }

  /// A page asks for its WebSocket; nil: the request is another one. The response, if it is refused.
  private func openPage(_ request: HTTPRequest, _ connection: WebConnection) -> HTTPResponse?? {
    guard let name = WebPage.webSocketRoom(request.path) else { return nil }
    switch WebSocketOffer.read(request) {
    case .other: return HTTPResponse(426, text: "a page asks for WebSocket here")
    case .refused(let response): return response
    case .offer(let offer):
      guard name == room else { return HTTPResponse(404, text: "there is no room \"\(name.prefix(64))\" here") }
      return .some(connection.upgrade(offer, for: .page) ? nil : nil)
    }
  }

  /// The first message of a page, on the network thread.
  func join(_ text: String, _ connection: WebConnection) {
    do throws(MediaError) {
      guard case .join(let user, let name, let token) = try PageMessage(parsing: text) else {
        throw MediaError(.corrupt, "the page's first message is not join")
      }
      let member = try makeMember(user, name, prefix: "guest")
      let newcomer = WebMember(member, token: token, page: connection, at: connection.address, self) { _ in }
      try wait(for: newcomer)
      connection.belong(to: newcomer)
      loop.post { newcomer.start() }
    } catch {
      connection.send(.text(PageNotice.disconnected(error.text).text))
      connection.close(error.text)
    }
  }

  private func take(_ offer: WHIPServer.Offer, _ request: HTTPRequest, _ connection: WebConnection) {
    let isScreen = request.query.map { WebQuery.value("kind", in: $0) == "screen" } ?? false
    do throws(MediaError) {
      guard offer.room == room else { throw MediaError(.notFound, "there is no room \"\(offer.room.prefix(64))\" here") }
      let sections = WHIPDescriptions.lines(of: offer.sdp).count { $0.utf8.starts(with: "m=".utf8) }
      guard sections <= WebTable.mostSections else {
        throw MediaError(.format, "the offer has \(sections) sections; accepted: at most \(WebTable.mostSections)")
      }
      // The page of a member.
      if let token = offer.token, let member = state.withLock({ $0.tickets[token] }) {
        return loop.post { [self] in begin(offer, isScreen, member, connection) }
      }
      let held = HeldOffer(
        offer: offer, isScreen: isScreen, user: request.query.flatMap { WebQuery.value("user", in: $0) },
        name: request.query.flatMap { WebQuery.value("name", in: $0) }, connection: connection, cost: 1 + sections / 8)
      let now = clock.now()
      // One that has gone needs no answer.
      if state.withLock({ $0.strangers.hold(held, at: now) }) { takeHeld() }
    } catch {
      refuse(offer, error, "", connection)
    }
  }

  /// Offers of strangers, as many as may be answered now.
  private func takeHeld() {
    let now = clock.now()
    while true {
      let (held, next): (HeldOffer?, Int64?) = state.withLock { state in
        let (held, next) = state.strangers.nextOffer(at: now)
        guard held == nil, next < state.nextOffer else { return (held, nil) }
        state.nextOffer = next
        return (nil, next)
      }
      if let next {
        loop.schedule(at: next) { [weak self] in
          self?.state.withLock { $0.nextOffer = .max }
          self?.takeHeld()
        }
      }
      guard let held else { return }
      enter(held)
    }
  }

  /// Somebody without a page asks to be a member.
  private func enter(_ held: HeldOffer) {
    let (offer, connection) = (held.offer, held.connection)
    do throws(MediaError) {
      let member = try makeMember(held.user, held.name, prefix: offer.kind == .whip ? "sender" : "player")
      let made = Monitor<WebMember?>(nil)
      let newcomer = WebMember(member, token: offer.token ?? "", page: nil, at: connection.address, self) { [self] result in
        guard let member = made.withLock({ $0.take() }) else { return }
        switch result {
        case .success: begin(offer, held.isScreen, member, connection)
        case .failure(let error): refuse(offer, error, member.member.userID, connection)
        }
      }
      made.withLock { $0 = newcomer }
      try wait(for: newcomer)
      loop.post { newcomer.start() }
    } catch {
      refuse(offer, error, "", connection)
    }
  }

  func makeMember(_ user: String?, _ name: String?, prefix: String) throws(MediaError) -> Member {
    for text in [user, name].compactMap({ $0 }) {
      let isPlain = text.unicodeScalars.allSatisfy { $0.value >= 0x20 && $0.value != 0x7F }
      guard isPlain, (1...WebQuery.longestName).contains(text.utf8.count) else {
        let accepted = "1..\(WebQuery.longestName), without control characters"
        throw MediaError(.invalid, "a user id or a name has \(text.utf8.count) bytes; accepted: \(accepted)")
      }
    }
    let id = user ?? "\(prefix)-\(String(UInt32.random(in: 0...UInt32.max), radix: 36))"
    return Member(userID: id, displayName: name ?? id)
  }

  /// On the loop.
  private func begin(_ offer: WHIPServer.Offer, _ isScreen: Bool, _ member: WebMember, _ connection: WebConnection) {
    member.begin(offer, isScreen: isScreen) { [self] result in
      do throws(MediaError) {
        let (peer, sdp) = try result.get()
        let accepted = try state.withLock { state throws(MediaError) in
          let accepted = try state.whip.accept(offer, sdp: sdp, iceServers: options.iceServers)
          state.sessions[accepted.session] = (member, peer)
          return accepted
        }
        // Who does not know its session cannot end it.
        if !connection.respond(accepted.response) { member.end(peer) }
      } catch {
        refuse(offer, error, member.member.userID, connection)
      }
    }
  }

  private func refuse(_ offer: WHIPServer.Offer, _ error: MediaError, _ userID: String, _ connection: WebConnection) {
    if !userID.isEmpty { options.watch?(.refused(userID: userID, at: connection.address, because: error)) }
    connection.respond(state.withLock { $0.whip.refuse(offer, error) })
  }

  /// On the loop.
  private func take(_ change: WHIPServer.Change, _ connection: WebConnection) {
    do throws(MediaError) {
      guard let (member, peer) = state.withLock({ $0.sessions[change.session] }) else {
        throw MediaError(.notFound, "the session has ended")
      }
      try member.charge()
      let fragment = try peer.change(change.fragment, isRestart: change.isRestart)
      connection.respond(state.withLock { $0.whip.accept(change, fragment) })
    } catch {
      let error = error
      connection.respond(state.withLock { $0.whip.refuse(change, error) })
    }
  }

  // MARK: Members

  /// Waits for the room's answer, and takes no member's place before it.
  func wait(for member: any WebParticipant) throws(MediaError) {
    let dropped: (any WebParticipant)? = try state.withLock { state throws(MediaError) in
      guard !state.isClosed else { throw WebTable.closed }
      return state.waiting.add(member, as: member.id, from: member.prefix)
    }
    let full = MediaError(.full, "\(WebTable.mostWaiting) clients wait for the room's answer, most of them from this address")
    guard dropped !== member else { throw full }
    if let dropped { loop.post { dropped.leave(full) } }
  }

  /// The room lets them in.
  func admit(_ place: LoopbackTransport) throws(MediaError) {
    let id = ObjectIdentifier(place)
    let dropped: (any WebParticipant)? = try state.withLock { state throws(MediaError) in
      guard state.members[id] == nil else { return nil }
      guard !state.isClosed else { throw WebTable.closed }
      guard let member = state.waiting[id] else { throw MediaError(.closed, "the client has gone") }
      var dropped: (any WebParticipant)?
      if state.members.count >= options.mostMembers {
        dropped = state.pending.dropOne(for: member.prefix)
        guard let dropped else { throw MediaError(.full, "the server has \(options.mostMembers) members, the maximum") }
        state.members[dropped.id] = nil
      }
      state.waiting.remove(id)
      state.members[id] = member
      if member.hasPage {
        state.arrive(member)
      } else {
        dropped = state.pending.add(member, as: id, from: member.prefix) ?? dropped
      }
      return dropped
    }
    if let dropped { loop.post { dropped.leave(WebTable.crowded) } }
  }

  private static let crowded = MediaError(.full, "no path to the client was found before others came, most of them from this address")

  /// A session is about to begin. Who has to go for it loses theirs.
  func begins(_ peer: any WebPathSeeker, of member: any WebParticipant) {
    // Whoever was put out as the server closed, from another thread, is not held.
    let dropped = state.withLock { $0.isClosed ? nil : $0.unconnected.add(peer, as: ObjectIdentifier(peer), from: member.prefix) }
    if let dropped { loop.post { dropped.end(WebTable.crowded) } }
  }

  /// A path was found.
  func connected(_ peer: any WebPathSeeker, of member: any WebParticipant) {
    state.withLock { state in
      state.unconnected.remove(ObjectIdentifier(peer))
      if state.pending.remove(member.id) != nil { state.arrive(member) }
    }
  }

  /// 128 bits that nobody can guess.
  static func makeSecret() -> String { String((0..<32).map { _ in Array("0123456789abcdef")[Int.random(in: 0..<16)] }) }

  /// By which the page's sessions are the member's.
  func makeTicket(for member: WebMember) -> String {
    let ticket = WebTable.makeSecret()
    state.withLock { state in
      if state.members[member.id] != nil { state.tickets[ticket] = member }
    }
    return ticket
  }

  func remove(_ member: any WebParticipant) {
    state.withLock { state in
      state.waiting.remove(member.id)
      state.pending.remove(member.id)
      state.members[member.id] = nil
      state.depart(member)
      for (ticket, other) in state.tickets where other === member { state.tickets[ticket] = nil }
    }
  }

  /// A session has ended otherwise than by its client.
  func forget(_ peer: any WebPathSeeker) {
    state.withLock { state in
      state.unconnected.remove(ObjectIdentifier(peer))
      guard let session = state.sessions.first(where: { $0.value.peer === peer })?.key else { return }
      state.sessions[session] = nil
      state.whip.ended(session)
    }
  }

  var memberCount: Int { state.withLock { $0.members.count } }
  var sessionCount: Int { state.withLock { $0.sessions.count } }
  var strangerCount: Int { state.withLock { $0.strangers.count } }

  func close() {
    let (members, strangers) = state.withLock { state in
      state.isClosed = true
      return (Array(state.members.values) + state.waiting.elements, state.strangers.elements)
    }
    for member in members { member.leave(WebTable.closed) }
    liveKit.close()
    for stranger in strangers { stranger.drop() }
    ports.close()
  }
}
