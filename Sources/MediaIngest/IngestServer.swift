import Glibc
import MediaCore
import MediaNetwork
import MediaRuntime

/// What a local ingest does as its loop drives it: moves bytes between connections and the protocol, and hands frames on. Used by the loop's thread
/// alone, behind the gate; what is last is done by whoever closes it.
final class IngestServer: @unchecked Sendable {
  /// Of those who have not proved their token, by TCP and by Unix socket each.
  static let mostWaiting = 32
  private static let mostLeaving = 64
  static let goodbye: Int64 = 1_000_000_000
  private static let pause: Int64 = 100_000_000
  private static let mostKnocks = 64
  /// Bytes of one connection before others are served.
  private static let mostBytes = 8 << 20

  let mailbox = IngestMailbox()
  private let gate = IngestGate()
  private let loop: any DriverLoop
  private let rules: IngestRules
  private let delegate: any IngestDelegate
  private var listeners: [IngestListener]
  /// Of the mailbox's reader and of who lets in at each listener, in their order.
  private var tags: [UInt64] = []
  private var peers: [UInt64: IngestPeer] = [:]
  private var feeder: UInt64?
  private var nextPeer: UInt64 = 1
  private let frames = BufferPool(limit: 8)
  private let scratch = UnsafeMutableRawBufferPointer.allocate(byteCount: 65_536, alignment: 64)

  init(_ listeners: [IngestListener], _ rules: IngestRules, _ loop: any DriverLoop, _ delegate: any IngestDelegate) {
    (self.listeners, self.rules, self.loop, self.delegate) = (listeners, rules, loop, delegate)
  }

  deinit {
    scratch.deallocate()
  }

  // MARK: Driving

  /// What is driven and is no connection.
  private final class Part: NetworkDriver {
    private let body: @Sendable (Bool) -> Int64

    init(_ body: @escaping @Sendable (Bool) -> Int64) { self.body = body }

    func drive(isReadable: Bool) -> Int64 { body(isReadable) }
  }

  func open() throws(MediaError) {
    do throws(MediaError) {
      tags.append(try loop.add(Part { [self] _ in enter { readMail() } }, []))
      for (index, listener) in listeners.enumerated() {
        let porter = Part { [self] isReadable in enter { if isReadable { accept(at: index) } } }
        tags.append(try loop.add(porter, [listener.port.descriptor]))
      }
    } catch {
      close()
      throw error
    }
    if let reader = tags.first { mailbox.open(loop, reader) }
    gate.open()
    for tag in tags { loop.wake(tag, at: .min) }
  }

  /// From any thread.
  func close() {
    gate.close { end() }
  }

  private func enter(_ body: () -> Void) -> Int64 {
    gate.enter(
      {
        body()
        return .max
      }, last: end)
  }

  func drive(_ peer: IngestPeer, isReadable: Bool) -> Int64 {
    gate.enter({ serve(peer, isReadable) }, last: end)
  }

  /// When it wants to be served again.
  private func serve(_ peer: IngestPeer, _ isReadable: Bool) -> Int64 {
    peer.flush(by: loop)
    if isReadable { read(peer) }
    let now = loop.clock.now()
    if peers[peer.id] != nil, peer.leavesAt == nil {
      do throws(IngestRefusal) { try peer.machine.check(at: now) } catch { refuse(peer, error) }
    }
    if let end = peer.leavesAt, now >= end { remove(peer) }
    return peers[peer.id] == nil ? .max : peer.leavesAt ?? peer.machine.deadline
  }

  private func readMail() {
    let mail = mailbox.take()
    for (id, slot) in mail.released {
      if let peer = peers[id], peer.leavesAt == nil, peer.machine.release(slot) { answer(peer, IngestAnswer.release(slot)) }
    }
    if mail.wantsKeyFrame, let feeder, let peer = peers[feeder] { answer(peer, IngestAnswer.keyFrame) }
  }

  // MARK: Coming

  private func accept(at index: Int) {
    for _ in 0..<IngestServer.mostKnocks {
      switch listeners[index].port.accept() {
      case .nobody: return
      // No descriptor is left: nobody is let in for a moment.
      case .exhausted: return loop.rest(tags[index + 1], until: loop.clock.now() &+ IngestServer.pause)
      case .stranger(let connection): letIn(connection)
      }
    }
  }

  private func letIn(_ connection: any StreamConnection) {
    guard let route = IngestRoute(of: connection) else { return }
    let machine = IngestConnection(rules, by: route, nonce: IngestProof.freshNonce(), at: loop.clock.now())
    let peer = IngestPeer(nextPeer, connection, machine, self)
    nextPeer += 1
    // One that cannot be waited for is gone again.
    guard let tag = try? loop.add(peer, [peer.descriptor]) else { return }
    peer.tag = tag
    peers[peer.id] = peer
    if !peer.isOwn { refuse(peer, .notAdmitted) }
    // Who has proved their token already, or has gone again, does not wait among those who have not.
    read(peer)
    makeRoom(byUnix: peer.isUnix)
  }

  private func isWaiting(_ peer: IngestPeer) -> Bool {
    !peer.machine.isAdmitted && peer.leavesAt == nil && peers[peer.id] != nil
  }

  /// Anybody may connect by TCP: they take no place from those by Unix socket, who are this user's. Who has said nothing goes first.
  private func makeRoom(byUnix isUnix: Bool) {
    while true {
      let waiting = peers.values.filter { $0.isUnix == isUnix && isWaiting($0) }
      let rank = { (peer: IngestPeer) in (peer.machine.isChallenged ? 1 : 0, peer.id) }
      guard waiting.count > IngestServer.mostWaiting, let last = waiting.min(by: { rank($0) < rank($1) }) else { break }
      // What they say next may have come meanwhile.
      let before = rank(last)
      read(last)
      if isWaiting(last), rank(last) == before { refuse(last, IngestRefusal(.crowded, "too many connections wait for the handshake")) }
    }
    let leaving = peers.values.filter { $0.leavesAt != nil }
    if leaving.count > IngestServer.mostLeaving, let oldest = leaving.min(by: { $0.id < $1.id }) { remove(oldest) }
  }

  // MARK: Reading

  private func read(_ peer: IngestPeer) {
    var left = IngestServer.mostBytes
    while left > 0, peers[peer.id] != nil, !gate.isClosed {
      let isPayload = peer.leavesAt == nil && peer.machine.payloadLeft > 0
      let arrival = peer.receive(into: room(peer, isPayload))
      guard case .bytes(let count, let descriptors) = arrival else {
        if case .gone = arrival { end(peer, IngestRefusal(.none, "the feeder closed the connection")) }
        return
      }
      left -= count
      guard peer.leavesAt == nil else { continue }
      do throws(IngestRefusal) {
        let event: IngestConnection.Event?
        if isPayload {
          peer.advance(count)
          event = try peer.machine.receivedPayload(count, descriptors: descriptors, at: loop.clock.now())
        } else {
          event = try peer.machine.receive(
            UnsafeRawBufferPointer(rebasing: scratch.prefix(count)), descriptors: descriptors, at: loop.clock.now(),
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
      let timestamp = header.captured(arriving: loop.clock.now())
      if header.codec != 0 { return try delegate.received(encoded: bytes, header, timestamp: timestamp) }
      if let frame { try deliver(frame, header, timestamp) }
    case .slot(let id, let size):
      let descriptor = peer.takeDescriptor()
      defer { Glibc.close(descriptor) }
      peer.slots[id] = try IngestSharedMemory(descriptor, id: id, size: size, connection: peer.id, mailbox: mailbox)
    case .slotFrame(let id, let header):
      let timestamp = header.captured(arriving: loop.clock.now())
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

  private func answer(_ peer: IngestPeer, _ bytes: [UInt8]) {
    if !peer.answer(bytes, by: loop) { refuse(peer, IngestRefusal(.stalled, "the feeder does not read the session's messages")) }
  }

  // MARK: Going

  /// Says why. The connection stays for a moment, since closing a socket in which bytes wait would take the text back.
  private func refuse(_ peer: IngestPeer, _ refusal: IngestRefusal) {
    guard peer.leavesAt == nil, peers[peer.id] != nil else { return }
    let end = loop.clock.now() &+ IngestServer.goodbye
    peer.leave(IngestAnswer.refused(refusal), at: end, by: loop)
    // Whoever is served now may be another one.
    if let tag = peer.tag { loop.wake(tag, at: end) }
    if feeder == peer.id {
      feeder = nil
      delegate.feederLeft(refusal)
    } else {
      delegate.connectionRefused(refusal)
    }
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
    if let tag = peer.tag { loop.remove(tag) }
    peer.tag = nil
  }

  /// The last of all.
  private func end() {
    mailbox.close()
    for tag in tags { loop.remove(tag) }
    (tags, listeners) = ([], [])
    for peer in peers.values.sorted(by: { $0.id < $1.id }) {
      refuse(peer, IngestRefusal(.closed, "the session closed its local ingest"))
      var left = IngestServer.mostBytes
      while left > 0, case .bytes(let count, _) = peer.receive(into: scratch) { left -= count }
      remove(peer)
    }
  }
}
