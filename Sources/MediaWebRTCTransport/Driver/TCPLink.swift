import MediaCore
import MediaNetwork
import MediaRuntime
import MediaSignalling
import MediaTLS

/// A connection to a server over TCP, or TLS over it: a relay's (RFC 8656, section 3.1), or one of HTTP. Over TLS it goes through the proxy that the
/// environment names, if any. Or one that a client has opened to this end. The network thread connects and reads; one thread at a time writes.
final class TCPLink: NetworkDriver {
  /// What becomes of it, on the network thread, where nothing is locked.
  enum Event {
    case opened
    case bytes(UnsafeRawBufferPointer)
    /// The server closed it, and nothing follows. Over TLS it said so if `isClean`; without TLS it cannot be known.
    case ended(isClean: Bool)
    /// No connection came about, or it broke. `.untrusted`: the server's certificate; `.io`, `.timeout`. Nothing follows.
    case failed(MediaError)
  }

  /// Where to.
  enum Place: CustomStringConvertible {
    case address(SocketAddress)
    /// The proxy's name is looked up, and it is asked for a connection to a name or an address.
    case through(HTTPProxy, to: String, port: UInt16)

    /// Through the proxy that the environment has for a server of TLS; nil: it has none for that.
    init?(through network: any Network, toTLS host: String, port: UInt16) throws(MediaError) {
      guard let proxy = try HTTPProxy.of(host, network.variable) else { return nil }
      self = .through(proxy, to: host, port: port)
    }

    /// The same for a server of HTTP; nil also without TLS.
    init?(through network: any Network, to url: HTTPURL) throws(MediaError) {
      guard url.isSecure else { return nil }
      try self.init(through: network, toTLS: url.host, port: url.port)
    }

    var description: String {
      switch self {
      case .address(let address): "at \(address)"
      case .through(let proxy, _, _): "through \(proxy)"
      }
    }
  }

  private enum Phase {
    case resolving
    case connecting
    /// The proxy.
    case asking
    case shaking
    case open
    case closed
  }

  private struct State: @unchecked Sendable {
    var phase = Phase.resolving
    /// Of a proxy's name.
    var lookup: NameLookup?
    var socket: (any StreamConnection)?
    var tunnel: HTTPTunnel?
    let tls: TLSMachine?
    var outbox: [UInt8] = []
    /// Of the outbox.
    var sent = 0
    var tag: UInt64?
    var isFull = false

    init(tls: TLSMachine?) { self.tls = tls }

    mutating func connect(to address: SocketAddress, on network: any Network) throws(MediaError) {
      (socket, phase) = (try network.connect(to: address), .connecting)
    }

    /// There is a way to the server itself.
    mutating func reach() {
      phase = tls == nil ? .open : .shaking
      tls?.takeOutput(&outbox)
    }
  }

  /// Nanoseconds until the connection is open, unless another time is given.
  static let patience: Int64 = 10_000_000_000
  /// Bytes that the server has not taken; what comes beyond is dropped, whole messages at a time.
  static let mostWaiting = 256 << 10

  private let patience: Int64
  private let deadline: Int64
  private let network: any Network
  private let thread: any DriverLoop
  private let state: Monitor<State>
  private let handle: @Sendable (TCPLink, Event) -> Void

  /// `trust`: over TLS; `host`: whom the server is called by, a name or an address. `patience`: nanoseconds until it has to be open, its
  /// handshake included. Throws what `Network.connect` and `TLSMachine` throw.
  init(
    to place: Place, _ trust: TLSTrust?, host: String? = nil, on network: any Network, _ thread: any DriverLoop,
    patience: Int64 = TCPLink.patience, handle: @escaping @Sendable (TCPLink, Event) -> Void
  ) throws(MediaError) {
    let name = host.flatMap { HostName($0) }?.description
    let tls = try trust.map { (trust) throws(MediaError) in try TLSMachine(client: trust, to: name, oldest: .tls12) }
    var state = State(tls: tls)
    switch place {
    case .address(let address): try state.connect(to: address, on: network)
    case .through(let proxy, let host, let port):
      state.tunnel = HTTPTunnel(proxy, to: host, port: port)
      if let address = SocketAddress(proxy.host, port: proxy.port) { try state.connect(to: address, on: network) }
    }
    (self.network, self.thread, self.handle, self.patience) = (network, thread, handle, patience)
    deadline = thread.clock.now() &+ patience
    self.state = Monitor(state)
  }

  /// One that a client has opened, without TLS.
  init(
    accepted socket: any StreamConnection, on network: any Network, _ thread: any DriverLoop,
    handle: @escaping @Sendable (TCPLink, Event) -> Void
  ) {
    (self.network, self.thread, self.handle, patience, deadline) = (network, thread, handle, TCPLink.patience, .max)
    var state = State(tls: nil)
    (state.socket, state.phase) = (socket, .open)
    self.state = Monitor(state)
  }

  /// `.closed`, `.io`: the network thread does not take it. `.invalid`: the proxy's name cannot be one.
  func start() throws(MediaError) {
    try watch()
    guard let proxy = state.withLock({ $0.phase == .resolving ? $0.tunnel?.proxy : nil }) else { return }
    guard let name = HostName(proxy.host) else {
      close()
      throw MediaError(.invalid, "\(proxy) has no host that can be one; accepted: an address, or \(HostName.accepted)")
    }
    let question = NameResolver.Question(name, port: proxy.port, isStream: true, isIPv6: nil)
    let lookup = network.names.look(up: question) { [self] in
      if let tag = state.withLock({ $0.tag }) { thread.wake(tag, at: .min) }
    }
    let isWanted = state.withLock { state in
      if state.phase == .resolving { state.lookup = lookup }
      return state.phase == .resolving
    }
    guard isWanted else { return lookup.cancel() }
    // The answer may have come meanwhile.
    if let tag = state.withLock({ $0.tag }) { thread.wake(tag, at: .min) }
  }

  /// With the socket that there is.
  private func watch() throws(MediaError) {
    let (descriptor, isConnecting) = state.withLock { ($0.socket?.descriptor, $0.phase == .connecting) }
    let tag = try thread.add(self, descriptor.map { [$0] } ?? [])
    let (isOpen, former) = state.withLock { state in
      guard state.phase != .closed else { return (false, UInt64?.none) }
      defer { state.tag = tag }
      return (true, state.tag)
    }
    if let former { thread.remove(former) }
    // It may have been closed meanwhile.
    guard isOpen else { return thread.remove(tag) }
    // It becomes writable when it is connected.
    if let descriptor, isConnecting { thread.setFull(true, descriptor, of: tag) }
  }

  /// While it is, `send` refuses what there is no room for.
  var isOpen: Bool { state.withLock { $0.phase == .open } }

  /// Whether the message goes, whole.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.phase == .open, state.outbox.count - state.sent + bytes.count <= TCPLink.mostWaiting else { return false }
      if let tls = state.tls {
        guard tls.send(bytes) else { return false }
        tls.takeOutput(&state.outbox)
      } else {
        state.outbox.append(contentsOf: bytes)
      }
      flush(&state)
      return true
    }
  }

  func close() {
    let (tag, former, lookup): (UInt64?, (any StreamConnection)?, NameLookup?) = state.withLock { state in
      if state.phase == .open, let tls = state.tls {
        tls.close()
        tls.takeOutput(&state.outbox)
        flush(&state)
      }
      (state.phase, state.outbox, state.sent) = (.closed, [], 0)
      return (state.tag.take(), state.socket.take(), state.lookup.take())
    }
    lookup?.cancel()
    if let tag { thread.remove(tag) }
    _ = former
  }

  private func flush(_ state: inout State) {
    guard let socket = state.socket else { return }
    if state.sent < state.outbox.count {
      let written = state.outbox.withUnsafeBytes { socket.write(UnsafeRawBufferPointer(rebasing: $0.dropFirst(state.sent))) }
      // That it is broken is found by reading.
      state.sent += written ?? (state.outbox.count - state.sent)
      if state.sent == state.outbox.count {
        state.outbox.removeAll(keepingCapacity: state.outbox.capacity <= 65_536)
        state.sent = 0
      }
    }
    let isFull = state.sent < state.outbox.count
    if isFull != state.isFull, let tag = state.tag {
      state.isFull = isFull
      thread.setFull(isFull, socket.descriptor, of: tag)
    }
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    if let end = resolve() { return finish(end) }
    if let end = connect() { return finish(end) }
    if isReadable, let end = read() { return finish(end) }
    state.withLock { flush(&$0) }
    guard state.withLock({ ![.open, .closed].contains($0.phase) }) else { return .max }
    guard thread.clock.now() < deadline else {
      return finish(.failed(MediaError(.timeout, "no connection came about within \(patience / 1_000_000_000) s")))
    }
    return deadline
  }

  private func finish(_ end: Event) -> Int64 {
    let isNews = state.withLock { $0.phase != .closed }
    close()
    if isNews { handle(self, end) }
    return .max
  }

  /// What has failed. The proxy's first address is the one that counts.
  private func resolve() -> Event? {
    let (isNews, failure): (Bool, MediaError?) = state.withLock { state in
      guard state.phase == .resolving, let proxy = state.tunnel?.proxy, let answer = state.lookup?.answer else { return (false, nil) }
      do throws(MediaError) {
        guard let address = try answer.get().first else { throw MediaError(.notFound, "its name has no address") }
        try state.connect(to: address, on: network)
        return (true, nil)
      } catch {
        return (false, MediaError(error.status, "\(proxy): \(error.text)"))
      }
    }
    if let failure { return .failed(failure) }
    guard isNews else { return nil }
    do throws(MediaError) {
      try watch()
      return nil
    } catch {
      return .failed(error)
    }
  }

  /// What has failed.
  private func connect() -> Event? {
    let (isOpen, failure): (Bool, Event?) = state.withLock { state in
      guard state.phase == .connecting, let socket = state.socket else { return (false, nil) }
      switch socket.connecting {
      case .waiting: return (false, nil)
      case .failed(let text): return (false, .failed(MediaError(.io, "\(state.tunnel.map { "\($0.proxy): " } ?? "")\(text)")))
      case .done: break
      }
      if let tag = state.tag { thread.setFull(false, socket.descriptor, of: tag) }
      guard let tunnel = state.tunnel else {
        state.reach()
        return (state.phase == .open, nil)
      }
      do throws(MediaError) {
        try tunnel.ask(&state.outbox, now: thread.clock.now())
      } catch {
        return (false, .failed(error))
      }
      state.phase = .asking
      return (false, nil)
    }
    if isOpen { handle(self, .opened) }
    return failure
  }

  /// Some 64 kB at most: the socket says again that there is more.
  private func read() -> Event? {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { memory in
      for _ in 0..<4 {
        guard let socket = state.withLock({ $0.phase == .connecting ? nil : $0.socket }) else { return nil }
        switch socket.read(into: memory) {
        case .bytes(let count):
          if let end = follow(UnsafeRawBufferPointer(rebasing: memory.prefix(count))) { return end }
        case .nothing: return nil
        case .end:
          return state.withLock { state in
            if state.phase == .asking, let proxy = state.tunnel?.proxy { return .failed(MediaError(.io, "\(proxy) closed the connection")) }
            // A handshake that ends so has failed.
            if state.phase == .shaking { return .failed(MediaError(.io, "the server closed the connection within the handshake of TLS")) }
            return .ended(isClean: state.tls == nil)
          }
        case .failed(let text): return .failed(MediaError(.io, text))
        }
      }
      return nil
    }
  }

  /// Of the proxy first.
  private func follow(_ bytes: UnsafeRawBufferPointer) -> Event? {
    let answer = state.withLock { state in
      let answer = state.phase == .asking ? state.tunnel?.receive(bytes, now: thread.clock.now()) : nil
      if case .open = answer { state.reach() }
      return answer
    }
    switch answer {
    case .waiting: return nil
    case .refused(let error): return .failed(error)
    case .open(let rest):
      if state.withLock({ $0.phase }) == .open { handle(self, .opened) }
      return rest.isEmpty ? nil : rest.withUnsafeBytes { take($0) }
    case nil: return take(bytes)
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> Event? {
    let (plain, isOpened, end): ([UInt8]?, Bool, Event?) = state.withLock { state in
      guard let tls = state.tls else { return (nil, false, nil) }
      var plain: [UInt8] = []
      tls.receive(bytes) { plain.append(contentsOf: $0) }
      tls.takeOutput(&state.outbox)
      let isOpened = tls.state == .open && state.phase == .shaking
      if isOpened { state.phase = .open }
      switch tls.state {
      case .failed(let error): return (plain, isOpened, .failed(error))
      case .closed: return (plain, isOpened, .ended(isClean: true))
      default: return (plain, isOpened, nil)
      }
    }
    if isOpened { handle(self, .opened) }
    if let plain {
      if !plain.isEmpty { plain.withUnsafeBytes { handle(self, .bytes($0)) } }
    } else {
      handle(self, .bytes(bytes))
    }
    return end
  }
}
