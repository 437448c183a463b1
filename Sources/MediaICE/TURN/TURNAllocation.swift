import MediaCore

/// An address at a relay, and what keeps it (RFC 8656): from the first request to the last refresh. Bytes and time in, bytes out.
final class TURNAllocation {
  enum State: Equatable {
    /// The connection to the server is to be opened, or is being opened.
    case connecting
    case allocating
    case ready
    case failed(code: Int?, String)
    case closed
  }

  let relay: ICERelay
  /// The socket that it is reached by: of this machine, or a connection of its own.
  let base: Int
  let isStream: Bool
  /// Another than the relay's own after an answer 300.
  private(set) var server: SocketAddress
  private(set) var state: State
  /// Where peers reach this end, and where the server sees it.
  private(set) var relayed: SocketAddress?
  private(set) var mapped: SocketAddress?
  /// Its connection is to be closed, and another one opened to `server`.
  var isRedirected = false
  let stream = MessageStream(.turn)
  private(set) var permissions = TURNPermissions()
  private(set) var channels = TURNChannels()
  private var credentials: TURNCredentials
  private var requests: [(id: TransactionID, request: TURNRequest)] = []
  private var outgoing: [[UInt8]] = []
  private var expiry: Int64 = .max
  private var refresh: Int64 = .max
  private var lastSent: Int64 = 0
  private var redirects = 0
  private let random: RandomSource
  private var connectBy: Int64 = .max

  static let mostRedirects = 2
  /// For its connection, TLS included.
  static let connectTime: Int64 = 10_000_000_000
  /// Of NATs between here and the server, the shortest that are met forget a path after 30 s.
  static let keepAlive: Int64 = 15_000_000_000
  /// Requests at a time: more wait.
  static let mostRequests = 8
  static let shortestLifetime: UInt32 = 30
  static let longestLifetime: UInt32 = 3_600

  init(_ relay: ICERelay, base: Int, random: RandomSource, now: Int64) {
    (self.relay, self.base, self.random, server) = (relay, base, random, relay.server)
    isStream = relay.transport != .udp
    credentials = TURNCredentials(user: relay.user, password: relay.password)
    state = isStream ? .connecting : .allocating
    if isStream { connectBy = now &+ TURNAllocation.connectTime } else { begin(.allocate, now: now) }
  }

  /// Its connection is open.
  func connected(now: Int64) {
    guard state == .connecting else { return }
    (state, lastSent) = (.allocating, now)
    begin(.allocate, now: now)
  }

  func fail(_ text: String, code: Int? = nil) {
    guard state != .closed else { return }
    state = .failed(code: code, text)
    requests = []
    (expiry, refresh) = (.max, .max)
  }

  /// The server is said so once; if that is lost, it forgets by itself.
  func close(now: Int64) {
    if state == .ready {
      requests = []
      begin(.refresh(lifetime: 0), now: now)
      for index in requests.indices { transmit(index, now: now) }
    }
    state = .closed
    requests = []
    (expiry, refresh) = (.max, .max)
  }

  func takeOutgoing() -> [UInt8]? { outgoing.isEmpty ? nil : outgoing.removeFirst() }

  // MARK: Peers

  /// A peer that may be sent to from now on. false: there are too many, or the server refuses it.
  func permit(_ peer: SocketAddress) -> Bool { permissions.want(peer) }

  /// Much will be sent to that peer.
  func bind(_ peer: SocketAddress) { _ = channels.want(peer) }

  /// Others are not kept any longer.
  func retain(_ isUsed: (SocketAddress) -> Bool) {
    channels.retain(isUsed)
    permissions.retain { host in
      isUsed(host)
    }
  }

  /// A message of this end for a peer, with the header that it needs.
  func send(_ bytes: [UInt8], to peer: SocketAddress, now: Int64) {
    guard state == .ready else { return }
    lastSent = now
    if let number = channels.number(of: peer) {
      let size = bytes.count
      var framed = [
        UInt8(number >> 8), UInt8(truncatingIfNeeded: number), UInt8(truncatingIfNeeded: size >> 8), UInt8(truncatingIfNeeded: size)
      ]
      framed += bytes
      if isStream { framed += [UInt8](repeating: 0, count: STUNMessage.padded(size) - size) }
      outgoing.append(framed)
      return
    }
    var writer = STUNWriter(.indication, .send, random.transaction())
    writer.add(STUNAttribute.xorPeerAddress, xor: peer)
    writer.add(STUNAttribute.data, bytes)
    outgoing.append(writer.bytes)
  }

  // MARK: Requests

  private func begin(_ kind: TURNRequest.Kind, attempt: Int = 0, now: Int64) {
    let id = random.transaction()
    var writer = kind.writer(id, relay)
    guard credentials.sign(&writer) else {
      fail("OpenSSL refuses the hash that \(server) asks for")
      return
    }
    requests.append((id, TURNRequest(kind, writer.bytes, attempt: attempt, isSigned: credentials.key != nil, isStream: isStream, now: now)))
  }

  private func transmit(_ index: Int, now: Int64) {
    requests[index].request.schedule.send(now: now)
    lastSent = now
    outgoing.append(requests[index].request.bytes)
  }

  /// Sends what is due, and says when it wants to be called again.
  func poll(now: Int64) -> Int64 {
    if state == .connecting, now >= connectBy { fail("no connection to \(server)") }
    if state == .ready { beginDue(now) }
    var index = 0
    while index < requests.count {
      guard requests[index].request.schedule.due <= now else {
        index += 1
        continue
      }
      if requests[index].request.schedule.isOver {
        let request = requests.remove(at: index).request
        expire(request, now)
      } else {
        transmit(index, now: now)
        index += 1
      }
    }
    if state == .ready, !isStream, now >= lastSent &+ TURNAllocation.keepAlive {
      outgoing.append(STUNWriter(.indication, .binding, random.transaction()).bytes)
      lastSent = now
    }
    return deadline
  }

  private func beginDue(_ now: Int64) {
    if now >= expiry {
      fail("\(server) forgot the address that it relayed")
      return
    }
    if now >= refresh {
      refresh = .max
      begin(.refresh(lifetime: nil), now: now)
    }
    while requests.count < TURNAllocation.mostRequests {
      if let host = permissions.next(now: now) {
        begin(.permission(host), now: now)
      } else if let (peer, number) = channels.next(now: now) {
        begin(.channel(peer, number), now: now)
      } else {
        break
      }
    }
  }

  private var deadline: Int64 {
    var soonest = requests.reduce(Int64.max) { min($0, $1.request.schedule.due) }
    guard state == .ready else { return state == .connecting ? connectBy : soonest }
    soonest = min(soonest, expiry, refresh)
    if requests.count < TURNAllocation.mostRequests { soonest = min(soonest, permissions.deadline, channels.deadline) }
    return isStream ? soonest : min(soonest, lastSent &+ TURNAllocation.keepAlive)
  }

  /// No answer came.
  private func expire(_ request: TURNRequest, _ now: Int64) {
    switch request.kind {
    case .allocate: fail("no answer from \(relay)")
    // Again until it is too late.
    case .refresh: if state == .ready { begin(request.kind, now: now) }
    case .permission(let host): permissions.set(host, .wanted, now: now)
    case .channel(_, let number): channels.failed(number, isRefused: false, now: now)
    }
  }

  // MARK: Answers

  /// false: it answers nothing that was asked here.
  func receive(_ message: STUNMessage, now: Int64) -> Bool {
    guard let index = requests.firstIndex(where: { $0.id == message.transaction }), requests[index].request.kind.method == message.method
    else {
      return false
    }
    let request = requests[index].request
    switch message.kind {
    case .success:
      if request.isSigned, let key = credentials.key, !message.isAuthentic(key) { return true }
      requests.remove(at: index)
      succeed(request.kind, message, now)
    case .failure:
      requests.remove(at: index)
      refuse(request, message, now)
    case .request, .indication: return false
    }
    return true
  }

  private func succeed(_ kind: TURNRequest.Kind, _ message: STUNMessage, _ now: Int64) {
    switch kind {
    case .allocate:
      guard let relayed = message.xorAddress(STUNAttribute.xorRelayedAddress), relayed.isIPv6 == relay.relaysIPv6, relayed.port > 0 else {
        fail("\(relay) gives no address")
        return
      }
      (self.relayed, mapped, state) = (relayed, message.mapped, .ready)
      extend(message, now)
    case .refresh: extend(message, now)
    case .permission(let host): permissions.set(host, .granted, now: now)
    case .channel(_, let number): channels.bound(number, now: now)
    }
  }

  private func extend(_ message: STUNMessage, _ now: Int64) {
    let seconds = message.u32(STUNAttribute.lifetime) ?? 600
    let lifetime = Int64(min(max(seconds, TURNAllocation.shortestLifetime), TURNAllocation.longestLifetime)) * 1_000_000_000
    expiry = now &+ lifetime
    // A minute for what is lost; of a short one, half of it.
    refresh = now &+ max(lifetime / 2, lifetime - 60_000_000_000)
  }

  private func refuse(_ request: TURNRequest, _ message: STUNMessage, _ now: Int64) {
    let code = message.errorCode ?? 500
    switch code {
    case 401 where !request.isSigned, 438 where request.attempt < TURNRequest.mostAttempts:
      guard credentials.learn(from: message) else {
        fail("\(relay) asks for a password with an answer that cannot be used", code: code)
        return
      }
      begin(request.kind, attempt: request.attempt + 1, now: now)
      return
    case 300 where request.kind == .allocate && redirects < TURNAllocation.mostRedirects:
      guard let other = message.address(STUNAttribute.alternateServer), other != server, other.isIPv6 == server.isIPv6, other.port > 0,
        !other.isMulticast
      else { break }
      redirects += 1
      server = other
      if isStream {
        (state, isRedirected, connectBy) = (.connecting, true, now &+ TURNAllocation.connectTime)
      } else {
        begin(.allocate, now: now)
      }
      return
    default: break
    }
    switch request.kind {
    case .allocate: fail("\(relay) refuses with error \(code)", code: code)
    case .refresh: fail("\(relay) ends the address that it relayed, with error \(code)", code: code)
    case .permission(let host):
      code == 437 ? fail("\(relay) has lost the address that it relayed", code: code) : permissions.set(host, .refused, now: now)
    case .channel(_, let number): channels.failed(number, isRefused: true, now: now)
    }
  }
}
