import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime

/// Who is at a hub: members by what their packets say and by their tickets; and before them, each in a bounded number with a share for each
/// address, who connected and said nothing yet, who waits for the room's answer, and who is notified why they are disconnected.
final class HubTable: Sendable {
  fileprivate typealias Shares<Element> = AddressShares<ObjectIdentifier, Element>

  fileprivate struct State {
    var byBase: [UInt32: HubPeer] = [:]
    var byTicket: [[UInt8]: HubPeer] = [:]
    /// Let in, by their places in the room; and where from.
    var members: [ObjectIdentifier: HubPeer] = [:]
    var prefixes: [ObjectIdentifier: AddressPrefix] = [:]
    /// Where their media goes, if they have shown that they are there.
    var mediaPrefixes: [ObjectIdentifier: AddressPrefix] = [:]
    var membersOfPrefix: [AddressPrefix: Int] = [:]
    /// Whom the room has not answered yet, by the same.
    var waiting = Shares<HubPeer>(capacity: HubTable.mostWaiting)
    var strangers = Shares<HubGuest>(capacity: HubTable.mostGuests, stages: HubGuest.stages)
    /// From an address of a member's, who may come back: strangers elsewhere take nothing from them.
    var neighbours = Shares<HubGuest>(capacity: HubTable.mostGuests, stages: HubGuest.stages)
    /// Handshakes of the one and of the other: each costs a signature, on the thread that forwards media.
    var strangersWork: WorkShares<ObjectIdentifier>
    var neighboursWork: WorkShares<ObjectIdentifier>
    var farewells = Shares<LingeringClose>(capacity: HubTable.mostFarewells, ofAddress: HubTable.mostFarewellsOfAddress)
    var isClosed = false
    var foreign: UInt64 = 0

    init(_ handshakes: WorkAllowance) { (strangersWork, neighboursWork) = (WorkShares(handshakes), WorkShares(handshakes)) }
  }

  let room: String
  let options: HubServer.Options
  let thread: any DriverLoop
  let network: any Network
  let loop: EventLoop
  var clock: any MediaClock { loop.clock }
  private let state: Monitor<State>
  /// Who connected and said nothing; as many more from the addresses of members. At 200 a second from one address each has 0.6 s.
  static let mostGuests = 128
  /// Who said who they are; the room may take its time.
  static let mostWaiting = 64
  /// Who is notified why they are disconnected, for a second at most.
  static let mostFarewells = 32
  static let mostFarewellsOfAddress = 16

  /// Handshakes of strangers, and as many more of those who come from the addresses of members. Few at once: media waits for them.
  static let handshakes = WorkAllowance(burst: 16, perSecond: 250, now: 0)

  init(_ room: String, _ options: HubServer.Options, _ thread: any DriverLoop, _ network: any Network, _ loop: EventLoop) {
    (self.room, self.options, self.thread, self.network, self.loop) = (room, options, thread, network, loop)
    state = Monitor(State(options.handshakes))
  }

  // MARK: Guests

  /// False: it is not to begin. Who has to go for it is dropped.
  func add(_ guest: HubGuest) -> Bool {
    let (isOpen, dropped): (Bool, HubGuest?) = state.withLock { state in
      guard !state.isClosed else { return (false, nil) }
      let isNeighbour = state.membersOfPrefix[guest.prefix] != nil
      let id = ObjectIdentifier(guest)
      return (
        true, isNeighbour ? state.neighbours.add(guest, as: id, from: guest.prefix) : state.strangers.add(guest, as: id, from: guest.prefix)
      )
    }
    dropped?.drop()
    return isOpen && dropped !== guest
  }

  func advance(_ guest: HubGuest, to stage: Int) {
    state.withLock { state in
      state.strangers.advance(ObjectIdentifier(guest), to: stage)
      state.neighbours.advance(ObjectIdentifier(guest), to: stage)
    }
  }

  func remove(_ guest: HubGuest) {
    let id = ObjectIdentifier(guest)
    state.withLock { state in
      state.strangers.remove(id)
      state.neighbours.remove(id)
      state.strangersWork.remove(id)
      state.neighboursWork.remove(id)
    }
    wakeNext()
  }

  /// Whether a guest of whom something came may begin the handshake now (nil), or when to ask again; .max: not before they are woken.
  func mayHandshake(_ guest: HubGuest, now: Int64) -> Int64? {
    let id = ObjectIdentifier(guest)
    return state.withLock { state in
      if state.neighbours.contains(id) { return state.neighboursWork.ask(id, from: guest.prefix, at: now) }
      return state.strangers.contains(id) ? state.strangersWork.ask(id, from: guest.prefix, at: now) : .max
    }
  }

  /// So many messages of handshakes were answered.
  func charge(_ cost: Int, of guest: HubGuest, now: Int64) {
    state.withLock { state in
      if state.neighbours.contains(ObjectIdentifier(guest)) {
        state.neighboursWork.charge(cost, at: now)
      } else {
        state.strangersWork.charge(cost, at: now)
      }
    }
  }

  /// Those who may begin next ask again when they may.
  func wakeNext() {
    let now = clock.now()
    let next: [(guest: HubGuest, time: Int64)] = state.withLock { state in
      let stranger = state.strangersWork.next(at: now).flatMap { next in state.strangers[next.key].map { ($0, next.time) } }
      let neighbour = state.neighboursWork.next(at: now).flatMap { next in state.neighbours[next.key].map { ($0, next.time) } }
      return [stranger, neighbour].compactMap { $0 }
    }
    for (guest, time) in next { guest.wake(at: time) }
  }

  /// No descriptor is left: who is notified why they are disconnected gives theirs up, then a stranger does. False: there is nobody.
  func giveWay() -> Bool {
    let (farewell, guest): (LingeringClose?, HubGuest?) = state.withLock { state in
      if let farewell = state.farewells.dropOne() { return (farewell, nil) }
      return (nil, state.strangers.dropOne() ?? state.neighbours.dropOne())
    }
    farewell?.drop()
    guest?.drop()
    return farewell != nil || guest != nil
  }

  // MARK: Farewells

  /// Closes a connection, if it can be with a word that says why.
  func sayFarewell(over line: HubLine, _ error: MediaError?, now: Int64) {
    guard let farewell = LingeringClose(line, error, self, now: now), let prefix = farewell.prefix else { return }
    let dropped = state.withLock { $0.farewells.add(farewell, as: ObjectIdentifier(farewell), from: prefix) }
    dropped?.drop()
    farewell.start()
  }

  func remove(_ farewell: LingeringClose) {
    state.withLock { _ = $0.farewells.remove(ObjectIdentifier(farewell)) }
  }

  // MARK: Members

  /// Waits for the room's answer, and takes no member's place before it.
  func add(_ peer: HubPeer, from prefix: AddressPrefix) throws(MediaError) {
    let dropped: HubPeer? = try state.withLock { state throws(MediaError) in
      guard !state.isClosed else { throw HubTable.closed }
      state.prefixes[peer.id] = prefix
      return state.waiting.add(peer, as: peer.id, from: prefix)
    }
    dropped?.end(
      because: MediaError(.full, "\(HubTable.mostWaiting) connections wait for the room's answer, most of them from this address"))
  }

  /// The room lets it in.
  func admit(_ place: LoopbackTransport) throws(MediaError) {
    let id = ObjectIdentifier(place)
    try state.withLock { state throws(MediaError) in
      guard state.members[id] == nil else { return }
      guard !state.isClosed else { throw HubTable.closed }
      guard state.members.count < options.mostMembers else {
        throw MediaError(.full, "the hub has \(options.mostMembers) members over the network, the maximum")
      }
      // Gone meanwhile.
      guard let peer = state.waiting.remove(id) else { return }
      state.members[id] = peer
      if let prefix = state.prefixes[id] { state.membersOfPrefix[prefix, default: 0] += 1 }
    }
  }

  /// A member came back from there.
  func move(_ peer: HubPeer, to prefix: AddressPrefix?) {
    state.withLock { state in
      guard let prefix, state.members[peer.id] != nil else { return }
      state.forget(state.prefixes.updateValue(prefix, forKey: peer.id))
      state.membersOfPrefix[prefix, default: 0] += 1
    }
  }

  /// A member has shown that their packets come from there: if their connection breaks, they come back from there.
  func moveMedia(of peer: HubPeer, to prefix: AddressPrefix) {
    state.withLock { state in
      guard state.members[peer.id] != nil else { return }
      state.forget(state.mediaPrefixes.updateValue(prefix, forKey: peer.id))
      state.membersOfPrefix[prefix, default: 0] += 1
    }
  }

  func hasMember(at prefix: AddressPrefix) -> Bool { state.withLock { $0.membersOfPrefix[prefix] != nil } }

  static let closed = MediaError(.closed, "the hub is closed")

  /// What a member's packets say from now on, and his ticket; nobody else's.
  func enter(_ peer: HubPeer) -> (base: UInt32, ticket: [UInt8]) {
    state.withLock { state in
      var base: UInt32
      repeat { base = UInt32(truncatingIfNeeded: network.random()) & ~255 } while base == 0 || state.byBase[base] != nil
      // The system's generator, which nobody can guess.
      let ticket = (0..<HubWire.ticketSize).map { _ in UInt8.random(in: 0...255) }
      if state.members[peer.id] != nil { (state.byBase[base], state.byTicket[ticket]) = (peer, peer) }
      return (base, ticket)
    }
  }

  func remove(_ peer: HubPeer) {
    state.withLock { state in
      let prefixes = (state.prefixes.removeValue(forKey: peer.id), state.mediaPrefixes.removeValue(forKey: peer.id))
      if state.members.removeValue(forKey: peer.id) != nil {
        state.forget(prefixes.0)
        state.forget(prefixes.1)
      }
      state.waiting.remove(peer.id)
      for (base, other) in state.byBase where other === peer { state.byBase[base] = nil }
      for (ticket, other) in state.byTicket where other === peer { state.byTicket[ticket] = nil }
    }
  }

  func peer(withTicket ticket: [UInt8]) -> HubPeer? { state.withLock { $0.byTicket[ticket] } }

  /// Whose a packet says to be; what is nobody's is counted.
  func peer(ofPacket packet: UnsafeRawBufferPointer) -> HubPeer? {
    let base = MediaParameters.base(of: packet)
    return state.withLock { state in
      let peer = base.flatMap { state.byBase[$0] }
      if peer == nil { state.foreign &+= 1 }
      return peer
    }
  }

  func countForeign() { state.withLock { $0.foreign &+= 1 } }

  var foreign: UInt64 { state.withLock { $0.foreign } }
  var all: [HubPeer] { state.withLock { $0.members.values + $0.waiting.elements } }
  var memberCount: Int { state.withLock { $0.members.count } }
  var waitingCount: Int { state.withLock { $0.waiting.count } }
  var guestCount: Int { state.withLock { $0.strangers.count + $0.neighbours.count } }
  var farewellCount: Int { state.withLock { $0.farewells.count } }

  func close() {
    let (peers, guests) = state.withLock { state in
      state.isClosed = true
      return (state.members.values + state.waiting.elements, state.strangers.elements + state.neighbours.elements)
    }
    for guest in guests { guest.drop() }
    for peer in peers { peer.end(because: HubTable.closed) }
  }
}

extension HubTable.State {
  /// One member less is there.
  fileprivate mutating func forget(_ prefix: AddressPrefix?) {
    guard let prefix, let count = membersOfPrefix[prefix] else { return }
    membersOfPrefix[prefix] = count > 1 ? count - 1 : nil
  }
}
