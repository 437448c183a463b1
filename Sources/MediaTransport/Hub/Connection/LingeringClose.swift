import MediaCore
import MediaNetwork
import MediaRuntime

/// Says a last word over a connection that is done with, and stays for a moment, reading what comes and throwing it away: closing a socket in
/// which bytes wait would take back the words that say why. Of these connections there is a bounded number (`HubTable`).
final class LingeringClose: NetworkDriver {
  private struct Guarded {
    /// nil once it is over.
    var line: HubLine?
    var tag: UInt64?
    /// Bytes that may still come.
    var patience = LingeringClose.mostBytes
  }

  static let linger: Int64 = 1_000_000_000
  /// Whoever goes on speaking is not listened to for long.
  private static let mostBytes = 256 << 10
  let prefix: AddressPrefix?
  private let guarded: Monitor<Guarded>
  private let thread: any DriverLoop
  /// Which counts it. Who is left when the thread stops is held by nobody.
  private weak let table: HubTable?
  private let end: Int64

  /// nil: nothing can be said, or nobody hears it, and the connection is closed. Whoever has not finished its handshake is not stayed for.
  init?(_ line: HubLine, _ error: MediaError?, _ table: HubTable, now: Int64) {
    let isKnown = line.connection.canSay
    line.connection.close(saying: error.map { error in HubConnection.frame { HubNotice.ended(error).write(to: &$0) } })
    _ = line.flush(now: now)
    // The thread may be about to stop.
    var patience = LingeringClose.mostBytes
    guard !line.discard(&patience), isKnown else { return nil }
    (self.table, thread, prefix, end) = (table, table.thread, line.prefix, now &+ LingeringClose.linger)
    guarded = Monitor(Guarded(line: line))
  }

  /// After it was counted.
  func start() {
    let isOver = guarded.withLock { guarded in
      guard let line = guarded.line else { return false }
      guarded.tag = try? thread.add(self, [line.socket.descriptor])
      return guarded.tag == nil
    }
    if isOver { drop() }
  }

  /// Closes it, whatever was heard.
  func drop() {
    table?.remove(self)
    let (line, tag) = guarded.withLock { ($0.line.take(), $0.tag.take()) }
    if let tag { thread.remove(tag) }
    _ = line
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = thread.clock.now()
    let isOver: Bool = guarded.withLock { guarded in
      guard let line = guarded.line else { return false }
      _ = line.flush(now: now, in: thread, as: guarded.tag)
      return isReadable && line.discard(&guarded.patience) || now >= end
    }
    guard isOver else { return end }
    drop()
    return .max
  }
}

extension HubLine {
  /// Reads what comes for nobody, so many bytes at most; whether that is all.
  func discard(_ most: inout Int) -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { memory in
      while most > 0 {
        switch socket.read(into: memory) {
        case .bytes(let count): most -= count
        case .nothing: return false
        case .end, .failed: return true
        }
      }
      return true
    }
  }
}
