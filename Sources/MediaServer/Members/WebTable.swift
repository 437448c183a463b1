import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTransport

/// Who is at a web server: connections of strangers, each in a bounded number with a share for each address, members and their sessions.
/// What requests ask for is done here.
final class WebTable: Sendable {
  private struct State: @unchecked Sendable {
    let whip: WHIPServer
    var strangers = AddressShares<ObjectIdentifier, WebConnection>(
      capacity: WebTable.mostStrangers, ofAddress: WebTable.mostOfAddress, stages: WebConnection.stages)
    /// Handshakes: each costs a signature, on the thread that forwards media.
    var work: WorkShares<ObjectIdentifier>
    /// Whom the room has not answered yet.
    var waiting = AddressShares<ObjectIdentifier, WebMember>(capacity: WebTable.mostWaiting)
    /// Let in, by their places in the room.
    var members: [ObjectIdentifier: WebMember] = [:]
    var tickets: [String: WebMember] = [:]
    var sessions: [String: (member: WebMember, peer: WebPeer)] = [:]
    var isClosed = false

    init(_ whip: WHIPServer, _ handshakes: WorkAllowance) { (self.whip, work) = (whip, WorkShares(handshakes)) }
  }

  /// Connections that are no member's, and of one address.
  static let mostStrangers = 512
  static let mostOfAddress = 128
  /// Members who wait for the room's answer.
  static let mostWaiting = 64
  static let handshakes = WorkAllowance(burst: 16, perSecond: 250, now: 0)
  static let closed = MediaError(.closed, "the server is closed")

  let room: String
  let options: WebServer.Options
  let thread: any DriverLoop
  let network: any Network
  let loop: EventLoop
  let offersLoopback: Bool
  var clock: any MediaClock { loop.clock }
  private let state: Monitor<State>

  init(_ room: String, _ options: WebServer.Options, _ thread: any DriverLoop, _ network: any Network, _ loop: EventLoop) {
    (self.room, self.options, self.thread, self.network, self.loop) = (room, options, thread, network, loop)
    offersLoopback = options.addresses.contains { WebServer.isLoopback($0) }
    state = Monitor(State(WHIPServer(origins: options.origins, random: SystemRandomNumberGenerator()), options.handshakes))
  }

  // MARK: Connections

  /// False: it is not to begin. Who has to go for it is dropped.
  func add(_ connection: WebConnection) -> Bool {
    let (isOpen, dropped): (Bool, WebConnection?) = state.withLock { state in
      guard !state.isClosed else { return (false, nil) }
      return (true, state.strangers.add(connection, as: ObjectIdentifier(connection), from: connection.prefix))
    }
    dropped?.drop()
    return isOpen && dropped !== connection
  }

  func advance(_ connection: WebConnection, to stage: Int) {
    state.withLock { $0.strangers.advance(ObjectIdentifier(connection), to: stage) }
  }

  func remove(_ connection: WebConnection) {
    let id = ObjectIdentifier(connection)
    state.withLock { state in
      state.strangers.remove(id)
      state.work.remove(id)
    }
    wakeNext()
  }

  /// Whether a connection of which something came may begin the handshake now (nil), or when to ask again.
  func mayHandshake(_ connection: WebConnection, now: Int64) -> Int64? {
    let id = ObjectIdentifier(connection)
    return state.withLock { state in
      state.strangers.contains(id) ? state.work.ask(id, from: connection.prefix, at: now) : .max
    }
  }

  func charge(_ cost: Int, now: Int64) { state.withLock { $0.work.charge(cost, at: now) } }

  /// Who may begin next asks again when it may.
  func wakeNext() {
    let now = clock.now()
    let next: (connection: WebConnection, time: Int64)? = state.withLock { state in
      state.work.next(at: now).flatMap { next in state.strangers[next.key].map { ($0, next.time) } }
    }
    next?.connection.wake(at: next?.time ?? .min)
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
      return .some(connection.upgrade(offer) ? nil : nil)
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
      connection.send(.disconnected(error.text))
      connection.close(error.text)
    }
  }

  private func take(_ offer: WHIPServer.Offer, _ request: HTTPRequest, _ connection: WebConnection) {
    let isScreen = request.query.map { WebQuery.value("kind", in: $0) == "screen" } ?? false
    do throws(MediaError) {
      guard offer.room == room else { throw MediaError(.notFound, "there is no room \"\(offer.room.prefix(64))\" here") }
      // The page of a member.
      if let token = offer.token, let member = state.withLock({ $0.tickets[token] }) {
        return loop.post { [self] in begin(offer, isScreen, member, connection) }
      }
      let user = request.query.flatMap { WebQuery.value("user", in: $0) }
      let name = request.query.flatMap { WebQuery.value("name", in: $0) }
      let member = try makeMember(user, name, prefix: offer.kind == .whip ? "sender" : "player")
      let made = Monitor<WebMember?>(nil)
      let newcomer = WebMember(member, token: offer.token ?? "", page: nil, at: connection.address, self) { [self] result in
        guard let member = made.withLock({ $0.take() }) else { return }
        switch result {
        case .success: begin(offer, isScreen, member, connection)
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

  private func makeMember(_ user: String?, _ name: String?, prefix: String) throws(MediaError) -> Member {
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
      guard let peer = state.withLock({ $0.sessions[change.session]?.peer }) else { throw MediaError(.notFound, "the session has ended") }
      let fragment = try peer.change(change.fragment, isRestart: change.isRestart)
      connection.respond(state.withLock { $0.whip.accept(change, fragment) })
    } catch {
      let error = error
      connection.respond(state.withLock { $0.whip.refuse(change, error) })
    }
  }

  // MARK: Members

  /// Waits for the room's answer, and takes no member's place before it.
  private func wait(for member: WebMember) throws(MediaError) {
    let dropped: WebMember? = try state.withLock { state throws(MediaError) in
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
    try state.withLock { state throws(MediaError) in
      guard state.members[id] == nil else { return }
      guard !state.isClosed else { throw WebTable.closed }
      guard state.members.count < options.mostMembers else {
        throw MediaError(.full, "the server has \(options.mostMembers) members, the maximum")
      }
      guard let member = state.waiting.remove(id) else { throw MediaError(.closed, "the client has gone") }
      state.members[id] = member
    }
  }

  /// By which the page's sessions are the member's. Nobody can guess it.
  func makeTicket(for member: WebMember) -> String {
    let ticket = String((0..<32).map { _ in Array("0123456789abcdef")[Int.random(in: 0..<16)] })
    state.withLock { state in
      if state.members[member.id] != nil { state.tickets[ticket] = member }
    }
    return ticket
  }

  func remove(_ member: WebMember) {
    state.withLock { state in
      state.waiting.remove(member.id)
      state.members[member.id] = nil
      for (ticket, other) in state.tickets where other === member { state.tickets[ticket] = nil }
    }
  }

  /// A session has ended otherwise than by its client.
  func forget(_ peer: WebPeer) {
    state.withLock { state in
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
    for stranger in strangers { stranger.drop() }
  }
}
