import MediaCore
import MediaSDP

@testable import MediaICE

/// An agent on a machine of the network, and what its driver would do.
final class TestPeer {
  let network: TestNetwork
  let site: TestSite
  let agent: ICEAgent
  private(set) var bases: [(base: ICEBase, address: SocketAddress)] = []
  private(set) var deadline: Int64 = .min
  private(set) var candidates: [Candidate] = []
  private(set) var states: [ICEState] = []
  private(set) var routes: [ICERoute?] = []
  private(set) var failures: [(code: Int?, text: String)] = []
  private(set) var roles = 0
  private(set) var isGathered = false
  private(set) var received: [[UInt8]] = []
  private(set) var connections: [ICEBase: SocketAddress] = [:]
  /// Signalled as they come; otherwise when all are there.
  var trickles = true
  weak var other: TestPeer?
  var signalDelay: Int64 = 30 * millisecond
  private var isSignalled = false

  init(_ network: TestNetwork, _ site: TestSite, _ settings: ICESettings) {
    (self.network, self.site) = (network, site)
    agent = ICEAgent(settings, random: SeededRandom(seed: network.random.next()))
    network.peers.append(self)
  }

  func owns(_ address: SocketAddress) -> Bool { bases.contains { $0.address == address } }

  @discardableResult func add(_ host: String, _ port: UInt16) throws -> ICEBase {
    let base = try agent.addHost(address(host, port), now: network.now)
    bases.append((base, address(host, port)))
    return base
  }

  func remove(_ base: ICEBase) {
    agent.removeHost(base, now: network.now)
    bases.removeAll { $0.base == base }
    settle()
  }

  /// Description and candidates go to the other end, as signalling does it: late, in order, without loss.
  func signal() {
    let credentials = agent.local
    let isLite = agent.settings.isLite
    isSignalled = true
    guard let other else { return }
    let all = candidates
    let (isComplete, network) = (isGathered, network)
    network.after(signalDelay) {
      try? other.agent.setRemote(credentials, isLite: isLite, now: network.now)
      for candidate in all { _ = other.agent.addRemote(candidate, now: network.now) }
      if isComplete { other.agent.endOfRemoteCandidates() }
      other.settle()
    }
  }

  private func trickle(_ candidate: Candidate) {
    guard isSignalled, trickles, let other else { return }
    let network = network
    network.after(signalDelay) {
      _ = try? other.agent.addRemote(candidate.text, now: network.now)
      other.settle()
    }
  }

  func restart() {
    (candidates, isGathered, isSignalled) = ([], false, false)
    agent.restart(now: network.now)
    settle()
  }

  /// What a driver does after each call.
  func settle() {
    deadline = agent.poll(now: network.now)
    while let datagram = agent.takeDatagram() {
      if connections[datagram.base] != nil {
        network.server?.receive(stream: datagram.bytes, of: self, datagram.base)
      } else if let own = bases.first(where: { $0.base == datagram.base }) {
        network.send(datagram.bytes, from: own.address, to: datagram.destination, site: site)
      }
    }
    while let event = agent.takeEvent() { handle(event) }
  }

  private func handle(_ event: ICEEvent) {
    switch event {
    case .candidate(let candidate):
      candidates.append(candidate)
      trickle(candidate)
    case .gatheringComplete:
      isGathered = true
      if isSignalled, trickles, let other { network.after(signalDelay) { other.agent.endOfRemoteCandidates() } }
      if !trickles, !isSignalled { signal() }
    case .state(let state): states.append(state)
    case .route(let route): routes.append(route)
    case .role: roles += 1
    case .connect(let base, let to, _):
      let network = network
      network.after(2 * network.delay) { [self] in
        guard network.server?.owns(stream: to) == true else {
          agent.closed(base)
          return settle()
        }
        connections[base] = to
        agent.connected(base, now: network.now)
        settle()
      }
    case .disconnect(let base): connections[base] = nil
    case .serverFailed(_, let code, let text): failures.append((code, text))
    }
  }

  func receive(_ bytes: [UInt8], from source: SocketAddress, at destination: SocketAddress) {
    guard let own = bases.first(where: { $0.address == destination }) else { return }
    bytes.withUnsafeBytes { note(agent.receive($0, on: own.base, from: source, now: network.now)) }
    settle()
  }

  func receive(stream bytes: [UInt8], _ base: ICEBase) {
    guard connections[base] != nil else { return }
    bytes.withUnsafeBytes { agent.receive(stream: $0, on: base, now: network.now) { note($0) } }
    settle()
  }

  private func note(_ arrival: ICEArrival) {
    if case .application(let data) = arrival { received.append(Array(data)) }
  }

  /// Application data over the route. false: there is none.
  @discardableResult func send(_ data: [UInt8]) -> Bool {
    guard let route = agent.route else { return false }
    var memory = [UInt8](repeating: 0xEE, count: ICERoute.headRoom + data.count + ICERoute.tailRoom)
    memory.replaceSubrange(ICERoute.headRoom..<(ICERoute.headRoom + data.count), with: data)
    let range = memory.withUnsafeMutableBytes { route.wrap($0, payload: ICERoute.headRoom..<(ICERoute.headRoom + data.count)) }
    guard let range else { return false }
    if connections[route.base] != nil {
      network.server?.receive(stream: Array(memory[range]), of: self, route.base)
    } else if let own = bases.first(where: { $0.base == route.base }) {
      network.send(Array(memory[range]), from: own.address, to: route.destination, site: site)
    }
    return true
  }

  func connect(_ other: TestPeer) { (self.other, other.other) = (other, self) }
}
