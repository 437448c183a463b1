import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime
import MediaTLS

/// A connection to a relay over TCP, or TLS over it (RFC 8656, section 3.1), and the base of ICE that it is. The network thread connects and reads;
/// whoever has the driver's lock writes.
final class RelayLink: NetworkDriver {
  /// What becomes of it, on the network thread, where nothing is locked.
  enum Event {
    case opened
    case bytes(UnsafeRawBufferPointer)
    /// Nothing follows.
    case failed(String)
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

  /// Until the connection is open, its handshake included.
  static let patience: Int64 = 10_000_000_000
  /// Bytes that the relay has not taken; what comes beyond is dropped, whole messages at a time.
  static let mostWaiting = 256 << 10

  let base: ICEBase
  private let descriptor: Int32
  private let deadline: Int64
  private let thread: any DriverLoop
  private let state: Monitor<State>
  private let handle: @Sendable (RelayLink, Event) -> Void

  /// `trust`: of a relay over TLS. Throws what `Network.connect` and `TLSMachine` throw.
  init(
    _ base: ICEBase, to address: SocketAddress, _ trust: TLSTrust?, on network: any Network, _ thread: any DriverLoop,
    handle: @escaping @Sendable (RelayLink, Event) -> Void
  ) throws(MediaError) {
    let tls = try trust.map { (trust) throws(MediaError) in try TLSMachine(client: trust) }
    let socket = try network.connect(to: address)
    (self.base, self.thread, self.handle, descriptor) = (base, thread, handle, socket.descriptor)
    deadline = thread.clock.now() &+ RelayLink.patience
    state = Monitor(State(socket: socket, tls: tls))
  }

  /// `.closed`, `.io`: the network thread does not take it.
  func start() throws(MediaError) {
    let tag = try thread.add(self, [descriptor])
    state.withLock { $0.tag = tag }
    // It becomes writable when it is connected.
    thread.setFull(true, descriptor, of: tag)
  }

  /// Whether the message goes, whole.
  func send(_ bytes: UnsafeRawBufferPointer) -> Bool {
    state.withLock { state in
      guard state.phase == .open, state.outbox.count - state.sent + bytes.count <= RelayLink.mostWaiting else { return false }
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
    if let failure = connect() { return fail(failure) }
    if isReadable, let failure = read() { return fail(failure) }
    state.withLock { flush(&$0) }
    let isWaiting = state.withLock { $0.phase == .connecting || $0.phase == .shaking }
    guard isWaiting else { return .max }
    return thread.clock.now() >= deadline ? fail("no connection came about within 10 s") : deadline
  }

  private func fail(_ text: String) -> Int64 {
    let isNews = state.withLock { $0.phase != .closed }
    close()
    if isNews { handle(self, .failed(text)) }
    return .max
  }

  /// What has failed.
  private func connect() -> String? {
    let (isOpen, failure): (Bool, String?) = state.withLock { state in
      guard state.phase == .connecting, let socket = state.socket else { return (false, nil) }
      switch socket.connecting {
      case .waiting: return (false, nil)
      case .failed(let text): return (false, text)
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
  private func read() -> String? {
    withUnsafeTemporaryAllocation(byteCount: 16_384, alignment: 16) { memory in
      for _ in 0..<4 {
        guard let socket = state.withLock({ $0.phase == .connecting ? nil : $0.socket }) else { return nil }
        switch socket.read(into: memory) {
        case .bytes(let count):
          if let failure = take(UnsafeRawBufferPointer(rebasing: memory.prefix(count))) { return failure }
        case .nothing: return nil
        case .end: return "the relay closed the connection"
        case .failed(let text): return text
        }
      }
      return nil
    }
  }

  private func take(_ bytes: UnsafeRawBufferPointer) -> String? {
    let (plain, isOpened, failure): ([UInt8]?, Bool, String?) = state.withLock { state in
      guard let tls = state.tls else { return (nil, false, nil) }
      var plain: [UInt8] = []
      tls.receive(bytes) { plain.append(contentsOf: $0) }
      tls.takeOutput(&state.outbox)
      let isOpened = tls.state == .open && state.phase == .shaking
      if isOpened { state.phase = .open }
      switch tls.state {
      case .failed(let error): return (plain, isOpened, error.text)
      case .closed: return (plain, isOpened, "the relay closed the connection")
      default: return (plain, isOpened, nil)
      }
    }
    if isOpened { handle(self, .opened) }
    if let plain {
      if !plain.isEmpty { plain.withUnsafeBytes { handle(self, .bytes($0)) } }
    } else {
      handle(self, .bytes(bytes))
    }
    return failure
  }
}
