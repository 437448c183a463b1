import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime

/// A machine's network of which no datagram gets out: each goes as one of ICE over TCP (RFC 6544), framed as RFC 4571 says, by a connection to
/// the address that it is for.
final class TCPOnlyNetwork: Network {
  let host: EmulatedHost

  init(_ host: EmulatedHost) { self.host = host }

  func bindDatagrams(to address: SocketAddress, sharesPort: Bool) throws(MediaError) -> any DatagramPort {
    try TunnelPort(host.bindDatagrams(to: address), host, waker: host.bindDatagrams(to: address.with(port: 0)))
  }

  func listen(at address: SocketAddress, receiveBuffer: Int?) throws(MediaError) -> any StreamPort {
    try host.listen(at: address, receiveBuffer: receiveBuffer)
  }

  func connect(to address: SocketAddress) throws(MediaError) -> any StreamConnection { try host.connect(to: address) }
  func localAddress(toward remote: SocketAddress) -> SocketAddress? { host.localAddress(toward: remote) }
  var addresses: [SocketAddress] { host.addresses }
  var names: any NameSource { host.names }
  func variable(_ name: String) -> String? { host.variable(name) }
  func random() -> UInt64 { host.random() }
}

/// All on the thread that moves the clock.
private final class TunnelPort: DatagramPort, NetworkDriver, @unchecked Sendable {
  private struct Connection {
    let socket: any StreamConnection
    let tag: UInt64
    var output: [UInt8] = []
    var input: [UInt8] = []
  }

  private let inner: any DatagramPort
  private let host: EmulatedHost
  /// Makes the other one readable.
  private let waker: any DatagramPort
  private var connections: [SocketAddress: Connection] = [:]
  private var arrived: [([UInt8], SocketAddress)] = []

  init(_ inner: any DatagramPort, _ host: EmulatedHost, waker: any DatagramPort) {
    (self.inner, self.host, self.waker) = (inner, host, waker)
  }

  var descriptor: Int32 { inner.descriptor }
  var localAddress: SocketAddress? { inner.localAddress }
  func join(_ group: SocketAddress) throws(MediaError) {}

  func close() {
    inner.close()
    waker.close()
    connections = [:]
  }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    batch.forEach(from: first) { bytes, remote in
      if connections[remote] == nil, let socket = try? host.connect(to: remote), let tag = try? host.add(self, [socket.descriptor]) {
        connections[remote] = Connection(socket: socket, tag: tag)
        // It is writable when it is connected.
        host.setFull(true, socket.descriptor, of: tag)
      }
      connections[remote]?.output += [UInt8(bytes.count >> 8), UInt8(bytes.count & 255)] + Array(bytes)
      write(to: remote)
    }
    return .all
  }

  private func write(to remote: SocketAddress) {
    guard let connection = connections[remote], connection.socket.connecting == .done else { return }
    let written = connection.output.withUnsafeBytes { connection.socket.write($0) } ?? connection.output.count
    connections[remote]?.output.removeFirst(written)
    host.setFull(written < connection.output.count, connection.socket.descriptor, of: connection.tag)
  }

  func receive(_ rows: DatagramRows) -> Int {
    // What came by UDP.
    _ = inner.receive(rows)
    rows.clear()
    var count = 0
    while let (bytes, remote) = arrived.first, bytes.withUnsafeBytes({ rows.append($0, from: remote) }) {
      arrived.removeFirst()
      count += 1
    }
    return count
  }

  func drive(isReadable: Bool) -> Int64 {
    for remote in connections.keys {
      write(to: remote)
      read(from: remote)
    }
    guard !arrived.isEmpty, let address = inner.localAddress else { return .max }
    let batch = DatagramBatch()
    batch.begin()
    _ = [UInt8(0)].withUnsafeBytes { batch.add($0, to: address) }
    _ = waker.send(batch)
    return .max
  }

  private func read(from remote: SocketAddress) {
    var memory = [UInt8](repeating: 0, count: 16_384)
    reading: while let connection = connections[remote] {
      switch memory.withUnsafeMutableBytes({ connection.socket.read(into: $0) }) {
      case .bytes(let count): connections[remote]?.input += memory.prefix(count)
      case .nothing: break reading
      // The next datagram opens another.
      case .end, .failed:
        host.remove(connection.tag)
        connections[remote] = nil
      }
    }
    while let input = connections[remote]?.input, input.count >= 2 {
      let size = Int(input[0]) << 8 | Int(input[1])
      guard input.count >= 2 + size else { return }
      arrived.append((Array(input[2..<2 + size]), remote))
      connections[remote]?.input.removeFirst(2 + size)
    }
  }
}
