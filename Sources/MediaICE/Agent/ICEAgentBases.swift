import MediaCore
import MediaSDP

extension ICEAgent {
  /// A socket of the driver, bound to an address of this machine with its port. Candidates of it follow as events, and so do those that
  /// servers give for it. Throws `.limit` for more than 16, `.invalid` for an address that nobody can reach, `.closed`.
  public func addHost(_ address: SocketAddress, _ transport: ICETransport = .udp, now: Int64) throws(MediaError) -> ICEBase {
    guard !isClosed else { throw MediaError(.closed, "ICE: the agent is closed") }
    guard address.isReachable else { throw MediaError(.invalid, "ICE: \(address) is not an address of one machine with a port") }
    guard bases.values.count(where: { $0.kind != .relay }) < ICEAgent.mostBases else {
      throw MediaError(.limit, "ICE: more than \(ICEAgent.mostBases) addresses of this machine")
    }
    let number = addBase(Base(address: address, kind: transport == .udp ? .udp : .tcpPassive))
    if settings.policy == .all {
      offerHost(number)
      let isTCP = transport == .tcpPassive
      addPath(
        LocalPath(
          path: ICEPath(base: number), address: address, isTCP: isTCP,
          priority: CandidatePriority.of(type: CandidatePriority.type(.host, isTCP: isTCP), place: number),
          reflexivePriority: CandidatePriority.of(type: CandidatePriority.type(.peerReflexive, isTCP: isTCP), place: number)))
    }
    if transport == .udp, !settings.isLite { gather(number, now: now) }
    return ICEBase(number: number)
  }

  /// No base follows for now: gathering is over when all servers have answered or have had their time.
  public func endOfHosts(now: Int64) {
    gathering.hasAllHosts = true
    if !settings.isLite { connectRelays(now: now) }
  }

  /// A socket is closed: its address has gone, or it failed.
  public func removeHost(_ base: ICEBase, now: Int64) {
    guard let known = bases[base.number], known.kind != .relay else { return }
    bases[base.number] = nil
    gathering.remove(base.number)
    for index in relays.indices.reversed() where relays[index].allocation.base == base.number {
      relays[index].allocation.fail("its address of this machine has gone")
    }
    removePaths { $0.base == base.number }
  }

  /// A connection over a passive base is closed.
  public func connectionClosed(_ base: ICEBase, from remote: SocketAddress) {
    for list in lists { list.drop { $0.path.base == base.number && $0.remote == remote } }
  }

  func addBase(_ base: Base) -> Int {
    defer { nextBase += 1 }
    bases[nextBase] = base
    return nextBase
  }

  var lists: [CheckList] { former.map { [current, $0] } ?? [current] }

  func offerHost(_ number: Int) {
    guard let base = bases[number] else { return }
    let isTCP = base.kind == .tcpPassive
    var candidate = Candidate(
      .host, foundation: gathering.foundations.of(.host, base: base.address.host, isTCP: isTCP), transport: isTCP ? "tcp" : "udp",
      priority: CandidatePriority.of(type: CandidatePriority.type(.host, isTCP: isTCP), place: number), address: base.address.host,
      port: base.address.port)
    if isTCP { candidate.extensions.append(.init("tcptype", "passive")) }
    offer(candidate)
    for address in settings.publicAddresses.prefix(ICEAgent.mostPublicAddresses) where address.isLoopback == base.address.isLoopback {
      offerReflexive(address.with(port: base.address.port), of: number, server: address)
    }
  }

  /// Once each (RFC 8445, section 5.1.3).
  func offer(_ candidate: Candidate) {
    let isKnown = gathering.offered.contains {
      $0.address == candidate.address && $0.port == candidate.port && $0.transport == candidate.transport
    }
    guard !isKnown else { return }
    gathering.offered.append(candidate)
    emit(.candidate(candidate))
  }

  func addPath(_ path: LocalPath) {
    paths.append(path)
    guard !settings.isLite else { return }
    for remote in current.remotes { _ = current.makePair(path, remote, isControlling: isControlling) }
  }

  func removePaths(where isRemoved: (ICEPath) -> Bool) {
    paths.removeAll { isRemoved($0.path) }
    for list in lists { list.drop { isRemoved($0.path) } }
  }
}
