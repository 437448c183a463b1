import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTLS

/// A connection to a server over TCP, or TLS over it: a relay's (RFC 8656, section 3.1), or one of HTTP. The network thread connects and reads; one
/// thread at a time writes.
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

  private enum Phase {
    case connecting
    case shaking
    case open
    case closed
  }

  private struct State: @unchecked Sendable {
    var phase = Phase.connecting
    var socket: (any StreamConnection)?
    let tls: TLSMachine?
    var outbox: [UInt8] = []
    /// Of the outbox.
    var sent = 0
    var tag: UInt64?
    var isFull = false
  }

  /// Nanoseconds until the connection is open, unless another time is given.
  static let patience: Int64 = 10_000_000_000
  /// Bytes that the server has not taken; what comes beyond is dropped, whole messages at a time.
  static let mostWaiting = 256 << 10

  private let descriptor: Int32
  private let patience: Int64
  private let deadline: Int64
  private let thread: any DriverLoop
  private let state: Monitor<State>
  private let handle: @Sendable (TCPLink, Event) -> Void

  /// `trust`: over TLS; `host`: whom the server is called by, a name or an address. `patience`: nanoseconds until it has to be open, its
  /// handshake included. Throws what `Network.connect` and `TLSMachine` throw.
  init(
    to address: SocketAddress, _ trust: TLSTrust?, host: String? = nil, on network: any Network, _ thread: any DriverLoop,
    patience: Int64 = TCPLink.patience, handle: @escaping @Sendable (TCPLink, Event) -> Void
  ) throws(MediaError) {
    let name = host.flatMap { HostName($0) }?.description
    let tls = try trust.map { (trust) throws(MediaError) in try TLSMachine(client: trust, to: name, oldest: .tls12) }
    let socket = try network.connect(to: address)
    (self.thread, self.handle, self.patience, descriptor) = (thread, handle, patience, socket.descriptor)
    deadline = thread.clock.now() &+ patience
    state = Monitor(State(socket: socket, tls: tls))
  }

  /// `.closed`, `.io`: the network thread does not take it.
  func start() throws(MediaError) {
    let tag = try thread.add(self, [descriptor])
    let isOpen = state.withLock { state in
      if state.phase != .closed { state.tag = tag }
      return state.phase != .closed
    }
    // It may have been closed meanwhile.
    guard isOpen else { return thread.remove(tag) }
    // It becomes writable when it is connected.
    thread.setFull(true, descriptor, of: tag)
  }

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
    let (tag, former): (UInt64?, (any StreamConnection)?) = state.withLock { state in
      if state.phase == .open, let tls = state.tls {
        tls.close()
        tls.takeOutput(&state.outbox)
        flush(&state)
      }
      (state.phase, state.outbox, state.sent) = (.closed, [], 0)
      return (state.tag.take(), state.socket.take())
    }
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
      thread.setFull(isFull, descriptor, of: tag)
    }
  }

  // MARK: The network thread

  func drive(isReadable: Bool) -> Int64 {
    if let end = connect() { return finish(end) }
    if isReadable, let end = read() { return finish(end) }
    state.withLock { flush(&$0) }
    let isWaiting = state.withLock { $0.phase == .connecting || $0.phase == .shaking }
    guard isWaiting else { return .max }
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

  /// What has failed.
  private func connect() -> Event? {
    let (isOpen, failure): (Bool, Event?) = state.withLock { state in
      guard state.phase == .connecting, let socket = state.socket else { return (false, nil) }
      switch socket.connecting {
      case .waiting: return (false, nil)
      case .failed(let text): return (false, .failed(MediaError(.io, text)))
      case .done: break
      }
      if let tag = state.tag { thread.setFull(false, descriptor, of: tag) }
      guard let tls = state.tls else {
        state.phase = .open
        return (true, nil)
      }
      state.phase = .shaking
      tls.takeOutput(&state.outbox)
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
          if let end = take(UnsafeRawBufferPointer(rebasing: memory.prefix(count))) { return end }
        case .nothing: return nil
        case .end:
          return state.withLock { state in
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
