import MediaCore
import MediaNetwork
import MediaRTP
import MediaRuntime
import MediaTLS

/// Somebody who has connected to a hub and has not yet said who they are. They have ten seconds for it, and one of a bounded number of places
/// (`HubTable`), in which those who are further in their handshake are kept before the others.
final class HubGuest: NetworkDriver {
  /// How far they are.
  static let stages = 3

  /// Whoever made the socket has it no more.
  private struct Guarded: @unchecked Sendable {
    /// nil once it was handed on, and until something came: who says nothing takes a descriptor and no more.
    var line: HubLine?
    var socket: (any StreamConnection)?
    var tag: UInt64?
    var stage = 0
    /// Something came, and the handshake is to begin when it may (`HubTable.mayHandshake`).
    var isQueued = false
  }

  static let patience: Int64 = 10_000_000_000
  let prefix: AddressPrefix
  private let guarded: Monitor<Guarded>
  private let table: HubTable
  private let port: HubListener
  private let certificate: TLSCertificate
  private let end: Int64

  init(
    _ socket: any StreamConnection, from prefix: AddressPrefix, at door: HubListener, _ certificate: TLSCertificate, _ table: HubTable,
    now: Int64
  ) {
    guarded = Monitor(Guarded(socket: socket))
    (self.prefix, self.certificate, self.table, port, end) = (prefix, certificate, table, door, now &+ HubGuest.patience)
  }

  func start() {
    guard table.add(self) else { return }
    let isGone = guarded.withLock { guarded in
      guard let socket = guarded.socket else { return false }
      guarded.tag = try? table.thread.add(self, [socket.descriptor])
      return guarded.tag == nil
    }
    if isGone { drop() }
  }

  /// Without a word. Whoever drops a guest closes their socket with it.
  func drop() {
    table.remove(self)
    let (tag, line, socket) = guarded.withLock { ($0.tag.take(), $0.line.take(), $0.socket.take()) }
    if let tag { table.thread.remove(tag) }
    _ = (line, socket)
  }

  /// From any thread: it may begin the handshake at that time.
  func wake(at time: Int64) {
    if let tag = guarded.withLock({ $0.tag }) { table.thread.wake(tag, at: time) }
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = table.clock.now()
    let (asks, tag) = guarded.withLock { guarded in
      ((isReadable || guarded.isQueued) && (guarded.socket != nil || guarded.line?.connection.hasAnswered == false), guarded.tag)
    }
    guard asks, now < end else { return step(isReadable, now) }
    if let time = table.mayHandshake(self, now: now) {
      guarded.withLock { $0.isQueued = true }
      if let tag { table.thread.rest(tag, until: end) }
      return min(time, end)
    }
    let wasQueued = guarded.withLock { guarded in
      defer { guarded.isQueued = false }
      return guarded.isQueued
    }
    if wasQueued, let tag { table.thread.endRest(tag) }
    defer { table.wakeNext() }
    return step(true, now)
  }

  private func step(_ isReadable: Bool, _ now: Int64) -> Int64 {
    var cost = 0
    let (next, outcome, stage, rest): (Int64, Outcome, Int?, (UInt64, Int64)?) = guarded.withLock { guarded in
      guard let line = line(&guarded, isReadable, now) else { return (end, isReadable || now >= end ? .isLate : .waits, nil, nil) }
      let before = line.connection.handshakeMessages
      if isReadable { line.receive(now: now) }
      // The last message of a handshake costs little.
      if !line.connection.canSay { cost = line.connection.handshakeMessages - before }
      let message = line.connection.next(now: now)
      let next = line.flush(now: now, in: table.thread, as: guarded.tag)
      if let message { return (.max, read(message), nil, nil) }
      if let failure = line.connection.failure { return (.max, .ends(failure), nil, nil) }
      if now >= end { return (.max, .isLate, nil, nil) }
      let (stage, former) = (line.connection.isOpen ? 2 : line.connection.hasAnswered ? 1 : 0, guarded.stage)
      guarded.stage = stage
      let rest = guarded.tag.flatMap { tag in line.connection.rest(now: now).map { (tag, $0) } }
      return (min(next, end), .waits, stage > former ? stage : nil, rest)
    }
    if cost > 0 { table.charge(cost, of: self, now: now) }
    if let stage { table.advance(self, to: stage) }
    if let rest { table.thread.rest(rest.0, until: rest.1) }
    switch outcome {
    case .waits: return next
    case .isLate:
      if let line = leave() {
        table.sayFarewell(over: line, MediaError(.timeout, "nothing was received for \(HubGuest.patience / 1_000_000_000) s"), now: now)
      }
    case .ends(let error): if let line = leave() { table.sayFarewell(over: line, error, now: now) }
    case .hello(let hello): enter(hello, now)
    }
    return .max
  }

  /// Under the lock: made when something comes; nil then, too, where there is no memory for it.
  private func line(_ guarded: inout Guarded, _ isReadable: Bool, _ now: Int64) -> HubLine? {
    if isReadable, let socket = guarded.socket, let tls = try? TLSMachine(server: certificate) {
      guarded.socket = nil
      guarded.line = HubLine(socket, HubConnection(tls, isLimited: true, now: now), from: prefix)
    }
    return guarded.line
  }

  private enum Outcome {
    case waits
    case isLate
    case ends(MediaError)
    case hello(HubRequest.Hello)
  }

  private func read(_ message: [UInt8]) -> Outcome {
    do {
      let request = try message.withUnsafeBytes { bytes throws(PacketError) in try HubRequest(parsing: bytes) }
      if case .hello(let hello) = request { return .hello(hello) }
      return .ends(MediaError(.corrupt, "the first message is not HELLO"))
    } catch {
      return .ends(MediaError(.corrupt, "\(error)"))
    }
  }

  /// Takes its connection away with it.
  private func leave() -> HubLine? {
    table.remove(self)
    let (line, tag, socket) = guarded.withLock { ($0.line.take(), $0.tag.take(), $0.socket.take()) }
    if let tag { table.thread.remove(tag) }
    _ = socket
    return line
  }

  private func enter(_ hello: HubRequest.Hello, _ now: Int64) {
    guard let line = leave() else { return }
    guard hello.room == table.room else {
      return refuse(hello, line, MediaError(.notFound, "this hub has no room \"\(hello.room.prefix(64))\""), now)
    }
    if let former = hello.former {
      guard let peer = table.peer(withTicket: former.ticket) else {
        let words = "the hub of room \"\(hello.room.prefix(64))\" no longer knows \"\(hello.member.userID.prefix(64))\""
        return table.sayFarewell(over: line, MediaError(.closed, words), now: now)
      }
      return peer.comeBack(line, received: former.received)
    }
    let peer = HubPeer(hello, at: port, table)
    do throws(MediaError) {
      try table.add(peer, from: prefix)
      peer.start(line)
    } catch {
      refuse(hello, line, error, now)
    }
  }

  private func refuse(_ hello: HubRequest.Hello, _ line: HubLine, _ error: MediaError, _ now: Int64) {
    table.options.watch?(.refused(userID: hello.member.userID, at: line.socket.remoteAddress, because: error))
    table.sayFarewell(over: line, error, now: now)
  }
}
