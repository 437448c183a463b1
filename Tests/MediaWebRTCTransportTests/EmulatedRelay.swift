import MediaCore
import MediaEmulation
import MediaNetwork
import MediaRuntime

@testable import MediaICE
@testable import MediaTLS

/// A server of STUN and TURN (RFC 8656) on an emulated machine: over UDP and TCP at port 3478, over TLS at 5349.
final class EmulatedRelay: NetworkDriver, @unchecked Sendable {
  private final class Allocation {
    let port: any DatagramPort
    var channels: [UInt16: SocketAddress] = [:]
    var permissions: Set<SocketAddress> = []

    init(_ port: any DatagramPort) { self.port = port }
  }

  private final class Connection {
    let socket: any StreamConnection
    let tls: TLSMachine?
    var inbox: [UInt8] = []
    var outbox: [UInt8] = []

    init(_ socket: any StreamConnection, _ tls: TLSMachine?) { (self.socket, self.tls) = (socket, tls) }
  }

  static let (user, password, realm) = ("robot", "secret", "example.org")
  let host: EmulatedHost
  let address: String
  let certificate: TLSCertificate
  private let udp: any DatagramPort
  private let listeners: [any StreamPort]
  private var connections: [SocketAddress: Connection] = [:]
  private var allocations: [SocketAddress: Allocation] = [:]
  private let rows = DatagramRows()
  private let batch = DatagramBatch()
  private(set) var relayed = 0
  var allocationCount: Int { allocations.count }
  var connectionCount: Int { connections.count }

  init(_ network: EmulatedNetwork, _ address: String) throws {
    host = try network.addHost(address)
    self.address = address
    certificate = try TLSCertificate.make(name: "relay")
    func at(_ port: UInt16) throws -> SocketAddress {
      guard let place = SocketAddress(address, port: port) else { throw MediaError(.invalid, address) }
      return place
    }
    udp = try host.bindDatagrams(to: at(3478))
    listeners = [try host.listen(at: at(3478)), try host.listen(at: at(5349))]
    // Looked at every millisecond, as its sockets change.
    _ = try host.add(self, [])
  }

  func resetConnections() { connections = [:] }

  func drive(isReadable: Bool) -> Int64 {
    for (place, listener) in listeners.enumerated() {
      while case .stranger(let socket) = listener.accept() {
        guard let remote = socket.remoteAddress else { continue }
        connections[remote] = Connection(socket, place == 1 ? try? TLSMachine(server: certificate) : nil)
      }
    }
    while udp.receive(rows, { bytes, from in serve(Array(bytes), from) }) > 0 {}
    for (client, connection) in connections { read(connection, client) }
    for (client, allocation) in allocations {
      while allocation.port.receive(rows, { bytes, from in relay(Array(bytes), from, client, allocation) }) > 0 {}
    }
    return host.clock.now() + 1_000_000
  }

  private func read(_ connection: Connection, _ client: SocketAddress) {
    var hasEnded = false
    var memory = [UInt8](repeating: 0, count: 16_384)
    loop: while true {
      switch memory.withUnsafeMutableBytes({ connection.socket.read(into: $0) }) {
      case .bytes(let count):
        if let tls = connection.tls {
          memory[..<count].withUnsafeBytes { tls.receive($0) { connection.inbox += $0 } }
          tls.takeOutput(&connection.outbox)
        } else {
          connection.inbox += memory[..<count]
        }
      case .nothing: break loop
      case .end, .failed:
        hasEnded = true
        break loop
      }
    }
    while connection.inbox.count >= 4 {
      let length = Int(connection.inbox[2]) << 8 | Int(connection.inbox[3])
      let isChannel = connection.inbox[0] >= 64
      let size = isChannel ? (4 + length + 3) & ~3 : 20 + length
      guard connection.inbox.count >= size else { break }
      let message = Array(connection.inbox[..<size])
      connection.inbox.removeFirst(size)
      serve(message, client)
    }
    flush(connection)
    if hasEnded { connections[client] = nil }
  }

  private func flush(_ connection: Connection) {
    let count = connection.outbox.withUnsafeBytes { connection.socket.write($0) } ?? 0
    connection.outbox.removeFirst(count)
  }

  private func send(_ bytes: [UInt8], to client: SocketAddress) {
    guard let connection = connections[client] else { return send(bytes, to: client, by: udp) }
    var framed = bytes
    if bytes[0] >= 64 { framed += [UInt8](repeating: 0, count: (4 - bytes.count % 4) % 4) }
    if let tls = connection.tls {
      _ = framed.withUnsafeBytes { tls.send($0) }
      tls.takeOutput(&connection.outbox)
    } else {
      connection.outbox += framed
    }
    flush(connection)
  }

  private func send(_ bytes: [UInt8], to address: SocketAddress, by port: any DatagramPort) {
    batch.begin()
    bytes.withUnsafeBytes { raw in
      _ = batch.add(raw, to: address)
      _ = port.send(batch)
    }
  }

  private func relay(_ data: [UInt8], _ peer: SocketAddress, _ client: SocketAddress, _ allocation: Allocation) {
    guard allocation.permissions.contains(peer.with(port: 0)) else { return }
    relayed += 1
    if let number = allocation.channels.first(where: { $0.value == peer })?.key {
      return send(
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number), UInt8(data.count >> 8), UInt8(data.count & 255)] + data, to: client)
    }
    var writer = STUNWriter(.indication, .data, TransactionID(high: 1, low: UInt64(data.count)))
    writer.add(STUNAttribute.xorPeerAddress, xor: peer)
    writer.add(STUNAttribute.data, data)
    send(writer.bytes, to: client)
  }

  private func serve(_ bytes: [UInt8], _ client: SocketAddress) {
    bytes.withUnsafeBytes { raw in
      if TURNChannels.isChannelData(raw) {
        guard let allocation = allocations[client], let peer = allocation.channels[raw.u16(at: 0)] else { return }
        return send(Array(raw[4..<(4 + Int(raw.u16(at: 2)))]), to: peer, by: allocation.port)
      }
      guard let message = STUNMessage(raw) else { return }
      if message.method == .binding, message.kind == .request {
        var writer = STUNWriter(.success, .binding, message.transaction)
        writer.add(STUNAttribute.xorMappedAddress, xor: client)
        send(writer.bytes, to: client)
      } else if message.kind == .indication, message.method == .send {
        guard let allocation = allocations[client], let peer = message.xorAddress(STUNAttribute.xorPeerAddress),
          let data = message.value(STUNAttribute.data), allocation.permissions.contains(peer.with(port: 0))
        else { return }
        send(Array(data), to: peer, by: allocation.port)
      } else if message.kind == .request {
        request(message, client)
      }
    }
  }

  private func request(_ message: STUNMessage, _ client: SocketAddress) {
    func fail(_ code: Int) {
      var writer = STUNWriter(.failure, message.method, message.transaction)
      writer.add(errorCode: code, "no")
      writer.add(STUNAttribute.realm, Array(EmulatedRelay.realm.utf8))
      writer.add(STUNAttribute.nonce, Array("a nonce".utf8))
      send(writer.bytes, to: client)
    }
    guard
      let key = STUNKey(user: EmulatedRelay.user, realm: Array(EmulatedRelay.realm.utf8), password: EmulatedRelay.password, .sha1),
      message.isAuthentic(key)
    else { return fail(401) }
    var writer = STUNWriter(.success, message.method, message.transaction)
    switch message.method {
    case .allocate:
      guard let any = SocketAddress(address, port: 0), let port = try? host.bindDatagrams(to: any), let relayed = port.localAddress else {
        return fail(508)
      }
      allocations[client] = Allocation(port)
      writer.add(STUNAttribute.xorRelayedAddress, xor: relayed)
      writer.add(STUNAttribute.xorMappedAddress, xor: client)
      writer.add(STUNAttribute.lifetime, number: 600)
    case .refresh:
      if message.u32(STUNAttribute.lifetime) == 0 { allocations[client] = nil }
      writer.add(STUNAttribute.lifetime, number: message.u32(STUNAttribute.lifetime) ?? 600)
    case .createPermission:
      guard let allocation = allocations[client], let peer = message.xorAddress(STUNAttribute.xorPeerAddress) else { return fail(437) }
      allocation.permissions.insert(peer.with(port: 0))
    case .channelBind:
      guard let allocation = allocations[client], let peer = message.xorAddress(STUNAttribute.xorPeerAddress),
        let number = message.value(STUNAttribute.channelNumber)?.u16(at: 0)
      else { return fail(437) }
      allocation.channels[number] = peer
      allocation.permissions.insert(peer.with(port: 0))
    default: return fail(400)
    }
    guard writer.addIntegrity(key) else { return }
    send(writer.bytes, to: client)
  }
}
