import MediaCore
import MediaNetwork

/// Says a last word over a connection that is done with, and stays for a moment, reading what comes and throwing it away: closing a socket in
/// which bytes wait would take back the words that say why.
final class HubFarewell: NetworkDriver {
  private struct Guarded {
    let line: HubLine
    var tag: UInt64?
    var isOver = false
  }

  static let linger: Int64 = 1_000_000_000
  private let guarded: Monitor<Guarded>
  private let thread: NetworkThread
  private let end: Int64

  /// Nothing is said where there is nothing to say.
  @discardableResult
  init(_ line: HubLine, _ error: MediaError?, _ thread: NetworkThread, now: Int64) {
    self.thread = thread
    end = now &+ HubFarewell.linger
    line.connection.close(saying: error.map { error in HubConnection.frame { HubNotice.ended(error).write(to: &$0) } })
    _ = line.flush(now: now)
    // The thread may be about to stop.
    _ = line.discard()
    let descriptor = line.socket.descriptor
    guarded = Monitor(Guarded(line: line))
    let tag = try? thread.add(self, [descriptor])
    let isOver = guarded.withLock { guarded in
      guarded.tag = tag
      return guarded.isOver
    }
    if isOver, let tag { thread.remove(tag) }
  }

  func drive(isReadable: Bool) -> Int64 {
    let now = MediaTime.monotonic()
    let (isOver, tag): (Bool, UInt64?) = guarded.withLock { guarded in
      _ = guarded.line.flush(now: now)
      if isReadable, guarded.line.discard() { guarded.isOver = true }
      if now >= end { guarded.isOver = true }
      return (guarded.isOver, guarded.tag)
    }
    guard isOver else { return min(end, now &+ 10_000_000) }
    if let tag { thread.remove(tag) }
    return .max
  }
}

extension HubLine {
  /// Reads what comes for nobody; whether that is all.
  func discard() -> Bool {
    withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 8) { memory in
      for _ in 0..<64 {
        switch socket.read(into: memory) {
        case .bytes: continue
        case .nothing: return false
        case .end, .failed: return true
        }
      }
      return false
    }
  }
}
