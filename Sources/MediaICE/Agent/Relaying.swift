import MediaCore
import MediaSDP

/// An allocation and what the agent has made of it.
struct RelayedAddress {
  let id: Int
  let allocation: TURNAllocation
  var isReady = false

  /// Gathering waits for it.
  var isPending: Bool { allocation.state == .connecting || allocation.state == .allocating }
}

extension ICEAgent {
  static let mostAllocations = 8
  /// Those that no route uses are released so long after the nomination: a better route could still fail at once.
  static let releaseAfter: Int64 = 5_000_000_000

  func allocate(_ relay: ICERelay, base: Int, now: Int64) {
    guard relays.count < ICEAgent.mostAllocations else { return }
    relays.append(RelayedAddress(id: nextRelay, allocation: TURNAllocation(relay, base: base, random: random, now: now)))
    nextRelay += 1
  }

  /// Relays over TCP and TLS, of which each has a connection of its own.
  func connectRelays(again: Bool = false, now: Int64) {
    guard again || !gathering.hasConnected else { return }
    gathering.hasConnected = true
    for relay in settings.relays.prefix(ICEAgent.mostServers) where relay.transport != .udp && relay.server.isReachable {
      connect(relay, now: now)
    }
  }

  func connect(_ relay: ICERelay, now: Int64) {
    guard relays.count < ICEAgent.mostAllocations, !relays.contains(where: { $0.allocation.relay == relay }) else { return }
    let base = addBase(Base(address: relay.server, kind: .relay))
    allocate(relay, base: base, now: now)
    emit(.connect(ICEBase(number: base), to: relay.server, relay))
  }

  /// The connection that `.connect` asked for is open, with TLS if the relay has it.
  public func connected(_ base: ICEBase, now: Int64) {
    relays.first { $0.allocation.base == base.number && $0.allocation.isStream }?.allocation.connected(now: now)
  }

  /// It could not be opened, or is closed.
  public func closed(_ base: ICEBase, _ reason: String = "the connection is closed") {
    relays.first { $0.allocation.base == base.number && $0.allocation.isStream }?.allocation.fail(reason)
  }

  func drain(_ allocation: TURNAllocation) {
    while let bytes = allocation.takeOutgoing() { transmit(bytes, on: allocation.base, to: allocation.server) }
  }

  func pollRelays(_ now: Int64) -> Int64 {
    var deadline = Int64.max
    releaseUnused(now)
    for index in relays.indices.reversed() {
      let allocation = relays[index].allocation
      deadline = min(deadline, allocation.poll(now: now))
      drain(allocation)
      if allocation.isRedirected {
        allocation.isRedirected = false
        emit(.disconnect(ICEBase(number: allocation.base)))
        emit(.connect(ICEBase(number: allocation.base), to: allocation.server, allocation.relay))
      }
      switch allocation.state {
      case .ready where !relays[index].isReady:
        relays[index].isReady = true
        begin(relays[index])
        // Candidates of the other end that are there already are checked now.
        deadline = .min
      case .failed(let code, let text):
        emit(.serverFailed(allocation.server, code: code, text))
        if allocation.isStream, bases.removeValue(forKey: allocation.base) != nil {
          emit(.disconnect(ICEBase(number: allocation.base)))
        }
        let id = relays[index].id
        relays.remove(at: index)
        removePaths { $0.relay == id }
      default: break
      }
    }
    finishGathering()
    return deadline
  }

  private func begin(_ relay: RelayedAddress) {
    let allocation = relay.allocation
    guard let relayed = allocation.relayed else { return }
    offerRelayed(allocation)
    let (type, reflexive) = (
      CandidatePriority.type(.relayed, relay: allocation.relay.transport), CandidatePriority.type(.peerReflexive, isTCP: true)
    )
    addPath(
      LocalPath(
        path: ICEPath(base: allocation.base, relay: relay.id), address: relayed, isTCP: false,
        priority: CandidatePriority.of(type: type, place: allocation.base),
        reflexivePriority: CandidatePriority.of(type: min(reflexive, type), place: allocation.base)))
  }

  func offerRelayed(_ allocation: TURNAllocation) {
    guard let relayed = allocation.relayed else { return }
    if !allocation.isStream, let mapped = allocation.mapped, mapped.isReachable {
      offerReflexive(mapped, of: allocation.base, server: allocation.server)
    }
    var candidate = Candidate(
      .relayed,
      foundation: gathering.foundations.of(
        .relayed, base: relayed.host, server: allocation.server.host, isTCP: allocation.isStream),
      priority: CandidatePriority.of(
        type: CandidatePriority.type(.relayed, relay: allocation.relay.transport), place: allocation.base), address: relayed.host,
      port: relayed.port)
    // Where only relays are to be seen, the mapped address is not (RFC 8839, section 5.1).
    let related = settings.policy == .all ? allocation.mapped ?? relayed : SocketAddress(v4: 0, port: 9)
    candidate.related = .init(related.host, port: related.port)
    offer(candidate)
  }

  private func releaseUnused(_ now: Int64) {
    guard current.nominated != nil, current.consent.isSettled(now: now, after: ICEAgent.releaseAfter), former == nil else { return }
    for index in relays.indices.reversed() where current.selected?.path.relay != relays[index].id && relays[index].isReady {
      let id = relays[index].id
      release(index, now: now)
      relays.remove(at: index)
      removePaths { $0.relay == id }
    }
    for relay in relays { relay.allocation.retain { host in current.selected.map { $0.remote.isSameHost(as: host) } ?? false } }
  }

  func release(_ index: Int, now: Int64) {
    let allocation = relays[index].allocation
    allocation.close(now: now)
    drain(allocation)
    guard allocation.isStream, bases.removeValue(forKey: allocation.base) != nil else { return }
    emit(.disconnect(ICEBase(number: allocation.base)))
  }

  /// From a server of an allocation. nil: it is nothing of TURN.
  func relayed(_ datagram: UnsafeRawBufferPointer, by relay: RelayedAddress, now: Int64) -> ICEArrival? {
    let path = ICEPath(base: relay.allocation.base, relay: relay.id)
    if TURNChannels.isChannelData(datagram) {
      let size = Int(datagram.u16(at: 2))
      guard size <= datagram.count - TURNChannels.headerSize, let peer = relay.allocation.channels.peer(of: datagram.u16(at: 0)) else {
        refused += 1
        return .refused
      }
      return arrive(UnsafeRawBufferPointer(rebasing: datagram[4..<(4 + size)]), on: path, from: peer, now: now)
    }
    guard let message = STUNMessage(datagram) else { return nil }
    if message.method == .data, message.kind == .indication {
      guard let peer = message.xorAddress(STUNAttribute.xorPeerAddress), let data = message.value(STUNAttribute.data) else {
        refused += 1
        return .refused
      }
      return arrive(data, on: path, from: peer, now: now)
    }
    return relay.allocation.receive(message, now: now) ? .consumed : nil
  }
}
