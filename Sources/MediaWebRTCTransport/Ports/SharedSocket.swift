import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime

/// A socket of UDP that many connections of WebRTC share. The network thread receives, and hands each datagram to the connection whose it
/// is; any thread sends.
final class SharedSocket: NetworkDriver {
  /// A connection's part of it.
  final class Place: PeerSocket {
    let base: ICEBase
    let driver: PeerDriver
    private let socket: SharedSocket

    init(_ driver: PeerDriver, _ base: ICEBase, of socket: SharedSocket) {
      (self.driver, self.base, self.socket) = (driver, base, socket)
    }

    var address: SocketAddress { socket.address }
    var isTCP: Bool { false }

    func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending { socket.send(batch, from: first) }
    func expect(_ remote: SocketAddress) { socket.state.withLock { $0.claims.add(self, remote) } }
    func follow(_ remote: SocketAddress) { socket.state.withLock { $0.claims.prefer(self, remote) } }

    func watch(on thread: any DriverLoop) -> Bool {
      socket.state.withLock { $0.places[ObjectIdentifier(driver)] = self }
      return true
    }

    func close(on thread: any DriverLoop) {
      socket.state.withLock { state in
        state.places[ObjectIdentifier(driver)] = nil
        state.claims.remove(self)
      }
    }
  }

  private struct State {
    var places: [ObjectIdentifier: Place] = [:]
    var claims = AddressClaims<Place>()
    var tag: UInt64?
  }

  /// One thread receives while another sends, which the port allows.
  private struct Receiving: @unchecked Sendable {
    let port: any DatagramPort
    let rows = DatagramRows()
  }

  private struct Sending: @unchecked Sendable {
    let port: any DatagramPort
  }

  /// With its port.
  let address: SocketAddress
  private let receiving: Receiving
  private let sending: Monitor<Sending>
  private let state = Monitor(State())
  private let users: ICEUsers
  private let thread: any DriverLoop

  /// Throws what `Network.bindDatagrams` throws.
  init(_ address: SocketAddress, _ users: ICEUsers, network: any Network, thread: any DriverLoop) throws(MediaError) {
    let port = try network.bindDatagrams(to: address)
    self.address = port.localAddress ?? address
    (receiving, sending) = (Receiving(port: port), Monitor(Sending(port: port)))
    (self.users, self.thread) = (users, thread)
  }

  /// Until `close`. Throws what `DriverLoop.add` throws.
  func open() throws(MediaError) {
    let tag = try thread.add(self, [receiving.port.descriptor])
    state.withLock { $0.tag = tag }
  }

  /// Its port is free then. Who still has a place sends and receives nothing.
  func close() {
    if let tag = state.withLock({ $0.tag.take() }) { thread.remove(tag) }
    sending.withLock { $0.port.close() }
  }

  /// No connection has a place.
  var isUnused: Bool { state.withLock { $0.places.isEmpty } }

  private func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    sending.withLock { $0.port.send(batch, from: first) }
  }

  func drive(isReadable: Bool) -> Int64 {
    guard isReadable else { return .max }
    var drivers: [PeerDriver] = []
    // So much at most that what is due is not kept waiting by a flood.
    for _ in 0..<8 {
      let count = receiving.port.receive(receiving.rows)
      guard count > 0 else { break }
      let now = thread.clock.now()
      receiving.rows.forEach { bytes, remote in
        guard let driver = deliver(UnsafeRawBufferPointer(bytes), from: remote, now: now), drivers.last !== driver else { return }
        if !drivers.contains(where: { $0 === driver }) { drivers.append(driver) }
      }
      if count < DatagramRows.capacity { break }
    }
    for driver in drivers { driver.handleArrivals() }
    return .max
  }

  /// Who took it; nil: nobody did.
  private func deliver(_ bytes: UnsafeRawBufferPointer, from remote: SocketAddress, now: Int64) -> PeerDriver? {
    if case .check(let user) = ICEDatagramKind(bytes) {
      guard let driver = users.driver(of: user), let place = state.withLock({ $0.places[ObjectIdentifier(driver)] }),
        driver.take(bytes, on: place.base, from: remote, now: now)
      else { return nil }
      place.expect(remote)
      return driver
    }
    let claimants = state.withLock { $0.claims.owners(of: remote) }
    return claimants.first { $0.driver.take(bytes, on: $0.base, from: remote, now: now) }?.driver
  }
}
