import MediaCore
import MediaEmulation
import MediaNetwork

/// A machine's network by whose connections nothing comes while they are held; datagrams do. All on the thread that moves the clock.
final class HeldStreamsNetwork: Network, @unchecked Sendable {
  private let host: EmulatedHost
  /// What came meanwhile is read with what comes next.
  var isHeld = false

  init(_ host: EmulatedHost) { self.host = host }

  func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection { HeldConnection(try host.connect(to: address), self) }

  func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort {
    try host.bindDatagrams(to: address, sharesPort: sharesPort)
  }

  func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort {
    try host.listen(at: address, receiveBuffer: receiveBuffer)
  }

  func localAddress(toward remote: SocketAddress) -> SocketAddress? { host.localAddress(toward: remote) }
  var addresses: [SocketAddress] { host.addresses }
  var names: any NameSource { host.names }
  func variable(_ name: String) -> String? { host.variable(name) }
  func random() -> UInt64 { host.random() }
}

private final class HeldConnection: StreamConnection {
  private let inner: any StreamConnection
  private let network: HeldStreamsNetwork
  private var held: [UInt8] = []

  init(_ inner: any StreamConnection, _ network: HeldStreamsNetwork) { (self.inner, self.network) = (inner, network) }

  func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading {
    guard network.isHeld else {
      if held.isEmpty { return inner.read(into: memory) }
      let count = min(held.count, memory.count)
      memory.copyBytes(from: held.prefix(count))
      held.removeFirst(count)
      return .bytes(count)
    }
    while case .bytes(let count) = inner.read(into: memory) { held += memory.prefix(count) }
    return .nothing
  }

  var descriptor: Int32 { inner.descriptor }
  var remoteAddress: SocketAddress? { inner.remoteAddress }
  var localAddress: SocketAddress? { inner.localAddress }
  var connecting: StreamConnecting { inner.connecting }
  func write(_ bytes: UnsafeRawBufferPointer) -> Int? { inner.write(bytes) }
  func endWriting() { inner.endWriting() }
  func shut() { inner.shut() }
}
