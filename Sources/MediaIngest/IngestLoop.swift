import CLinux
import Glibc
import MediaCore

/// What a door's thread does: waits for its sockets, moves bytes between them and the protocol, and hands frames on. Used by that thread
/// alone.
final class IngestLoop: @unchecked Sendable {
  /// Of those who have not proved their token, by TCP and by Unix socket each.
  static let mostWaiting = 32
  private static let mostLeaving = 64
  private static let goodbye: Int64 = 1_000_000_000
  private static let pause: Int64 = 100_000_000
  /// Bytes of one connection before others have their turn.
  private static let turn = 8 << 20
  private static let firstPeer: UInt64 = 16

  private let listeners: [IngestListener]
  private let rules: IngestRules
  private let mailbox: IngestMailbox
  private let delegate: any IngestDelegate
  private let epoll: Int32
  private var peers: [UInt64: IngestPeer] = [:]
  private var feeder: UInt64?
  private var nextPeer = IngestLoop.firstPeer
  /// No descriptor was left: nobody is let in until then.
  private var pausedUntil: Int64?
  private let frames = BufferPool(limit: 8)
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

  init(
    _ listeners: [IngestListener], _ rules: IngestRules, _ mailbox: IngestMailbox, _ delegate: any IngestDelegate
  ) throws(MediaError) {
    self.listeners = listeners
    self.rules = rules
    self.mailbox = mailbox
    self.delegate = delegate
    epoll = msdk_epoll_create()
    guard epoll >= 0 else { throw MediaError(.noMemory, "out of file descriptors: epoll_create1 failed with errno \(errno)") }
    msdk_epoll_add(epoll, mailbox.descriptor, UInt32(MSDK_POLL_IN), 0)
    for (index, listener) in listeners.enumerated() {
      msdk_epoll_add(epoll, listener.descriptor, UInt32(MSDK_POLL_IN), UInt64(index + 1))
    }
  }

  deinit {
    Glibc.close(epoll)
    scratch.deallocate()
  }

  // MARK: Steps

  /// Waits until something happens, and does what follows from it.
  func step() {
    withUnsafeTemporaryAllocation(of: msdk_ready.self, capacity: 32) { ready in
      let count = msdk_epoll_wait(epoll, ready.baseAddress, 32, timeout())
      for event in ready.prefix(max(0, Int(count))) { serve(event) }
    }
    expire()
  }

  private func timeout() -> Int64 {
    var soonest = pausedUntil ?? .max
    for peer in peers.values { soonest = min(soonest, peer.leavesAt ?? peer.machine.deadline) }
    guard soonest != .max else { return -1 }
    return max(0, soonest - MediaTime.monotonic())
  }

  private func serve(_ event: msdk_ready) {
    if event.tag == 0 { return readMail() }
    if event.tag < IngestLoop.firstPeer { return accept(on: listeners[Int(event.tag) - 1]) }
    guard let peer = peers[event.tag] else { return }
    if event.events & UInt32(MSDK_POLL_OUT) != 0 {
      peer.flush()
      watch(peer)
    }
    if event.events & ~UInt32(MSDK_POLL_OUT) != 0 { read(peer) }
  }

  private func readMail() {
    let mail = mailbox.take()
    for (id, slot) in mail.released {
      if let peer = peers[id], peer.leavesAt == nil, peer.machine.release(slot) { answer(peer, IngestAnswer.release(slot)) }
    }
    if mail.wantsKeyFrame, let feeder, let peer = peers[feeder] { answer(peer, IngestAnswer.keyFrame) }
  }

  private func expire() {
    let now = MediaTime.monotonic()
    if let until = pausedUntil, now >= until {
      pausedUntil = nil
      for (index, listener) in listeners.enumerated() {
        msdk_epoll_change(epoll, listener.descriptor, UInt32(MSDK_POLL_IN), UInt64(index + 1))
      }
    }
    for peer in Array(peers.values) {
      if let end = peer.leavesAt {
        if now >= end { remove(peer) }
        continue
      }
      do throws(IngestRefusal) {
        try peer.machine.check(at: now)
      } catch {
        refuse(peer, error)
      }
    }
  }

  // MARK: Coming

  private func accept(on listener: IngestListener) {
    for _ in 0..<64 {
      let descriptor = msdk_accept(listener.descriptor)
      guard descriptor >= 0 else { return pauseIfFull() }
      var one: Int32 = 1
      if !listener.isUnix { setsockopt(descriptor, Int32(IPPROTO_TCP), TCP_NODELAY, &one, 4) }
      guard let route = IngestRoute(of: descriptor, isUnix: listener.isUnix) else {
        Glibc.close(descriptor)
        continue
      }
      let machine = IngestConnection(rules, by: route, nonce: IngestExchange.freshNonce(), at: MediaTime.monotonic())
      let peer = IngestPeer(nextPeer, descriptor, isUnix: listener.isUnix, machine)
      nextPeer += 1
      peers[peer.id] = peer
      msdk_epoll_add(epoll, descriptor, UInt32(MSDK_POLL_IN), peer.id)
      if listener.isUnix, msdk_peer_user(descriptor) != Int64(geteuid()) { refuse(peer, .notAdmitted) }
      // Who has proved their token already, or has gone again, does not wait among those who have not.
      read(peer)
      makeRoom(byUnix: peer.isUnix)
    }
  }

  private func pauseIfFull() {
    guard [EMFILE, ENFILE, ENOMEM, ENOBUFS].contains(errno) else { return }
    pausedUntil = MediaTime.monotonic() + IngestLoop.pause
    for (index, listener) in listeners.enumerated() { msdk_epoll_change(epoll, listener.descriptor, 0, UInt64(index + 1)) }
  }

  private func isWaiting(_ peer: IngestPeer) -> Bool {
    !peer.machine.isAdmitted && peer.leavesAt == nil && peers[peer.id] != nil
  }

  /// Anybody may connect by TCP: they take no place from those by Unix socket, who are this user's. Who has said nothing goes first.
  private func makeRoom(byUnix isUnix: Bool) {
    while true {
      let waiting = peers.values.filter { $0.isUnix == isUnix && isWaiting($0) }
      let rank = { (peer: IngestPeer) in (peer.machine.isChallenged ? 1 : 0, peer.id) }
      guard waiting.count > IngestLoop.mostWaiting, let last = waiting.min(by: { rank($0) < rank($1) }) else { break }
      // What they say next may have come meanwhile.
      let before = rank(last)
      read(last)
      if isWaiting(last), rank(last) == before { refuse(last, IngestRefusal(.crowded, "too many connections wait for the handshake")) }
    }
    let leaving = peers.values.filter { $0.leavesAt != nil }
    if leaving.count > IngestLoop.mostLeaving, let oldest = leaving.min(by: { $0.id < $1.id }) { remove(oldest) }
  }

  // MARK: Reading

  private func read(_ peer: IngestPeer) {
    var left = IngestLoop.turn
    while left > 0, peers[peer.id] != nil {
      let isPayload = peer.leavesAt == nil && peer.machine.payloadLeft > 0
      let arrival = peer.receive(into: room(peer, isPayload))
      guard case .bytes(let count, let descriptors) = arrival else {
        if case .gone = arrival { gone(peer) }
        return
      }
      left -= count
      guard peer.leavesAt == nil else { continue }
      do throws(IngestRefusal) {
        let event: IngestConnection.Event?
        if isPayload {
          peer.advance(count)
          event = try peer.machine.receivedPayload(count, descriptors: descriptors, at: MediaTime.monotonic())
        } else {
          event = try peer.machine.receive(
            UnsafeRawBufferPointer(rebasing: scratch.prefix(count)), descriptors: descriptors, at: MediaTime.monotonic(),
            isTaken: feeder != nil)
        }
        if let event { try handle(event, peer) }
      } catch {
        refuse(peer, error)
      }
    }
  }

  /// Payload goes straight to where it belongs, the rest through scratch memory.
  private func room(_ peer: IngestPeer, _ isPayload: Bool) -> UnsafeMutableRawBufferPointer {
    guard peer.leavesAt == nil else { return scratch }
    guard isPayload else { return UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(peer.machine.wanted)) }
    return peer.destination ?? UnsafeMutableRawBufferPointer(rebasing: scratch.prefix(peer.machine.payloadLeft))
  }

  private func handle(_ event: IngestConnection.Event, _ peer: IngestPeer) throws(IngestRefusal) {
    switch event {
    case .greeted(let challenge): answer(peer, challenge)
    case .admitted:
      feeder = peer.id
      answer(peer, IngestAnswer.welcome(rules, hasSlots: peer.isUnix))
      delegate.feederConnected(by: peer.isUnix ? "unix" : "tcp")
    case .frameBegan(let header): peer.begin(header, from: frames)
    case .frameEnded:
      guard let (header, frame, bytes) = peer.finish() else { return }
      let timestamp = header.captured(arriving: MediaTime.monotonic())
      if header.codec != 0 { return try delegate.received(encoded: bytes, header, timestamp: timestamp) }
      if let frame { try deliver(frame, header, timestamp) }
    case .slot(let id, let size):
      let descriptor = peer.takeDescriptor()
      defer { Glibc.close(descriptor) }
      peer.slots[id] = try IngestSharedMemory(descriptor, id: id, size: size, connection: peer.id, mailbox: mailbox)
    case .slotFrame(let id, let header):
      let timestamp = header.captured(arriving: MediaTime.monotonic())
      if let frame = try? peer.slots[id]?.frame(header) {
        try deliver(frame, header, timestamp)
      } else {
        mailbox.released(id, of: peer.id)
      }
    case .forget(let id): peer.slots[id] = nil
    case .bye: end(peer, nil)
    }
  }

  private func deliver(_ frame: VideoFrame, _ header: IngestFrame, _ timestamp: Int64) throws(IngestRefusal) {
    defer { frame.release() }
    frame.native.pointee.timestamp_ns = timestamp
    frame.native.pointee.orientation = header.orientation
    try delegate.received(frame)
  }

  // MARK: Answering

  private func answer(_ peer: IngestPeer, _ bytes: [UInt8]) {
    guard peer.answer(bytes) else { return refuse(peer, IngestRefusal(.stalled, "the feeder does not read the session's messages")) }
    watch(peer)
  }

  private func watch(_ peer: IngestPeer) {
    let out = peer.hasAnswers ? UInt32(MSDK_POLL_OUT) : 0
    guard peer.isWatchedForRoom != peer.hasAnswers else { return }
    peer.isWatchedForRoom = peer.hasAnswers
    msdk_epoll_change(epoll, peer.descriptor, UInt32(MSDK_POLL_IN) | out, peer.id)
  }

  // MARK: Going

  /// Tells it why. It stays for a moment, since closing a socket in which bytes wait would take the words back.
  private func refuse(_ peer: IngestPeer, _ refusal: IngestRefusal) {
    guard peer.leavesAt == nil, peers[peer.id] != nil else { return }
    peer.leavesAt = MediaTime.monotonic() + IngestLoop.goodbye
    peer.slots = [:]
    _ = peer.answer(IngestAnswer.refused(refusal))
    shutdown(peer.descriptor, Int32(SHUT_WR))
    if feeder == peer.id {
      feeder = nil
      delegate.feederLeft(refusal)
    } else {
      delegate.connectionRefused(refusal)
    }
  }

  private func gone(_ peer: IngestPeer) {
    end(peer, IngestRefusal(.none, "the feeder closed the connection"))
  }

  private func end(_ peer: IngestPeer, _ reason: IngestRefusal?) {
    remove(peer)
    guard feeder == peer.id else { return }
    feeder = nil
    delegate.feederLeft(reason)
  }

  /// The socket is closed when the last to use it lets go.
  private func remove(_ peer: IngestPeer) {
    peers[peer.id] = nil
  }

  func close() {
    for listener in listeners { listener.close() }
    for peer in Array(peers.values) {
      refuse(peer, IngestRefusal(.closed, "the session closed its local ingest"))
      while case .bytes = peer.receive(into: scratch) {}
      remove(peer)
    }
  }
}
