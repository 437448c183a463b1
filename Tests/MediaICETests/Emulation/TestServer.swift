import MediaCore

@testable import MediaICE

/// A server of STUN and TURN, with long-term credentials, as RFC 8656 has it. Its faults are for tests to choose.
final class TestServer {
  private struct Client: Hashable {
    let address: SocketAddress
    let port: UInt16
  }

  private final class Allocation {
    let relayed: SocketAddress
    var server = address(TestServer.host, 3478)
    var expiry: Int64
    /// Until when.
    var permissions: [SocketAddress: Int64] = [:]
    var channels: [UInt16: SocketAddress] = [:]

    init(_ relayed: SocketAddress, expiry: Int64) {
      (self.relayed, self.expiry) = (relayed, expiry)
    }
  }

  static let host = "198.51.100.1"
  static let other = "198.51.100.2"
  static let user = "robot"
  static let password = "secret"
  let network: TestNetwork
  let deadline = Int64.max
  var realm = Array("example.org".utf8)
  var nonce = Array("a nonce".utf8)
  /// PASSWORD-ALGORITHMS is offered.
  var hasSHA256 = false
  /// Instead of an answer to these methods.
  var refuses: [STUNMessage.Method: Int] = [:]
  var isSilent = false
  /// The first host answers 300.
  var redirects = false
  var lifetime: UInt32 = 600
  /// The nonce is another one after each so many requests.
  var nonceChanges = Int.max
  private(set) var counts: [STUNMessage.Method: Int] = [:]
  private(set) var channelData = 0
  private(set) var indications = 0
  private(set) var usedSHA256 = false
  private var requests = 0
  private var allocations: [Client: Allocation] = [:]
  private var streams: [(address: SocketAddress, peer: TestPeer, base: ICEBase, stream: MessageStream)] = []
  private var nextPort: UInt16 = 50_000

  init(_ network: TestNetwork) {
    self.network = network
    network.server = self
  }

  static func relay(_ transport: ICERelay.Transport = .udp) -> ICERelay {
    ICERelay(address(host, 3478), transport, user: user, password: password)
  }

  static let stun = address(host, 3479)

  var allocationCount: Int { allocations.values.count { $0.expiry > network.now } }

  func owns(_ address: SocketAddress) -> Bool { address.host == TestServer.host || address.host == TestServer.other }
  func owns(stream address: SocketAddress) -> Bool { owns(address) && address.port == 3478 }

  // MARK: Arrivals

  func receive(_ bytes: [UInt8], from source: SocketAddress, at own: SocketAddress, now: Int64) {
    guard !isSilent else { return }
    if own.port >= 50_000 { return relay(bytes, from: source, at: own, now) }
    serve(bytes, Client(address: source, port: own.port), at: own, now)
  }

  func receive(stream bytes: [UInt8], of peer: TestPeer, _ base: ICEBase) {
    let network = network
    network.after(network.delay) { [self] in
      if !streams.contains(where: { $0.peer === peer && $0.base == base }) {
        streams.append((address("203.0.113.200", UInt16(1000 + streams.count)), peer, base, MessageStream(.turn)))
      }
      guard !isSilent, let one = streams.first(where: { $0.peer === peer && $0.base == base }) else { return }
      _ = bytes.withUnsafeBytes { one.stream.append($0) }
      while let message = one.stream.next() {
        serve(message, Client(address: one.address, port: 3478), at: peer.connections[base] ?? address(TestServer.host, 3478), network.now)
      }
    }
  }

  private func send(_ bytes: [UInt8], _ client: Client, from own: SocketAddress) {
    guard let one = streams.first(where: { $0.address == client.address }) else {
      network.send(bytes, from: own, to: client.address, site: nil)
      return
    }
    network.after(network.delay) { one.peer.receive(stream: bytes, one.base) }
  }

  // MARK: Requests

  private func serve(_ bytes: [UInt8], _ client: Client, at own: SocketAddress, _ now: Int64) {
    bytes.withUnsafeBytes { raw in
      if TURNChannels.isChannelData(raw) {
        channelData += 1
        guard let allocation = live(client, now), let peer = allocation.channels[raw.u16(at: 0)] else { return }
        pass(Array(raw[4..<(4 + Int(raw.u16(at: 2)))]), allocation, to: peer, now)
        return
      }
      guard let message = STUNMessage(raw) else { return }
      counts[message.method, default: 0] += 1
      if message.method == .binding, message.kind == .request {
        var writer = STUNWriter(.success, .binding, message.transaction)
        writer.add(STUNAttribute.xorMappedAddress, xor: client.address)
        send(writer.bytes, client, from: own)
      } else if message.kind == .indication, message.method == .send {
        indications += 1
        guard let allocation = live(client, now), let peer = message.xorAddress(STUNAttribute.xorPeerAddress),
          let data = message.value(STUNAttribute.data)
        else { return }
        pass(Array(data), allocation, to: peer, now)
      } else if message.kind == .request {
        request(message, client, own, now)
      }
    }
  }

  private func live(_ client: Client, _ now: Int64) -> Allocation? { allocations[client].flatMap { $0.expiry > now ? $0 : nil } }

  private func pass(_ data: [UInt8], _ allocation: Allocation, to peer: SocketAddress, _ now: Int64) {
    guard let end = allocation.permissions[peer.with(port: 0)], end > now else { return }
    network.send(data, from: allocation.relayed, to: peer, site: nil)
  }

  private func relay(_ data: [UInt8], from peer: SocketAddress, at own: SocketAddress, _ now: Int64) {
    guard let (client, allocation) = allocations.first(where: { $0.value.relayed == own }), allocation.expiry > now,
      let end = allocation.permissions[peer.with(port: 0)], end > now
    else { return }
    let isStream = streams.contains { $0.address == client.address }
    if let number = allocation.channels.first(where: { $0.value == peer })?.key {
      var framed =
        [UInt8(number >> 8), UInt8(truncatingIfNeeded: number), UInt8(data.count >> 8), UInt8(truncatingIfNeeded: data.count)] + data
      if isStream { framed += [UInt8](repeating: 0, count: STUNMessage.padded(data.count) - data.count) }
      return send(framed, client, from: allocation.server)
    }
    var writer = STUNWriter(.indication, .data, TransactionID(high: 1, low: UInt64(data.count)))
    writer.add(STUNAttribute.xorPeerAddress, xor: peer)
    writer.add(STUNAttribute.data, data)
    send(writer.bytes, client, from: allocation.server)
  }

  private func request(_ message: STUNMessage, _ client: Client, _ own: SocketAddress, _ now: Int64) {
    requests += 1
    if requests % nonceChanges == 0 { nonce = Array("nonce \(requests)".utf8) }
    func fail(_ code: Int, isAsking: Bool = false, _ more: (inout STUNWriter) -> Void = { _ in }) {
      var writer = STUNWriter(.failure, message.method, message.transaction)
      writer.add(errorCode: code, "no")
      if isAsking {
        writer.add(STUNAttribute.realm, realm)
        writer.add(STUNAttribute.nonce, nonce)
        if hasSHA256 { writer.add(STUNAttribute.passwordAlgorithms, [0, 2, 0, 0, 0, 1, 0, 0]) }
      }
      more(&writer)
      send(writer.bytes, client, from: own)
    }
    if redirects, own.host == TestServer.host {
      return fail(300) { $0.add(STUNAttribute.alternateServer, plain: address(TestServer.other, 3478)) }
    }
    let hash: STUNKey.Hash = message.integrity256 > 0 ? .sha256 : .sha1
    guard let key = STUNKey(user: TestServer.user, realm: realm, password: TestServer.password, hash), message.isAuthentic(key),
      message.value(STUNAttribute.username).map({ String(decoding: $0, as: UTF8.self) }) == TestServer.user
    else { return fail(401, isAsking: true) }
    guard message.value(STUNAttribute.nonce).map({ Array($0) }) == nonce else { return fail(438, isAsking: true) }
    usedSHA256 = hash == .sha256
    if let code = refuses[message.method] { return fail(code) }
    var writer = STUNWriter(.success, message.method, message.transaction)
    switch message.method {
    case .allocate:
      let allocation = live(client, now) ?? Allocation(address(TestServer.host, nextPort), expiry: 0)
      if allocations[client] !== allocation { nextPort += 1 }
      allocations[client] = allocation
      allocation.expiry = now + Int64(lifetime) * second
      allocation.server = own
      writer.add(STUNAttribute.xorRelayedAddress, xor: allocation.relayed)
      writer.add(STUNAttribute.xorMappedAddress, xor: client.address)
      writer.add(STUNAttribute.lifetime, number: lifetime)
    case .refresh:
      guard let allocation = live(client, now) else { return fail(437) }
      let asked = message.u32(STUNAttribute.lifetime) ?? lifetime
      allocation.expiry = now + Int64(min(asked, lifetime)) * second
      writer.add(STUNAttribute.lifetime, number: min(asked, lifetime))
    case .createPermission:
      guard let allocation = live(client, now), let peer = message.xorAddress(STUNAttribute.xorPeerAddress) else { return fail(437) }
      allocation.permissions[peer.with(port: 0)] = now + 300 * second
    case .channelBind:
      guard let allocation = live(client, now), let peer = message.xorAddress(STUNAttribute.xorPeerAddress),
        let number = message.value(STUNAttribute.channelNumber)?.u16(at: 0)
      else { return fail(437) }
      allocation.channels[number] = peer
      allocation.permissions[peer.with(port: 0)] = now + 300 * second
    default: return fail(400)
    }
    guard writer.addIntegrity(key) else { return }
    send(writer.bytes, client, from: own)
  }
}
