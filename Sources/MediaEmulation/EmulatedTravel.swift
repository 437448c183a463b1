import MediaCore
import MediaNetwork

/// What is on its way: over the sender's link, the path between the two machines, and the receiver's link.
extension EmulatedState {
  /// A part of a stream that was lost is sent again after so long, and twice as long each time (RFC 6298, with the least time of Linux).
  private static let retransmission: Int64 = 200_000_000
  private static let longestRetransmission: Int64 = 10_000_000_000

  mutating func send(
    _ content: EmulatedPacket.Content, from source: SocketAddress, of host: Int, to destination: SocketAddress, at now: Int64
  ) {
    travel(EmulatedPacket(content, from: source, of: host, to: destination), at: now)
  }

  mutating func travel(_ packet: EmulatedPacket, at now: Int64) {
    // A machine that has moved sends nothing from its former address.
    guard packet.links > 0 || owners[packet.source.with(port: 0)] == packet.host else { return lose(packet, at: now) }
    let begin = packet.links
    while packet.links < 3 {
      packet.links += 1
      guard let time = pass(packet.links - 1, packet, at: now) else { return lose(packet, at: now) }
      if time > now { return schedule(.travels(packet), at: time) }
    }
    // Never inside of the call that sends it.
    if begin == 0 { return schedule(.travels(packet), at: now) }
    guard let host = owners[packet.destination.with(port: 0)] else { return lose(packet, at: now) }
    deliver(packet, to: host, at: now)
  }

  /// When it is at the other side of that link; nil: never.
  private mutating func pass(_ link: Int, _ packet: EmulatedPacket, at now: Int64) -> Int64? {
    let size = packet.size
    if link == 0 { return hosts[packet.host].up.isPlain ? now : hosts[packet.host].up.carry(size, at: now) }
    guard let host = owners[packet.destination.with(port: 0)] else { return nil }
    if link == 2 { return hosts[host].down.isPlain ? now : hosts[host].down.carry(size, at: now) }
    let pair = Pair(source: packet.host, destination: host)
    guard between[pair]?.isPlain == false else { return now }
    return between[pair]?.carry(size, at: now)
  }

  private mutating func lose(_ packet: EmulatedPacket, at now: Int64) {
    switch packet.content {
    case .datagram:
      lostDatagrams += 1
      return
    case .opening(let client), .opened(let client, _), .refusal(let client): guard sockets[client] != nil else { return }
    case .piece(_, _, let to, let from):
      // Nobody is left at either end, or nobody to whom it matters.
      guard sockets[to] != nil || sockets[from] != nil, (sockets[from] as? EmulatedStreamSocket)?.failure == nil else { return }
    case .reset: return
    }
    let pause = min(EmulatedState.retransmission << Int64(min(packet.losses, 6)), EmulatedState.longestRetransmission)
    (packet.links, packet.losses) = (0, packet.losses + 1)
    schedule(.travels(packet), at: now &+ pause)
  }

  private mutating func deliver(_ packet: EmulatedPacket, to host: Int, at now: Int64) {
    switch packet.content {
    case .datagram(let bytes):
      guard let socket = find(packet.destination, of: host, \.datagrams) as? EmulatedDatagramSocket,
        socket.queuedBytes + bytes.count <= EmulatedDatagramSocket.mostBytes
      else {
        lostDatagrams += 1
        return
      }
      deliveredDatagrams += 1
      socket.queue.append((bytes, packet.source))
      socket.queuedBytes += bytes.count
      look(socket.descriptor, now: now)
    case .opening(let client):
      guard let listener = find(packet.destination, of: host, \.listeners) as? EmulatedListenerSocket else {
        return send(.refusal(client: client), from: packet.destination, of: host, to: packet.source, at: now)
      }
      guard listener.pending.count < EmulatedListenerSocket.backlog else { return lose(packet, at: now) }
      let server = EmulatedStreamSocket(
        takeDescriptor(), host: host, local: packet.destination, remote: packet.source, peer: client)
      // What it has not read is counted where it is written.
      (sockets[client] as? EmulatedStreamSocket)?.window = listener.window
      sockets[server.descriptor] = server
      listener.pending.append(server.descriptor)
      send(.opened(client: client, server: server.descriptor), from: packet.destination, of: host, to: packet.source, at: now)
      look(listener.descriptor, now: now)
    case .opened(let client, let server):
      guard let socket = sockets[client] as? EmulatedStreamSocket, socket.failure == nil else {
        return send(.reset(server), from: packet.destination, of: host, to: packet.source, at: now)
      }
      socket.peer = server
      look(client, now: now)
    case .refusal(let client): fail(client, "Connection refused", at: now)
    case .piece(let piece, let number, let to, let from):
      guard let socket = sockets[to] as? EmulatedStreamSocket, !socket.isShut else {
        // Nobody reads it any more.
        if !piece.bytes.isEmpty { send(.reset(from), from: packet.destination, of: host, to: packet.source, at: now) }
        return
      }
      socket.early[number] = piece
      while let next = socket.early.removeValue(forKey: socket.expected) {
        socket.expected += 1
        socket.inbox += next.bytes
        if next.isLast { socket.hasEnded = true }
      }
      look(to, now: now)
    case .reset(let to): fail(to, "Connection reset by peer", at: now)
    }
  }

  mutating func fail(_ descriptor: Int32, _ words: String, at now: Int64) {
    guard let socket = sockets[descriptor] as? EmulatedStreamSocket else { return }
    socket.failure = socket.failure ?? words
    socket.early = [:]
    look(descriptor, now: now)
  }

  // MARK: Streams

  mutating func write(_ bytes: [UInt8], isLast: Bool = false, on socket: EmulatedStreamSocket, at now: Int64) {
    guard let peer = socket.peer else { return }
    let piece = EmulatedPacket.Piece(bytes: bytes, isLast: isLast)
    socket.outstanding += bytes.count
    defer { socket.sent += 1 }
    send(
      .piece(piece, number: socket.sent, to: peer, from: socket.descriptor), from: socket.local, of: socket.host, to: socket.remote, at: now
    )
  }

  /// Its last reference goes. Bytes that were not read take back what was said (RFC 1122, section 4.2.2.13).
  mutating func close(_ socket: EmulatedStreamSocket, at now: Int64) {
    if socket.failure == nil {
      if socket.taken < socket.inbox.count, let peer = socket.peer {
        send(.reset(peer), from: socket.local, of: socket.host, to: socket.remote, at: now)
      } else if !socket.isShut, !socket.isWritten {
        write([], isLast: true, on: socket, at: now)
      }
    }
    forget(socket)
  }

  mutating func close(_ listener: EmulatedListenerSocket, at now: Int64) {
    hosts[listener.host].listeners[listener.local.port]?.removeAll { $0 == listener.descriptor }
    for descriptor in listener.pending {
      guard let socket = sockets[descriptor] as? EmulatedStreamSocket, let peer = socket.peer else { continue }
      send(.reset(peer), from: socket.local, of: socket.host, to: socket.remote, at: now)
      forget(socket)
    }
    forget(listener)
  }
}
