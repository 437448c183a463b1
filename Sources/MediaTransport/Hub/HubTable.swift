import MediaCore
import MediaRTP

/// Who is at a hub: members by what their packets say and by their tickets, and who knocked and said nothing yet.
final class HubTable: Sendable {
  private struct State {
    var byBase: [UInt32: HubPeer] = [:]
    var byTicket: [[UInt8]: HubPeer] = [:]
    var peers: [ObjectIdentifier: HubPeer] = [:]
    /// In order of coming.
    var guests: [HubGuest] = []
    var isClosed = false
    var foreign: UInt64 = 0
  }

  let room: String
  let options: HubServer.Options
  let thread: NetworkThread
  let loop: EventLoop
  private let state = Monitor(State())
  /// Who connected and said nothing.
  static let mostGuests = 32

  init(_ room: String, _ options: HubServer.Options, _ thread: NetworkThread, _ loop: EventLoop) {
    (self.room, self.options, self.thread, self.loop) = (room, options, thread, loop)
  }

  // MARK: Guests

  /// The guest who waits longest goes when there are too many.
  func add(_ guest: HubGuest) -> Bool {
    let (isOpen, oldest): (Bool, HubGuest?) = state.withLock { state in
      guard !state.isClosed else { return (false, nil) }
      state.guests.append(guest)
      return (true, state.guests.count > HubTable.mostGuests ? state.guests.removeFirst() : nil)
    }
    oldest?.drop()
    return isOpen
  }

  func remove(_ guest: HubGuest) {
    state.withLock { $0.guests.removeAll { $0 === guest } }
  }

  // MARK: Members

  func add(_ peer: HubPeer) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      guard !state.isClosed else { throw HubTable.closed }
      guard state.peers.count < options.mostMembers else {
        throw MediaError(.full, "the hub takes \(options.mostMembers) members over the network and has so many")
      }
      state.peers[ObjectIdentifier(peer)] = peer
    }
  }

  static let closed = MediaError(.closed, "the hub is closed")

  /// What a member's packets say from now on, and his ticket; nobody else's.
  func enter(_ peer: HubPeer) -> (base: UInt32, ticket: [UInt8]) {
    state.withLock { state in
      var base: UInt32
      repeat { base = UInt32.random(in: 1..<1 << 24) << 8 } while state.byBase[base] != nil
      // The system's generator, which nobody can guess.
      let ticket = (0..<HubWire.ticketSize).map { _ in UInt8.random(in: 0...255) }
      if state.peers[ObjectIdentifier(peer)] != nil { (state.byBase[base], state.byTicket[ticket]) = (peer, peer) }
      return (base, ticket)
    }
  }

  func remove(_ peer: HubPeer) {
    state.withLock { state in
      state.peers[ObjectIdentifier(peer)] = nil
      for (base, other) in state.byBase where other === peer { state.byBase[base] = nil }
      for (ticket, other) in state.byTicket where other === peer { state.byTicket[ticket] = nil }
    }
  }

  func peer(withTicket ticket: [UInt8]) -> HubPeer? { state.withLock { $0.byTicket[ticket] } }

  /// Whose a packet says to be; what is nobody's is counted.
  func peer(ofPacket packet: UnsafeRawBufferPointer) -> HubPeer? {
    let base = HubTerms.base(of: packet)
    return state.withLock { state in
      let peer = base.flatMap { state.byBase[$0] }
      if peer == nil { state.foreign &+= 1 }
      return peer
    }
  }

  func countForeign() { state.withLock { $0.foreign &+= 1 } }

  var foreign: UInt64 { state.withLock { $0.foreign } }
  var all: [HubPeer] { state.withLock { Array($0.peers.values) } }
  var memberCount: Int { state.withLock { $0.peers.count } }
  var guestCount: Int { state.withLock { $0.guests.count } }

  func close() {
    let (peers, guests) = state.withLock { state in
      state.isClosed = true
      defer { state.guests = [] }
      return (Array(state.peers.values), state.guests)
    }
    for guest in guests { guest.drop() }
    for peer in peers { peer.end(because: HubTable.closed) }
  }
}
