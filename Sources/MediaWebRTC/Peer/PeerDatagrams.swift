import MediaCore
import MediaICE
import MediaNetwork
import MediaRTP
import MediaSDP

/// Datagrams in both directions, and time.
extension PeerConnection {
  /// Whatever came to a base of `ice`. false: it was of a stranger, or not understood.
  @discardableResult
  public func receive(_ datagram: UnsafeRawBufferPointer, on base: ICEBase, from address: SocketAddress, now: Int64) -> Bool {
    guard state != .closed else { return false }
    switch ice.receive(datagram, on: base, from: address, now: now) {
    case .consumed: return true
    case .refused: return false
    case .application(let bytes): return receive(application: bytes, from: address, now: now)
    }
  }

  /// Bytes of a connection to a relay (`PeerEvent.connect`), in any pieces.
  public func receive(stream bytes: UnsafeRawBufferPointer, on base: ICEBase, now: Int64) {
    guard state != .closed else { return }
    let address = route?.remote ?? SocketAddress(v4: 0, port: 0)
    ice.receive(stream: bytes, on: base, now: now) { arrival in
      if case .application(let bytes) = arrival { _ = receive(application: bytes, from: address, now: now) }
    }
  }

  /// By the first byte (RFC 7983).
  private func receive(application bytes: UnsafeRawBufferPointer, from address: SocketAddress, now: Int64) -> Bool {
    switch DatagramKind(bytes) {
    case .dtls:
      receive(handshake: bytes, now: now)
      return true
    case .rtp:
      counts.bytesReceived &+= UInt64(clamping: bytes.count)
      // Also before the keys are there: a few wait for them.
      return peer.receive(bytes, from: address, now: now)
    default:
      counts.unknown &+= 1
      return false
    }
  }

  /// Does what is due. `send` sends packets of media on the route's base, from a datagram of the batch on, and returns how many went. Returns when it
  /// wants to be called again, at the latest.
  public func poll(now: Int64, _ send: (ICERoute, DatagramBatch, Int) -> DatagramSending) -> Int64 {
    guard state != .closed else { return .max }
    var deadline = ice.poll(now: now)
    drainPath(now: now)
    advanceHandshake(now: now)
    if let dtls {
      deadline = min(deadline, dtls.poll(now: now))
      takeKeys(now: now)
      advanceChannels(now: now)
      drainHandshake()
    }
    deadline = min(deadline, pollChannels(now: now))
    let route = route
    deadline = min(deadline, peer.poll(now: now) { if let route { send(route, $1, $2) } else { .all } })
    updateState(now: now)
    return max(now, deadline)
  }

  /// What the agent has to say and to send.
  func drainPath(now: Int64) {
    while outbox.count < PeerConnection.mostOutgoing, let datagram = ice.takeDatagram() { outbox.append(datagram) }
    while let event = ice.takeEvent() {
      switch event {
      case .candidate(let candidate): found(candidate)
      case .gatheringComplete:
        signalling.endCandidates()
        events.append(.candidatesComplete)
      case .state: updateState(now: now)
      case .route(let route): follow(route, now: now)
      case .role: break
      case .connect(let base, let address, let relay): events.append(.connect(base, to: address, relay))
      case .disconnect(let base): events.append(.disconnect(base))
      case .serverFailed(let address, let code, let text): events.append(.serverFailed(address, code: code, text))
      }
    }
  }

  private func found(_ candidate: Candidate) {
    signalling.add(candidate)
    guard let mid = signalling.transportName else { return }
    events.append(.candidate(candidate, mid: mid, user: ice.local.user))
  }

  func follow(_ route: ICERoute?, now: Int64) {
    guard state != .closed else { return }
    self.route = route
    peer.select(route?.destination)
    // A route that the other end chose may not have been checked from here yet.
    if let time = ice.leastRoundTrip { peer.session.checkedRoundTrip = time }
    if let route, route.isWrapped {
      peer.wrap(.init(headRoom: ICERoute.headRoom, tailRoom: ICERoute.tailRoom) { route.wrap($0, payload: $1) })
    } else {
      peer.wrap(nil)
    }
    advanceHandshake(now: now)
    drainHandshake()
  }
}
