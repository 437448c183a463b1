import MediaNetwork
import MediaSignalling

/// An offer of somebody who is no member, until it may be answered.
struct HeldOffer {
  let offer: WHIPServer.Offer
  let isScreen: Bool
  /// What the client says of itself.
  let user: String?
  let name: String?
  let connection: WebConnection
  /// Pieces of work, by the sections.
  let cost: Int
}

/// Connections that are no member's: those from addresses of members, whose pages open one for each of their requests, and all others. Each
/// half has as many places as the other, and as much work: so strangers elsewhere take nothing from members. A pure value; `WebTable` locks
/// it.
struct WebStrangers {
  private struct Half {
    var connections = AddressShares<ObjectIdentifier, WebConnection>(
      capacity: WebStrangers.most, ofAddress: WebStrangers.mostOfAddress, stages: WebConnection.stages)
    /// Each costs a signature, on the thread that forwards media.
    var handshakes: WorkShares<ObjectIdentifier>
    /// Each costs a connection of WebRTC.
    var offers: WorkShares<ObjectIdentifier>
  }

  /// Connections of one half, and of one address.
  static let most = 512
  static let mostOfAddress = 128
  static let handshakes = WorkAllowance(burst: 16, perSecond: 250, now: 0)
  static let offers = WorkAllowance(burst: 32, perSecond: 50, now: 0)

  private var halves: [Half]
  private var held: [ObjectIdentifier: HeldOffer] = [:]

  init(handshakes: WorkAllowance, offers: WorkAllowance) {
    halves = (0..<2).map { _ in Half(handshakes: WorkShares(handshakes), offers: WorkShares(offers)) }
  }

  var count: Int { halves.reduce(0) { $0 + $1.connections.count } }
  var elements: [WebConnection] { halves.flatMap(\.connections.elements) }

  private func half(of id: ObjectIdentifier) -> Int? { halves.firstIndex { $0.connections.contains(id) } }

  // MARK: Connections

  /// Who has to go for it, which may be itself. `isNeighbour`: a member is at its address.
  mutating func add(_ connection: WebConnection, isNeighbour: Bool) -> WebConnection? {
    halves[isNeighbour ? 1 : 0].connections.add(connection, as: ObjectIdentifier(connection), from: connection.prefix)
  }

  mutating func advance(_ connection: WebConnection, to stage: Int) {
    for place in halves.indices { halves[place].connections.advance(ObjectIdentifier(connection), to: stage) }
  }

  mutating func remove(_ connection: WebConnection) {
    let id = ObjectIdentifier(connection)
    held[id] = nil
    for place in halves.indices {
      halves[place].connections.remove(id)
      halves[place].handshakes.remove(id)
      halves[place].offers.remove(id)
    }
  }

  /// A descriptor is needed.
  mutating func dropOne() -> WebConnection? { halves[0].connections.dropOne() ?? halves[1].connections.dropOne() }

  // MARK: Handshakes

  /// nil: it may begin now; otherwise when to ask again, `.max`: when it is woken.
  mutating func mayHandshake(_ connection: WebConnection, at now: Int64) -> Int64? {
    let id = ObjectIdentifier(connection)
    guard let half = half(of: id) else { return .max }
    return halves[half].handshakes.ask(id, from: connection.prefix, at: now)
  }

  mutating func charge(_ cost: Int, of connection: WebConnection, at now: Int64) {
    halves[half(of: ObjectIdentifier(connection)) ?? 0].handshakes.charge(cost, at: now)
  }

  /// Those who begin a handshake next, and when.
  mutating func nextHandshakes(at now: Int64) -> [(connection: WebConnection, time: Int64)] {
    halves.indices.compactMap { place in
      halves[place].handshakes.next(at: now).flatMap { next in halves[place].connections[next.key].map { ($0, next.time) } }
    }
  }

  // MARK: Offers

  /// Waits until `nextOffer` returns it. False: the connection has gone.
  mutating func hold(_ offer: HeldOffer, at now: Int64) -> Bool {
    let id = ObjectIdentifier(offer.connection)
    guard let half = half(of: id) else { return false }
    held[id] = offer
    halves[half].offers.wait(id, from: offer.connection.prefix)
    return true
  }

  /// One that may be answered now; or when to ask again, `.max`: nothing waits.
  mutating func nextOffer(at now: Int64) -> (offer: HeldOffer?, time: Int64) {
    var time = Int64.max
    for place in halves.indices {
      guard let next = halves[place].offers.next(at: now), let offer = held[next.key] else { continue }
      guard halves[place].offers.ask(next.key, from: offer.connection.prefix, at: now) == nil else {
        time = min(time, next.time)
        continue
      }
      held[next.key] = nil
      halves[place].offers.charge(offer.cost, at: now)
      return (offer, now)
    }
    return (nil, time)
  }
}
