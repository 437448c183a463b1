import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime

/// The ports of a server at which its clients' connections of WebRTC arrive: one of UDP that all of them share, if it has one, and those of
/// TCP at which it listens. Functions may be called from any thread.
package final class PeerPorts: Sendable {
  private struct State {
    /// Of UDP; nil: each connection has sockets of its own.
    var port: UInt16?
    var sockets: [SharedSocket] = []
    var listeners: [SocketAddress] = []
    var isClosed = false
  }

  /// Other ports that are tried, where any is accepted.
  private static let attempts = 8

  let users = ICEUsers()
  /// As `ICESettings` has them.
  let publicAddresses: [SocketAddress]
  private let network: any Network
  private let thread: any DriverLoop
  private let state = Monitor(State())

  /// `port`: of UDP, which is opened at all addresses of this machine that are offered; 0: one that is free, nil: none. Throws `.exists` for one
  /// that is taken, and else what `Network.bindDatagrams` and `DriverLoop.add` throw.
  package init(
    udp port: UInt16?, publicAddresses: [SocketAddress] = [], offersLoopback: Bool, network: any Network, thread: any DriverLoop
  ) throws(MediaError) {
    (self.publicAddresses, self.network, self.thread) = (publicAddresses, network, thread)
    guard let port else { return }
    let addresses = ICEAgent.hostAddresses(network.addresses, withLoopback: offersLoopback)
    for attempt in 0..<PeerPorts.attempts {
      do throws(MediaError) {
        try open(addresses, port)
        return
      } catch {
        close()
        // What was found free at one address may be taken at another.
        guard port == 0, error.status == .exists, attempt < PeerPorts.attempts - 1 else {
          throw MediaError(error.status, "the UDP port for media: \(error.text)")
        }
        state.withLock { $0 = State() }
      }
    }
  }

  deinit {
    close()
  }

  private func open(_ addresses: [SocketAddress], _ port: UInt16) throws(MediaError) {
    var port = port
    for address in addresses {
      let socket = try SharedSocket(address.with(port: port), users, network: network, thread: thread)
      port = socket.address.port
      state.withLock { state in
        state.sockets.append(socket)
        state.port = port
      }
      try socket.open()
    }
  }

  /// Of UDP; nil: there is none that is shared.
  package var udp: UInt16? { state.withLock { $0.port } }

  /// A server listens there, and hands over connections that begin as those of ICE do (`accept`). Unspecified addresses are all of this machine.
  package func listen(at addresses: [SocketAddress]) { state.withLock { $0.listeners = addresses } }

  /// Ports are free, and no connection comes any more.
  package func close() {
    let sockets = state.withLock { state in
      defer { (state.sockets, state.listeners, state.isClosed) = ([], [], true) }
      return state.sockets
    }
    for socket in sockets { socket.close() }
  }

  // MARK: For connections of WebRTC

  /// The shared socket at an address of this machine, which may be new; nil: it cannot be bound, or everything is closed.
  func socket(at address: SocketAddress) -> SharedSocket? {
    let known: (socket: SharedSocket?, port: UInt16)? = state.withLock { state in
      guard !state.isClosed, let port = state.port else { return nil }
      return (state.sockets.first { $0.address.with(port: 0) == address }, port)
    }
    guard let known else { return nil }
    if let socket = known.socket { return socket }
    guard let socket = try? SharedSocket(address.with(port: known.port), users, network: network, thread: thread) else { return nil }
    let isTaken = state.withLock { state in
      if !state.isClosed { state.sockets.append(socket) }
      return !state.isClosed
    }
    guard isTaken, (try? socket.open()) != nil else {
      socket.close()
      return nil
    }
    closeUnused()
    return socket
  }

  /// Those of addresses that have gone.
  private func closeUnused() {
    let present = network.addresses
    let gone = state.withLock { state in
      let gone = state.sockets.filter { socket in socket.isUnused && !present.contains { $0.host == socket.address.host } }
      state.sockets.removeAll { socket in gone.contains { $0 === socket } }
      return gone
    }
    for socket in gone { socket.close() }
  }

  /// Where connections of TCP are accepted, of an address of this machine; nil: they are not.
  func listener(at address: SocketAddress) -> SocketAddress? {
    let found = state.withLock { state in
      state.listeners.first { $0.with(port: 0) == address || $0.isUnspecified && $0.isIPv6 == address.isIPv6 }
    }
    return found.map { address.with(port: $0.port) }
  }

  // MARK: For the server, on the network thread

  /// Takes a connection whose arrival is complete, or drops it, if it belongs to no connection of WebRTC here.
  package func accept(_ socket: any StreamConnection, _ arrival: PassiveArrival, from remote: SocketAddress) {
    guard let check = arrival.check, case .check(let user) = check.withUnsafeBytes({ ICEDatagramKind($0) }),
      let local = socket.localAddress, let driver = users.driver(of: user)
    else { return }
    driver.accept(socket, check, arrival.stream, from: remote, at: local)
  }
}
