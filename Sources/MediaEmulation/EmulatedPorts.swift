import Glibc
import MediaCore
import MediaNetwork

/// A socket of UDP of an emulated machine.
final class EmulatedDatagramPort: DatagramPort {
  private let network: EmulatedNetwork
  private let local: SocketAddress
  private(set) var descriptor: Int32

  init(_ network: EmulatedNetwork, _ descriptor: Int32, _ local: SocketAddress) {
    (self.network, self.descriptor, self.local) = (network, descriptor, local)
  }

  deinit { close() }

  var localAddress: SocketAddress? { descriptor < 0 ? nil : local }

  func close() {
    guard descriptor >= 0 else { return }
    network.note { state, _ in
      guard let socket = state.sockets[descriptor] else { return }
      state.hosts[socket.host].datagrams[local.port]?.removeAll { $0 == descriptor }
      state.forget(socket)
    }
    descriptor = -1
  }

  func join(_ group: SocketAddress) throws(MediaError) {
    throw MediaError(.unsupported, "cannot join \(group.host): an emulated network has no multicast")
  }

  func receive(_ rows: DatagramRows) -> Int {
    rows.clear()
    let taken: [(bytes: [UInt8], from: SocketAddress)] = network.note { state, _ in
      guard let socket = state.sockets[descriptor] as? EmulatedDatagramSocket else { return [] }
      let taken = Array(socket.queue.prefix(DatagramRows.capacity))
      socket.queue.removeFirst(taken.count)
      socket.queuedBytes -= taken.reduce(0) { $0 + $1.bytes.count }
      return taken
    }
    for datagram in taken { _ = datagram.bytes.withUnsafeBytes { rows.append($0, from: datagram.from) } }
    return taken.count
  }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    var datagrams: [(bytes: [UInt8], to: SocketAddress)] = []
    batch.forEach(from: first) { datagrams.append((Array($0), $1)) }
    return network.note { state, now in
      guard let socket = state.sockets[descriptor] else { return .failed(0, errno: EBADF) }
      for (index, datagram) in datagrams.enumerated() {
        guard datagram.to.isIPv6 == local.isIPv6, let source = state.source(local, of: socket.host) else {
          return .failed(index, errno: ENETUNREACH)
        }
        state.send(.datagram(datagram.bytes), from: source, of: socket.host, to: datagram.to, at: now)
      }
      return .all
    }
  }
}

/// A port of TCP of an emulated machine.
final class EmulatedStreamPort: StreamPort {
  private let network: EmulatedNetwork
  let descriptor: Int32
  let localAddress: SocketAddress?

  init(_ network: EmulatedNetwork, _ descriptor: Int32, _ local: SocketAddress) {
    (self.network, self.descriptor, localAddress) = (network, descriptor, local)
  }

  deinit {
    network.note { state, now in
      if let listener = state.sockets[descriptor] as? EmulatedListenerSocket { state.close(listener, at: now) }
    }
  }

  private func next() -> Int32? {
    network.note { state, _ in
      guard let listener = state.sockets[descriptor] as? EmulatedListenerSocket, !listener.pending.isEmpty else { return nil }
      return listener.pending.removeFirst()
    }
  }

  func accept() -> StreamAccepting { next().map { .stranger(EmulatedConnection(network, $0)) } ?? .nobody }

  func turnAway() -> Bool {
    guard let stranger = next() else { return false }
    // Its end closes it.
    _ = EmulatedConnection(network, stranger)
    return true
  }
}

/// A connection of TCP of an emulated machine.
final class EmulatedConnection: StreamConnection {
  private let network: EmulatedNetwork
  let descriptor: Int32

  init(_ network: EmulatedNetwork, _ descriptor: Int32) {
    (self.network, self.descriptor) = (network, descriptor)
  }

  deinit { with { $0.close($1, at: $2) } }

  @discardableResult
  private func with<Result>(_ body: (inout EmulatedState, EmulatedStreamSocket, _ now: Int64) -> Result) -> Result? {
    network.note { state, now in (state.sockets[descriptor] as? EmulatedStreamSocket).map { body(&state, $0, now) } }
  }

  var remoteAddress: SocketAddress? { with { _, socket, _ in socket.failure == nil ? socket.remote : nil } ?? nil }

  var localAddress: SocketAddress? { with { _, socket, _ in socket.failure == nil ? socket.local : nil } ?? nil }

  var connecting: StreamConnecting {
    with { _, socket, _ in socket.failure.map { .failed($0) } ?? (socket.peer == nil ? .waiting : .done) } ?? .failed("Bad file descriptor")
  }

  func read(into memory: UnsafeMutableRawBufferPointer) -> StreamReading {
    with { state, socket, now in
      guard !socket.isShut else { return .end }
      let count = min(memory.count, socket.inbox.count - socket.taken)
      guard count > 0 else {
        if let failure = socket.failure { return .failed(failure) }
        return socket.hasEnded ? .end : .nothing
      }
      socket.inbox.withUnsafeBytes { memory.copyMemory(from: UnsafeRawBufferPointer(rebasing: $0[socket.taken..<socket.taken + count])) }
      socket.taken += count
      if socket.taken == socket.inbox.count { (socket.inbox, socket.taken) = ([], 0) }
      if let peer = socket.peer.flatMap({ state.sockets[$0] as? EmulatedStreamSocket }) {
        peer.outstanding -= count
        state.look(peer.descriptor, now: now)
      }
      return .bytes(count)
    } ?? .end
  }

  func write(_ bytes: UnsafeRawBufferPointer) -> Int? {
    with { state, socket, now in
      guard socket.failure == nil, !socket.isShut, !socket.isWritten else { return nil }
      let count = socket.peer == nil ? 0 : min(bytes.count, socket.window - socket.outstanding)
      if count > 0 { state.write(Array(bytes.prefix(count)), on: socket, at: now) }
      return max(0, count)
    } ?? nil
  }

  func endWriting() {
    with { state, socket, now in
      guard socket.failure == nil, !socket.isShut, !socket.isWritten else { return }
      socket.isWritten = true
      state.write([], isLast: true, on: socket, at: now)
    }
  }

  func shut() {
    with { state, socket, now in
      guard !socket.isShut else { return }
      if socket.failure == nil, !socket.isWritten { state.write([], isLast: true, on: socket, at: now) }
      socket.isShut = true
      state.look(socket.descriptor, now: now)
    }
  }
}
