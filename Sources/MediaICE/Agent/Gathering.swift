import MediaCore
import MediaSDP

/// What is known of the candidates of this end.
struct Gathering {
  /// A server of STUN that is asked from a base how that looks from there (RFC 8445, section 5.1.1.2).
  struct Query {
    let base: Int
    let server: SocketAddress
    let id: TransactionID
    let bytes: [UInt8]
    var schedule: STUNSchedule
    var isOver = false
    /// What keeps the path through NATs open until there is a route (section 5.1.1.4).
    var keepAlive: Int64 = .max
  }

  var foundations = Foundations()
  var offered: [Candidate] = []
  var queries: [Query] = []
  var hasAllHosts = false
  var hasConnected = false

  static let keepAlive: Int64 = 15_000_000_000

  mutating func remove(_ base: Int) { queries.removeAll { $0.base == base } }
}

extension ICEAgent {
  func gather(_ base: Int, now: Int64) {
    if settings.policy == .all {
      for server in settings.stunServers.prefix(ICEAgent.mostServers) where canReach(server, from: base) {
        query(server, from: base, now: now)
      }
    }
    for relay in settings.relays.prefix(ICEAgent.mostServers) where relay.transport == .udp && canReach(relay.server, from: base) {
      allocate(relay, base: base, now: now)
    }
  }

  /// A server of STUN, whose name was resolved meanwhile, for example. Whatever bases there are ask it at once. false: it is known, nobody can
  /// reach it, it is one too many, or the agent is lite, offers relays only, or is closed.
  @discardableResult
  public func addServer(_ server: SocketAddress, now: Int64) -> Bool {
    guard !isClosed, !settings.isLite, settings.policy == .all, server.isReachable, !settings.stunServers.contains(server),
      settings.stunServers.count < ICEAgent.mostServers
    else { return false }
    settings.stunServers.append(server)
    let asked = bases.filter { $0.value.kind == .udp && canReach(server, from: $0.key) }.keys.sorted()
    for base in asked { query(server, from: base, now: now) }
    if !asked.isEmpty { current.isGathered = false }
    return true
  }

  /// A relay, likewise. Its candidates follow as events.
  @discardableResult
  public func addRelay(_ relay: ICERelay, now: Int64) -> Bool {
    guard !isClosed, !settings.isLite, relay.server.isReachable, !settings.relays.contains(relay),
      settings.relays.count < ICEAgent.mostServers
    else { return false }
    settings.relays.append(relay)
    let before = relays.count
    if relay.transport == .udp {
      for base in bases.keys.sorted() where bases[base]?.kind == .udp && canReach(relay.server, from: base) {
        allocate(relay, base: base, now: now)
      }
    } else if gathering.hasConnected {
      connect(relay, now: now)
    }
    if relays.count > before { current.isGathered = false }
    return true
  }

  private func canReach(_ server: SocketAddress, from base: Int) -> Bool {
    guard let own = bases[base]?.address else { return false }
    return server.isReachable && server.isIPv6 == own.isIPv6 && server.isLoopback == own.isLoopback
  }

  private func query(_ server: SocketAddress, from base: Int, now: Int64) {
    let id = random.transaction()
    var writer = STUNWriter(.request, .binding, id)
    writer.addFingerprint()
    gathering.queries.append(.init(base: base, server: server, id: id, bytes: writer.bytes, schedule: .server(now: now)))
  }

  /// All servers once more, after a restart.
  func gatherAgain(now: Int64) {
    gathering.queries = []
    gathering.offered = []
    for number in bases.keys.sorted() {
      guard let base = bases[number], base.kind != .relay else { continue }
      if settings.policy == .all { offerHost(number) }
      guard base.kind == .udp, !settings.isLite else { continue }
      if settings.policy == .all {
        for server in settings.stunServers.prefix(ICEAgent.mostServers) where canReach(server, from: number) {
          query(server, from: number, now: now)
        }
      }
      for relay in settings.relays.prefix(ICEAgent.mostServers) where relay.transport == .udp && canReach(relay.server, from: number) {
        if !relays.contains(where: { $0.allocation.base == number && $0.allocation.relay == relay }) {
          allocate(relay, base: number, now: now)
        }
      }
    }
    for relay in relays where relay.isReady { offerRelayed(relay.allocation) }
    if gathering.hasConnected { connectRelays(again: true, now: now) }
  }

  func pollGathering(_ now: Int64) -> Int64 {
    var deadline = Int64.max
    let hasRoute = current.nominated != nil
    for index in gathering.queries.indices {
      if !gathering.queries[index].isOver, gathering.queries[index].schedule.due <= now {
        if gathering.queries[index].schedule.isOver {
          gathering.queries[index].isOver = true
          emit(.serverFailed(gathering.queries[index].server, code: nil, "no answer of STUN from \(gathering.queries[index].server)"))
        } else {
          gathering.queries[index].schedule.send(now: now)
          transmit(gathering.queries[index].bytes, on: gathering.queries[index].base, to: gathering.queries[index].server)
        }
      }
      if gathering.queries[index].keepAlive <= now, !hasRoute {
        gathering.queries[index].keepAlive = now &+ Gathering.keepAlive
        let indication = STUNWriter(.indication, .binding, random.transaction())
        transmit(indication.bytes, on: gathering.queries[index].base, to: gathering.queries[index].server)
      }
      if !gathering.queries[index].isOver { deadline = min(deadline, gathering.queries[index].schedule.due) }
      if !hasRoute { deadline = min(deadline, gathering.queries[index].keepAlive) }
    }
    return deadline
  }

  func finishGathering() {
    guard gathering.hasAllHosts, !current.isGathered, gathering.queries.allSatisfy(\.isOver), !relays.contains(where: \.isPending) else {
      return
    }
    current.isGathered = true
    emit(.gatheringComplete)
  }

  /// The answer of a server. false: it is none.
  func gathered(_ message: STUNMessage, on base: Int, from server: SocketAddress, now: Int64) -> Bool {
    guard let index = gathering.queries.firstIndex(where: { $0.id == message.transaction && $0.base == base && $0.server == server }) else {
      return false
    }
    guard !gathering.queries[index].isOver else { return true }
    gathering.queries[index].isOver = true
    guard message.kind == .success, let mapped = message.mapped, mapped.isReachable else {
      emit(.serverFailed(server, code: message.errorCode, "\(server) does not answer as a server of STUN"))
      return true
    }
    gathering.queries[index].keepAlive = now &+ Gathering.keepAlive
    offerReflexive(mapped, of: base, server: server)
    return true
  }

  func offerReflexive(_ mapped: SocketAddress, of base: Int, server: SocketAddress) {
    guard settings.policy == .all, let own = bases[base]?.address, mapped.isIPv6 == own.isIPv6 else { return }
    let isTCP = bases[base]?.kind == .tcpPassive
    var candidate = Candidate(
      .serverReflexive, foundation: gathering.foundations.of(.serverReflexive, base: own.host, server: server.host, isTCP: isTCP),
      transport: isTCP ? "tcp" : "udp",
      priority: CandidatePriority.of(type: CandidatePriority.type(.serverReflexive, isTCP: isTCP), place: base), address: mapped.host,
      port: mapped.port)
    candidate.related = .init(own.host, port: own.port)
    if isTCP { candidate.extensions.append(.init("tcptype", "passive")) }
    offer(candidate)
  }
}
