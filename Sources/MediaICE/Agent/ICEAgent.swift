import MediaCore
import MediaSDP

/// One end of ICE (RFC 8445) for one component: everything of WebRTC is bundled and multiplexed on it. Datagrams, candidates and time in;
/// datagrams and events out, which are taken; `poll` says when it wants to be called again. Calls come one at a time, on any thread.
///
/// After any call: `poll`, then `takeDatagram` and `takeEvent` until they give nothing. It owns no socket, clock or random source. Times
/// are nanoseconds of one clock.
public final class ICEAgent {
  /// A socket of this machine, or a connection to a relay.
  struct Base {
    enum Kind: Equatable {
      case udp, tcpPassive
      case relay
    }

    let address: SocketAddress
    let kind: Kind
  }

  /// Those that it was made with, and the servers that were added.
  public internal(set) var settings: ICESettings
  /// Nominates pairs. As the settings say, until a conflict or a lite end changes it.
  public internal(set) var isControlling: Bool
  /// Its changes are events too.
  public internal(set) var state = ICEState.new
  /// Where application data goes.
  public internal(set) var route: ICERoute?
  /// Of the route: between a check and its answer; nil without a route.
  public var roundTrip: Int64? { (current.selected ?? former?.selected)?.roundTrip }
  /// The shortest of the route's checks; nil where none was answered yet.
  public var leastRoundTrip: Int64? {
    (current.selected ?? former?.selected).flatMap { pair in
      let least = min(pair.leastRoundTrip, pair.roundTrip > 0 ? pair.roundTrip : .max)
      return least == .max ? nil : least
    }
  }
  /// To be signalled. Others after each restart.
  public var local: ICECredentials { current.local }
  /// Datagrams that were refused: of strangers, or not understood.
  public internal(set) var refused: UInt64 = 0
  let random: RandomSource
  var tieBreaker: UInt64
  /// Those that are open, by numbers that are not used again.
  var bases: [Int: Base] = [:]
  var nextBase = 0
  var paths: [LocalPath] = []
  var gathering = Gathering()
  var relays: [RelayedAddress] = []
  var nextRelay = 0
  var current: CheckList
  /// Of before the restart: its route is used until there is a new one, and a little longer for what is in flight.
  var former: CheckList?
  var formerEnd: Int64 = .max
  /// Of before a restart that nobody has answered yet.
  var replaced: CheckList?
  var nextCheck: Int64 = .min
  private var outbox: [ICEDatagram] = []
  private var events: [ICEEvent] = []
  private(set) var isClosed = false

  static let mostBases = 16
  static let mostServers = 4
  static let mostPublicAddresses = 4
  /// What is not taken is lost, as in a network.
  static let mostOutgoing = 1_024
  /// A route of before a restart is kept so long after there is another.
  static let formerTime: Int64 = 3_000_000_000

  /// Password and transactions are made by the generator: `SystemRandomNumberGenerator` where there is a network.
  public init(_ settings: ICESettings, random generator: any RandomNumberGenerator) {
    self.settings = settings
    random = RandomSource(generator)
    isControlling = settings.isControlling && !settings.isLite
    tieBreaker = random.next()
    current = CheckList(random.credentials())
  }

  // MARK: Of the other end

  /// What its description says. `isLite` makes this end the controlling one (RFC 8445, section 6.1.1). Throws `.state` for other
  /// credentials than those of this generation: `restart` comes first. Throws `.invalid` for what RFC 8839, section 5.4, does not allow.
  public func setRemote(_ credentials: ICECredentials, isLite: Bool = false, now: Int64) throws(MediaError) {
    guard (4...256).contains(credentials.user.utf8.count), (22...256).contains(credentials.password.utf8.count) else {
      let sizes = "\(credentials.user.utf8.count) and \(credentials.password.utf8.count)"
      throw MediaError(.invalid, "ICE: user name and password of \(sizes) bytes; accepted: 4..256 and 22..256")
    }
    if let remote = current.remote {
      guard remote.credentials == credentials else {
        throw MediaError(.state, "ICE: another user name of the other end than before; accepted after restart()")
      }
      return
    }
    guard !(isLite && settings.isLite) else { throw MediaError(.unsupported, "ICE: both ends are lite; accepted: one of them") }
    current.remote = .init(credentials: credentials, isLite: isLite)
    replaced = nil
    if isLite { take(role: true) }
    current.started = now
    current.mayFailAt = now &+ ICEAgent.failureTimeout
  }

  /// Which end made the first offer, where the settings could not know (RFC 8445, section 6.1.1). Before `setRemote`; later it has no effect, nor
  /// for a lite agent.
  public func setControlling(_ isControlling: Bool) {
    guard current.remote == nil, former == nil, replaced == nil, !settings.isLite else { return }
    self.isControlling = isControlling
  }

  /// As in a=candidate or trickled, in any order with `setRemote`. false: it is not used, because it is of a kind, transport, generation or
  /// address that is not, or a name (`.local`), known already, or one too many. Such an end is found by its checks. Throws `.invalid` for
  /// what is no candidate.
  public func addRemote(_ text: String, now: Int64) throws(MediaError) -> Bool {
    guard let candidate = try Candidate(parsing: text) else { return false }
    return addRemote(candidate, now: now)
  }

  /// The same of one that was parsed before.
  public func addRemote(_ candidate: Candidate, now: Int64) -> Bool {
    guard !isClosed, candidate.component == 1, candidate.transport == "udp", !candidate.address.utf8.contains(UInt8(ascii: "%")),
      let address = SocketAddress(candidate.address, port: candidate.port), address.isReachable, !(address.isIPv6 && address.isLinkLocal)
    else { return false }
    if let user = candidate.extensions.first(where: { $0.name == "ufrag" })?.value, let remote = current.remote,
      remote.credentials.user != user
    {
      return false
    }
    let remote = RemoteCandidate(address: address, isTCP: false, kind: candidate.kind, priority: candidate.priority)
    guard current.add(signalled: remote) else { return false }
    if settings.isLite { return true }
    current.mayFailAt = max(current.mayFailAt, now &+ ICEAgent.lateFailureTimeout)
    for path in paths { _ = current.makePair(path, remote, isControlling: isControlling) }
    return true
  }

  /// No further candidate of the other end comes (RFC 8838, section 8.2): by a=end-of-candidates, or because it does not trickle.
  public func endOfRemoteCandidates() { current.hasAllRemotes = true }

  // MARK: Time

  /// Does what is due. The time of the next call, at the latest; `.max`: none by itself.
  public func poll(now: Int64) -> Int64 {
    guard !isClosed else { return .max }
    var deadline = pollGathering(now)
    deadline = min(deadline, pollRelays(now))
    if !settings.isLite {
      deadline = min(deadline, pollChecks(current, now))
      deadline = min(deadline, pollNomination(current, now))
    }
    deadline = min(deadline, pollConsent(current, now))
    if let former { deadline = min(deadline, pollConsent(former, now)) }
    deadline = min(deadline, update(now: now))
    // What checks wanted of relays.
    return max(now, min(deadline, pollRelays(now)))
  }

  /// The next one to be sent; nil: there is none.
  public func takeDatagram() -> ICEDatagram? { outbox.isEmpty ? nil : outbox.removeFirst() }
  /// The next one in the order in which they happened; nil: there is none.
  public func takeEvent() -> ICEEvent? { events.isEmpty ? nil : events.removeFirst() }

  /// Relays are said so; datagrams and events are still to be taken.
  public func close(now: Int64) {
    guard !isClosed else { return }
    for index in relays.indices { release(index, now: now) }
    relays = []
    isClosed = true
    (paths, former, replaced) = ([], nil, nil)
    current = CheckList(current.local)
    if route != nil { emit(.route(nil)) }
    (route, state) = (nil, .closed)
    emit(.state(.closed))
  }

  // MARK: For all parts

  func emit(_ event: ICEEvent) { events.append(event) }

  /// What was not taken of the candidates of before a restart would be signalled as of after it.
  func withdrawCandidates() {
    events.removeAll { event in
      switch event {
      case .candidate, .gatheringComplete: true
      default: false
      }
    }
  }

  func transmit(_ bytes: [UInt8], on base: Int, to destination: SocketAddress) {
    guard outbox.count < ICEAgent.mostOutgoing else { return }
    outbox.append(ICEDatagram(base: ICEBase(number: base), destination: destination, bytes: bytes))
  }

  /// A message of this end for the other, by any path.
  func transmit(_ bytes: [UInt8], on path: ICEPath, to remote: SocketAddress, now: Int64) {
    if let id = path.relay {
      guard let relay = relays.first(where: { $0.id == id }) else { return }
      // Its permission goes first.
      _ = relay.allocation.poll(now: now)
      relay.allocation.send(bytes, to: remote, now: now)
      drain(relay.allocation)
    } else if bases[path.base]?.kind == .tcpPassive {
      transmit([UInt8(truncatingIfNeeded: bytes.count >> 8), UInt8(truncatingIfNeeded: bytes.count)] + bytes, on: path.base, to: remote)
    } else {
      transmit(bytes, on: path.base, to: remote)
    }
  }

  func take(role isControlling: Bool) {
    guard self.isControlling != isControlling else { return }
    self.isControlling = isControlling
    emit(.role(isControlling: isControlling))
  }
}
