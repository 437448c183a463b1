import MediaCore
import MediaNetwork
import MediaRTP

/// Somebody who has connected to a hub and has not yet said who he is. He has ten seconds for it.
final class HubGuest: NetworkDriver {
  private struct Guarded {
    /// nil once it was handed on.
    var line: HubLine?
    var tag: UInt64?
    var isGone = false
  }

  static let patience: Int64 = 10_000_000_000
  private let guarded: Monitor<Guarded>
  private let table: HubTable
  private let port: HubDoor
  private let end: Int64

  init(_ line: HubLine, at door: HubDoor, _ table: HubTable, now: Int64) {
    guarded = Monitor(Guarded(line: line))
    (self.table, port, end) = (table, door, now &+ HubGuest.patience)
  }

  func start() {
    guard table.add(self) else { return }
    let isGone = guarded.withLock { guarded in
      guard !guarded.isGone, let line = guarded.line else { return false }
      guarded.tag = try? table.thread.add(self, [line.socket.descriptor])
      return guarded.tag == nil
    }
    if isGone { drop() }
  }

  /// Without a word.
  func drop() {
    table.remove(self)
    let tag = guarded.withLock { guarded in
      (guarded.isGone, guarded.line) = (true, nil)
      return guarded.tag.take()
    }
    if let tag { table.thread.remove(tag) }
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = MediaTime.monotonic()
    // Whoever drops a guest closes his socket with it.
    let (next, outcome): (Int64, Outcome) = guarded.withLock { guarded in
      guard let line = guarded.line else { return (.max, .waits) }
      if isReadable { line.receive(now: now) }
      let message = line.connection.next(now: now)
      let next = line.flush(now: now)
      if let message { return (.max, read(message)) }
      if let failure = line.connection.failure { return (.max, .ends(failure)) }
      if now >= end { return (.max, .ends(MediaError(.timeout, "nothing was said for \(HubGuest.patience / 1_000_000_000) s"))) }
      return (min(next, end), .waits)
    }
    switch outcome {
    case .waits: return next
    case .ends(let error): if let line = leave() { HubFarewell(line, error, table.thread, now: now) }
    case .hello(let hello): enter(hello, now)
    }
    return .max
  }

  private enum Outcome {
    case waits
    case ends(MediaError)
    case hello(HubRequest.Hello)
  }

  private func read(_ message: [UInt8]) -> Outcome {
    do {
      let request = try message.withUnsafeBytes { bytes throws(PacketError) in try HubRequest(parsing: bytes) }
      if case .hello(let hello) = request { return .hello(hello) }
      return .ends(MediaError(.corrupt, "the first message does not say who it is"))
    } catch {
      return .ends(MediaError(.corrupt, "\(error)"))
    }
  }

  /// Takes its connection away with it.
  private func leave() -> HubLine? {
    table.remove(self)
    let (line, tag) = guarded.withLock { guarded in (guarded.line.take(), guarded.tag.take()) }
    if let tag { table.thread.remove(tag) }
    return line
  }

  private func enter(_ hello: HubRequest.Hello, _ now: Int64) {
    guard let line = leave() else { return }
    guard hello.room == table.room else {
      HubFarewell(line, MediaError(.notFound, "this hub has no room \"\(hello.room.prefix(64))\""), table.thread, now: now)
      return
    }
    if let former = hello.former {
      guard let peer = table.peer(withTicket: former.ticket) else {
        let words = "the hub of room \"\(hello.room.prefix(64))\" does not know \"\(hello.member.userID.prefix(64))\" any more"
        HubFarewell(line, MediaError(.closed, words), table.thread, now: now)
        return
      }
      return peer.comeBack(line, received: former.received)
    }
    let peer = HubPeer(hello, at: port, table)
    do throws(MediaError) {
      try table.add(peer)
      peer.start(line)
    } catch {
      HubFarewell(line, error, table.thread, now: now)
    }
  }
}
