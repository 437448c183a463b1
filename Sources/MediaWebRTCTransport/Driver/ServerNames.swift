import MediaCore
import MediaICE
import MediaNetwork
import MediaSignalling

/// Servers of ICE whose names are being looked up. A value under the driver's lock.
struct ServerNames {
  private struct Pending {
    let server: ICEServer
    let lookup: NameLookup
    let deadline: Int64
  }

  private var pending: [Pending] = []
  private(set) var count = 0

  /// In the life of a connection. The agent of ICE uses 4 of each kind.
  static let most = 16
  /// A name server that is silent keeps nobody from connecting.
  static let patience: Int64 = 5_000_000_000

  var isEmpty: Bool { pending.isEmpty }
  /// Of the first that is given up.
  var deadline: Int64 { pending.map(\.deadline).min() ?? .max }

  /// The addresses of one that needs no look-up. Throws `.limit` for one too many, `.invalid` for what is neither a name nor an address.
  mutating func add(_ server: ICEServer, _ names: any NameSource, now: Int64, then: @escaping @Sendable () -> Void) throws(MediaError)
    -> [SocketAddress]
  {
    guard count < ServerNames.most else {
      throw MediaError(.limit, "WebRTC: more than \(ServerNames.most) servers of ICE")
    }
    count += 1
    if let address = SocketAddress(server.host, port: server.port) { return [address] }
    guard let name = HostName(server.host) else {
      throw MediaError(.invalid, "WebRTC: the server \"\(server.host.prefix(64))\"; accepted: an address, or \(HostName.accepted)")
    }
    let question = NameResolver.Question(name, port: server.port, isStream: server.isOverTCP, isIPv6: nil)
    pending.append(.init(server: server, lookup: names.look(up: question, then: then), deadline: now &+ ServerNames.patience))
    return []
  }

  /// Those that have an answer now.
  mutating func take(now: Int64) -> [(server: ICEServer, answer: NameResolver.Answer)] {
    var done: [(server: ICEServer, answer: NameResolver.Answer)] = []
    for one in pending {
      if let answer = one.lookup.answer {
        done.append((one.server, answer))
      } else if now >= one.deadline {
        one.lookup.cancel()
        done.append((one.server, .failure(MediaError(.timeout, "its name was not resolved within 5 s"))))
      }
    }
    pending.removeAll { one in done.contains { $0.server == one.server } }
    return done
  }

  mutating func cancel() {
    for one in pending { one.lookup.cancel() }
    pending = []
  }
}

extension ICEServer {
  /// Of its addresses the first of each family; over TCP the first.
  func chosen(_ addresses: [SocketAddress]) -> [SocketAddress] {
    if isOverTCP { return Array(addresses.prefix(1)) }
    return [addresses.first { !$0.isIPv6 }, addresses.first(where: \.isIPv6)].compactMap { $0 }
  }

  /// nil for a server of STUN.
  func relay(at address: SocketAddress) -> ICERelay? {
    let transport: ICERelay.Transport
    switch kind {
    case .stun, .stuns: return nil
    case .turn: transport = isOverTCP ? .tcp : .udp
    case .turns: transport = .tls
    }
    var relay = ICERelay(address, transport, user: user ?? "", password: password ?? "")
    relay.serverName = host
    return relay
  }

  /// Throws `.unsupported` for what no connection is made over here, `.invalid` for a relay without a user.
  func check() throws(MediaError) {
    guard kind != .stuns, kind != .turns || isOverTCP else {
      throw MediaError(.unsupported, "WebRTC: the server \"\(uri)\"; accepted: stun:, turn: over UDP and TCP, turns: over TCP")
    }
    guard kind == .stun || user != nil && password != nil else {
      throw MediaError(.invalid, "WebRTC: the relay \"\(uri)\" without user or password; accepted: both")
    }
  }
}
