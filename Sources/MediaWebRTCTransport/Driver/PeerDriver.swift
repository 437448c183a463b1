import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaSCTP
import MediaSignalling
import MediaTLS
import MediaWebRTC

/// A `PeerConnection` at work: its sockets, servers' names, connections to relays and timers, driven by the network thread and by whoever sends or
/// signals. Functions may be called from any thread; nothing is locked while the delegate is called.
final class PeerDriver: NetworkDriver {
  /// A connection to a relay, and the base of ICE that it is.
  struct RelayLink {
    let base: ICEBase
    let link: TCPLink
  }

  /// Under the lock.
  struct Guarded {
    let peer: PeerConnection
    var sockets: [any PeerSocket] = []
    var links: [RelayLink] = []
    var names = ServerNames()
    let output = DatagramBatch()
    let tap: (any PacketTap)?
    /// Descriptions were begun with, so candidates are wanted.
    var isSignalled = false
    var hasAllHosts = false
    /// There was a path.
    var hadPath = false
    /// The last one went over a loopback address: the other end is on this machine.
    var hadLocalPath = false
    /// There was an address by which others can be reached.
    var hadNetwork = false
    /// It was said.
    var wantsRestart = false
    /// Somebody has room for what channels bring.
    var takesChannels = true
    /// As sockets and the tap know it.
    var route: ICERoute?
    var isClosed = false
  }

  /// What receiving needs that sending does not.
  private struct Receiving: @unchecked Sendable {
    let rows = DatagramRows()
    var arrivals: [PeerArrival] = []
    var addressesDue = Int64.min
  }

  /// Addresses of this machine are looked at so often: they come and go with cables, radio networks and tunnels.
  static let addressPause: Int64 = 2_000_000_000

  let settings: PeerDriverSettings
  private let network: any Network
  private let thread: any DriverLoop
  /// Those of the server that this end is at; nil: the connection has its own.
  private let ports: PeerPorts?
  private let delegate: any PeerDriverDelegate
  private let guarded: Monitor<Guarded>
  private let receiving = Monitor(Receiving())
  private let tag = Monitor<UInt64?>(nil)

  /// Binds sockets and asks servers from now on; `start` drives it. Throws `.fail`: no certificate can be made; `.limit`, `.invalid`, `.unsupported` for
  /// servers that cannot be such.
  init(
    _ settings: PeerDriverSettings, certificate: TLSCertificate, network: any Network, thread: any DriverLoop, ports: PeerPorts? = nil,
    tap: (any PacketTap)? = nil, delegate: any PeerDriverDelegate
  ) throws(MediaError) {
    (self.settings, self.network, self.thread, self.ports, self.delegate) = (settings, network, thread, ports, delegate)
    let clock = thread.clock
    let now = clock.now()
    var own = settings.peer
    own.ice.publicAddresses = ports?.publicAddresses ?? []
    let peer = PeerConnection(
      own, certificate: certificate, clock: NTPClock(NTPTimestamp(unixNanoseconds: clock.wallTime()), at: now),
      random: NetworkRandom(network: network), now: now)
    let user = peer.ice.local.user
    guarded = Monitor(Guarded(peer: peer, tap: tap))
    for server in settings.servers { try add(server) }
    followAddresses(now: now)
    ports?.users.add(user, of: self)
  }

  /// Until `close`. `.closed`, `.io`: the network thread does not take it.
  func start() throws(MediaError) {
    let added = try thread.add(self, [])
    tag.withLock { $0 = added }
    let (isClosed, sockets) = guarded.withLock { ($0.isClosed, $0.sockets) }
    // It was closed meanwhile, when the thread did not have it yet.
    if isClosed, let tag = tag.withLock({ $0.take() }) { return thread.remove(tag) }
    for socket in sockets { watch(socket) }
  }

  /// Says goodbye, and lets go of sockets and connections. The delegate is not called afterwards, but by a call that runs already.
  func close() {
    let now = thread.clock.now()
    let (sockets, links): ([any PeerSocket], [RelayLink]) = guarded.withLock { guarded in
      guard !guarded.isClosed else { return ([], []) }
      guarded.peer.close(now: now) { guarded.send($1, from: $2, by: $0) }
      guarded.sendDatagrams()
      guarded.isClosed = true
      guarded.names.cancel()
      defer { (guarded.sockets, guarded.links) = ([], []) }
      return (guarded.sockets, guarded.links)
    }
    if let tag = tag.withLock({ $0.take() }) { thread.remove(tag) }
    ports?.users.remove(self)
    for socket in sockets { socket.close(on: thread) }
    for relay in links { relay.link.close() }
    let arrivals = receiving.withLock { receiving in
      defer { receiving.arrivals = [] }
      return receiving.arrivals
    }
    PeerDriver.release(arrivals)
    guarded.withLock { guarded in
      var rest: [PeerArrival] = []
      guarded.peer.takeArrivals(&rest)
      PeerDriver.release(rest)
    }
  }

  private static func release(_ arrivals: [PeerArrival]) {
    for case .frame(_, let frame, _, _) in arrivals { frame.release() }
  }

  // MARK: For whoever signals and sends

  /// Does something with the connection; what follows of it is done by the network thread. Throws `.closed`, and what `body` throws.
  func change<Result>(_ body: (PeerConnection, _ now: Int64) throws(MediaError) -> Result) throws(MediaError) -> Result {
    let result = try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "WebRTC: the connection is closed") }
      // By its user name checks say that they are for this connection: ICE may have begun anew. Not after `close`, which removes it.
      defer { ports?.users.add(guarded.peer.ice.local.user, of: self) }
      return try body(guarded.peer, thread.clock.now())
    }
    wake()
    return result
  }

  /// The same for a description of this end or the other's: from the first on candidates are gathered to the end.
  func signal<Result>(_ body: (PeerConnection, _ now: Int64) throws(MediaError) -> Result) throws(MediaError) -> Result {
    let result = try change(body)
    guarded.withLock { $0.isSignalled = true }
    wake()
    return result
  }

  /// Looks at the connection without changing it.
  func look<Result>(_ body: (PeerConnection) -> Result) -> Result { guarded.withLock { body($0.peer) } }

  /// The next offer restarts ICE.
  func restartICE() throws(MediaError) {
    try change { (peer, _) throws(MediaError) in peer.restartICE() }
    guarded.withLock { $0.wantsRestart = false }
  }

  /// One more server of STUN or TURN. Throws `.limit`, `.invalid`, `.unsupported`, `.closed`.
  func add(_ server: ICEServer) throws(MediaError) {
    try server.check()
    try guarded.withLock { guarded throws(MediaError) in
      guard !guarded.isClosed else { throw MediaError(.closed, "WebRTC: the connection is closed") }
      let now = thread.clock.now()
      let known = try guarded.names.add(server, network.names, now: now) { [self] in wake() }
      guarded.use(server, at: known, now: now)
    }
    wake()
  }

  /// An encoded frame of a transceiver, whole or not at all; `number` is that of a video frame in its stream. Throws where the queue is full, or the other
  /// end takes nothing in it.
  func send(_ frame: EncodedFrame, number: UInt16, on transceiver: Transceiver.ID, layer: Int = 0, isVoice: Bool) throws(PacketError) {
    let next: Int64 = try guarded.withLock { guarded throws(PacketError) in
      guard !guarded.isClosed else { throw PacketError("WebRTC: the connection is closed") }
      let now = thread.clock.now()
      try guarded.peer.send(frame, number: number, on: transceiver, layer: layer, isVoice: isVoice, now: now)
      let next = guarded.peer.push(now: now) { guarded.send($1, from: $2, by: $0) }
      return guarded.peer.hasArrivals ? .min : next
    }
    wake(at: next)
  }

  /// Whether the delegate has room for what channels bring. While it has not, the other end waits.
  func takeChannels(_ takes: Bool) {
    let isNews = guarded.withLock { guarded in
      defer { guarded.takesChannels = takes }
      return takes && !guarded.takesChannels
    }
    if isNews { wake() }
  }

  /// Has the network thread call the delegate soon.
  func wake() { wake(at: .min) }

  private func wake(at time: Int64) {
    if let tag = tag.withLock({ $0 }) { thread.wake(tag, at: time) }
  }

  /// Of this end's base of the path.
  var localAddress: SocketAddress? {
    guarded.withLock { guarded in
      guard let base = guarded.peer.stats.route?.base else { return nil }
      return guarded.sockets.first { $0.base == base }?.address
    }
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    let now = thread.clock.now()
    let isDue = receiving.withLock { receiving in
      guard now >= receiving.addressesDue else { return false }
      receiving.addressesDue = now &+ PeerDriver.addressPause
      return true
    }
    if isDue, followAddresses(now: now) { noteLostPath(now: now) }
    followNames(now: now)
    let next = settle()
    let (namesDue, addressesDue) = (guarded.withLock { $0.names.deadline }, receiving.withLock { $0.addressesDue })
    return min(next, namesDue, addressesDue)
  }

  private func receive(_ socket: OwnSocket) {
    // So much at most that what is due is not kept waiting by a flood.
    for _ in 0..<8 {
      let rows = receiving.withLock { $0.rows }
      let count = socket.receive(rows)
      guard count > 0 else { break }
      guarded.withLock { guarded in
        guard !guarded.isClosed else { return }
        let now = thread.clock.now()
        rows.forEach { _ = guarded.peer.receive(UnsafeRawBufferPointer($0), on: socket.base, from: $1, now: now) }
      }
      if count < DatagramRows.capacity { break }
    }
    handleArrivals()
  }

  /// Whether a datagram of a shared port, or of a connection of TCP, is this connection's. `handleArrivals` is to follow.
  func take(_ datagram: UnsafeRawBufferPointer, on base: ICEBase, from remote: SocketAddress, now: Int64) -> Bool {
    guarded.withLock { !$0.isClosed && $0.peer.receive(datagram, on: base, from: remote, now: now) }
  }

  /// Does what follows of what was taken.
  func handleArrivals() { wake(at: settle()) }

  /// A connection of TCP, whose first datagram is a check; it is dropped if that is not for this end.
  func accept(
    _ socket: any StreamConnection, _ datagram: [UInt8], _ stream: ICEStream, from remote: SocketAddress, at local: SocketAddress
  ) {
    let passive = guarded.withLock { guarded in guarded.sockets.lazy.compactMap { $0 as? PassiveSocket }.first { $0.address == local } }
    guard let passive, datagram.withUnsafeBytes({ take($0, on: passive.base, from: remote, now: thread.clock.now()) }) else { return }
    let link = TCPLink(accepted: socket, on: network, thread) { [self] in follow($0, of: passive, from: remote, $1) }
    let used = guarded.withLock { guarded in guarded.route.flatMap { $0.base == passive.base ? $0.remote : nil } }
    if let former = passive.add(link, stream, from: remote, keeping: used) { lose(former.link, of: passive, from: former.remote) }
    guard (try? link.start()) != nil else { return lose(link, of: passive, from: remote) }
    follow(link, of: passive, from: remote, .bytes(UnsafeRawBufferPointer(start: nil, count: 0)))
  }

  private func follow(_ link: TCPLink, of passive: PassiveSocket, from remote: SocketAddress, _ event: TCPLink.Event) {
    switch event {
    case .opened: return
    case .bytes(let bytes):
      guard let datagrams = passive.read(bytes, of: link) else { return lose(link, of: passive, from: remote) }
      let now = thread.clock.now()
      for datagram in datagrams { datagram.withUnsafeBytes { _ = take($0, on: passive.base, from: remote, now: now) } }
    case .ended, .failed: return lose(link, of: passive, from: remote)
    }
    handleArrivals()
  }

  private func lose(_ link: TCPLink, of passive: PassiveSocket, from remote: SocketAddress) {
    link.close()
    passive.remove(link)
    guarded.withLock { $0.peer.ice.connectionClosed(passive.base, from: remote) }
    handleArrivals()
  }

  private func follow(_ link: TCPLink, of base: ICEBase, _ event: TCPLink.Event) {
    guarded.withLock { guarded in
      let now = thread.clock.now()
      guard !guarded.isClosed, guarded.links.contains(where: { $0.link === link }) else { return }
      switch event {
      case .opened: guarded.peer.ice.connected(base, now: now)
      case .bytes(let bytes): guarded.peer.receive(stream: bytes, on: base, now: now)
      case .ended: guarded.lose(base, "the relay closed the connection")
      case .failed(let error): guarded.lose(base, error.text)
      }
    }
    wake(at: settle())
  }

  /// Does what is due and hands over what came of it. When it wants to be called again.
  private func settle() -> Int64 {
    while true {
      var arrivals = receiving.withLock { receiving in
        defer { receiving.arrivals = [] }
        return receiving.arrivals
      }
      let (next, events, news): (Int64, [PeerEvent], [DataChannelEvent]) = guarded.withLock { guarded in
        guard !guarded.isClosed else { return (.max, [], []) }
        let next = guarded.peer.poll(now: thread.clock.now()) { guarded.send($1, from: $2, by: $0) }
        guarded.sendDatagrams()
        guarded.followRoute()
        let news = guarded.takeChannelEvents()
        var events: [PeerEvent] = []
        while let event = guarded.peer.takeEvent() { events.append(event) }
        guarded.peer.takeArrivals(&arrivals)
        return (next, events, news)
      }
      // After events are taken there may be more, and packets to be sent.
      var isChanged = !news.isEmpty
      for event in events { isChanged = handle(event) || isChanged }
      if !news.isEmpty { delegate.driver(self, did: news) }
      delegate.driver(self, received: arrivals)
      arrivals.removeAll(keepingCapacity: true)
      receiving.withLock { $0.arrivals = arrivals }
      if !isChanged { return next }
    }
  }

  /// Whether the connection is to be polled once more.
  private func handle(_ event: PeerEvent) -> Bool {
    switch event {
    case .connect(let base, let address, let relay): return connect(base, to: address, relay)
    case .disconnect(let base):
      let link: TCPLink? = guarded.withLock { guarded in
        let link = guarded.links.first { $0.base == base }?.link
        guarded.links.removeAll { $0.base == base }
        return link
      }
      link?.close()
    case .serverFailed(let address, let code, let text): delegate.driver(self, did: .serverFailed("\(address)", code: code, text))
    case .state(let state):
      delegate.driver(self, did: .peer(event))
      switch state {
      case .connected: guarded.withLock { $0.notePath() }
      case .disconnected: wantRestart()
      case .failed(let error) where error.status == .timeout: wantRestart()
      default: break
      }
    default: delegate.driver(self, did: .peer(event))
    }
    return false
  }

  /// `isElsewhere`: the addresses are others than when it was said last, so that it is said again.
  private func wantRestart(isElsewhere: Bool = false) {
    let isNews = guarded.withLock { guarded in
      // Nothing comes of it before there is an address; then it is wanted.
      guard guarded.hasWayOut else { return false }
      defer { guarded.wantsRestart = true }
      return isElsewhere || !guarded.wantsRestart
    }
    if isNews { delegate.driver(self, did: .restartWanted) }
  }

  private func connect(_ base: ICEBase, to address: SocketAddress, _ relay: ICERelay) -> Bool {
    let trust: TLSTrust? =
      relay.transport == .tls
      ? settings.relayFingerprint.map { .fingerprint($0) } ?? .system(host: relay.serverName ?? address.host) : nil
    do throws(MediaError) {
      let host = relay.serverName ?? address.host
      let way = relay.transport == .tls ? try TCPLink.Place(through: network, toTLS: host, port: address.port) : nil
      let link = try TCPLink(to: way ?? .address(address), trust, host: relay.serverName, on: network, thread) { [self] in
        follow($0, of: base, $1)
      }
      guarded.withLock { $0.links.append(RelayLink(base: base, link: link)) }
      try link.start()
      return false
    } catch {
      guarded.withLock { $0.lose(base, error.text) }
      return true
    }
  }

  // MARK: Servers

  private func followNames(now: Int64) {
    let failed: [(String, String)] = guarded.withLock { guarded in
      guard !guarded.isClosed else { return [] }
      var failed: [(String, String)] = []
      for (server, answer) in guarded.names.take(now: now) {
        switch answer {
        case .success(let addresses): guarded.use(server, at: server.chosen(addresses), now: now)
        case .failure(let error): failed.append((server.uri, error.text))
        }
      }
      if guarded.isSignalled, guarded.names.isEmpty, !guarded.hasAllHosts {
        guarded.hasAllHosts = true
        guarded.peer.ice.endOfHosts(now: now)
      }
      return failed
    }
    for (server, text) in failed { delegate.driver(self, did: .serverFailed(server, code: nil, text)) }
  }

  // MARK: Addresses of this machine

  /// Binds what is new, and lets go of what has gone. Whether anything is other than it was. Before `start`, or on the network thread.
  @discardableResult
  private func followAddresses(now: Int64) -> Bool {
    let wanted = ICEAgent.hostAddresses(network.addresses, withLoopback: settings.offersLoopback)
    let gone: [any PeerSocket] = guarded.withLock { guarded in
      guard !guarded.isClosed else { return [] }
      let gone = guarded.sockets.filter { !wanted.contains($0.address.with(port: 0)) }
      guarded.sockets.removeAll { socket in gone.contains { $0 === socket } }
      for socket in gone { guarded.peer.ice.removeHost(socket.base, now: now) }
      return gone
    }
    for socket in gone { socket.close(on: thread) }
    var isChanged = !gone.isEmpty
    // Those of UDP first: an agent takes so many.
    for isTCP in [false, true] {
      for address in wanted where !hasSocket(at: address, isTCP: isTCP) {
        guard let socket = isTCP ? listen(at: address, now) : bind(address, now) else { continue }
        isChanged = true
        if tag.withLock({ $0 }) != nil { watch(socket) }
      }
    }
    return isChanged
  }

  private func hasSocket(at address: SocketAddress, isTCP: Bool) -> Bool {
    guarded.withLock { guarded in guarded.sockets.contains { $0.isTCP == isTCP && $0.address.with(port: 0) == address } }
  }

  /// nil: it is of IPv6 and not confirmed yet (RFC 4862), or the shared port is taken there; it is tried again.
  private func bind(_ address: SocketAddress, _ now: Int64) -> (any PeerSocket)? {
    if let ports, ports.udp != nil {
      guard let socket = ports.socket(at: address) else { return nil }
      return add(socket.address, .udp, now) { SharedSocket.Place(self, $0, of: socket) }
    }
    guard let port = try? network.bindDatagrams(to: address), let bound = port.localAddress else { return nil }
    return add(bound, .udp, now) { base in OwnSocket(port, bound, base) { [self] in receive($0) } }
  }

  private func listen(at address: SocketAddress, _ now: Int64) -> (any PeerSocket)? {
    guard let address = ports?.listener(at: address) else { return nil }
    return add(address, .tcpPassive, now) { PassiveSocket(address, $0) }
  }

  private func add(
    _ address: SocketAddress, _ transport: ICETransport, _ now: Int64, _ make: (ICEBase) -> any PeerSocket
  ) -> (any PeerSocket)? {
    guarded.withLock { guarded in
      guard !guarded.isClosed, let base = try? guarded.peer.ice.addHost(address, transport, now: now) else { return nil }
      let socket = make(base)
      guarded.sockets.append(socket)
      if !address.isLoopback { guarded.hadNetwork = true }
      return socket
    }
  }

  private func watch(_ socket: any PeerSocket) {
    if !socket.watch(on: thread) { socket.close(on: thread) }
  }

  /// The path went over an address that is not there any more; or there was none, and now there is an address that may bring one.
  private func noteLostPath(now: Int64) {
    let isLost = guarded.withLock { guarded in
      guard !guarded.isClosed, guarded.peer.signalling.negotiated != nil else { return false }
      _ = guarded.peer.poll(now: now) { guarded.send($1, from: $2, by: $0) }
      return switch guarded.peer.state {
      case .new, .connected, .closed: false
      case .connecting: guarded.hadPath
      case .disconnected, .failed: true
      }
    }
    if isLost { wantRestart(isElsewhere: true) }
  }
}

extension PeerDriver.Guarded {
  /// There is an address from which the other end may be reached. Loopback, which is bound where there is nothing else, is none if there was more.
  var hasWayOut: Bool { sockets.contains { !$0.address.isLoopback || hadLocalPath || !hadNetwork } }

  mutating func notePath() {
    (hadPath, wantsRestart) = (true, false)
    let base = peer.stats.route?.base
    hadLocalPath = sockets.first { $0.base == base }?.address.isLoopback ?? false
  }

  /// A batch of packets of media, or of datagrams of ICE and DTLS, by the base.
  func send(_ batch: DatagramBatch, from first: Int, by route: ICERoute) -> DatagramSending { send(batch, from: first, by: route.base) }

  private func send(_ batch: DatagramBatch, from first: Int, by base: ICEBase) -> DatagramSending {
    if let socket = sockets.first(where: { $0.base == base }) { return socket.send(batch, from: first) }
    guard let link = links.first(where: { $0.base == base })?.link else { return .all }
    var (sent, isFull) = (0, false)
    batch.forEach(from: first) { bytes, _ in
      guard !isFull, link.send(bytes) else {
        isFull = true
        return
      }
      sent += 1
    }
    return isFull ? .some(sent) : .all
  }

  /// Neighbours of one base go at once. What a socket has no room for is lost, as in a network.
  func sendDatagrams() {
    var base: ICEBase?
    output.begin()
    func flush() {
      if let base, output.count > 0 { _ = send(output, from: 0, by: base) }
      output.begin()
    }
    while let datagram = peer.takeDatagram() {
      if datagram.base != base || output.count == DatagramBatch.capacity { flush() }
      base = datagram.base
      sockets.first { $0.base == base }?.expect(datagram.destination)
      guard let slot = output.slot(), datagram.bytes.count <= slot.count else { continue }
      slot.copyBytes(from: datagram.bytes)
      _ = output.add(UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(slot).prefix(datagram.bytes.count)), to: datagram.destination)
    }
    flush()
  }

  /// As many as are handed over at a time.
  func takeChannelEvents() -> [DataChannelEvent] {
    var (events, bytes): ([DataChannelEvent], Int) = ([], 0)
    while takesChannels, events.count < 64, bytes < 262_144, let event = peer.takeChannelEvent() {
      if case .message(_, let message, _) = event { bytes += message.count }
      events.append(event)
    }
    return events
  }

  /// A connection to a relay is not there any more, or did not come about.
  mutating func lose(_ base: ICEBase, _ text: String) {
    links.removeAll { $0.base == base }
    peer.ice.closed(base, text)
  }

  /// Packets by a connection to a relay, which has no address of a packet's own, are not shown to the tap.
  mutating func followRoute() {
    guard let next = peer.ice.route, next != route else { return }
    let socket = sockets.first { $0.base == next.base }
    socket?.follow(next.remote)
    if let tap, next.base != route?.base { peer.watch(tap, local: socket?.address) }
    route = next
  }

  func use(_ server: ICEServer, at addresses: [SocketAddress], now: Int64) {
    for address in addresses {
      if let relay = server.relay(at: address) {
        peer.ice.addRelay(relay, now: now)
      } else {
        peer.ice.addServer(address, now: now)
      }
    }
  }
}
