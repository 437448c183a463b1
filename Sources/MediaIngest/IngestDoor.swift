import CLinux
import Glibc
import MediaCore
import MediaRuntime

/// A session's door for a feeder: its sockets, and the thread that serves them.
public final class IngestDoor: Sendable {
  private struct State {
    var isInside = false
    var isClosed = false
    var isTornDown = false

    /// Whether it is the caller's to close everything: the last one's who is inside.
    mutating func claim() -> Bool {
      guard isClosed, !isInside, !isTornDown else { return false }
      isTornDown = true
      return true
    }
  }

  public let port: UInt32
  private let mailbox: IngestMailbox
  private let loop: IngestLoop
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)

  /// port: nil for none, 0 for any that is free. Frames come from now on.
  public init(
    port: UInt16?, socketPath: String?, _ rules: IngestRules, clock: any MediaClock, _ delegate: any IngestDelegate
  ) throws(MediaError) {
    mailbox = try IngestMailbox()
    var listeners: [IngestListener] = []
    do throws(MediaError) {
      if let port { listeners.append(try IngestListener(port: port)) }
      if let socketPath { listeners.append(try IngestListener(path: socketPath)) }
      loop = try IngestLoop(listeners, rules, mailbox, delegate)
    } catch {
      for listener in listeners { listener.close() }
      throw error
    }
    self.port = listeners.first?.port ?? 0
    let made = clock.makeWorker("msdk-ingest") { [weak self] in self?.step() ?? .max }
    worker.withLock { $0 = made }
    made.poke()
  }

  /// The feeder is asked for a key frame.
  public func requestKeyFrame() {
    mailbox.requestKeyFrame()
  }

  /// Tells the feeder and closes everything. When it returns nothing more is delivered, unless it was called from inside a delivery.
  public func close() {
    let isFirst = state.withLock { state in
      defer { state.isClosed = true }
      return !state.isClosed
    }
    guard isFirst else { return }
    mailbox.wake()
    worker.withLock { $0 }?.stop()
    // A step that this call came from closes things itself when it is left.
    if state.withLock({ $0.claim() }) { loop.close() }
    worker.withLock { $0 = nil }
  }

  private func step() -> Int64 {
    let mayEnter = state.withLock { state in
      state.isInside = !state.isClosed
      return state.isInside
    }
    guard mayEnter else { return .max }
    loop.step()
    let (isClosed, isMine) = state.withLock { state in
      state.isInside = false
      return (state.isClosed, state.claim())
    }
    if isMine { loop.close() }
    return isClosed ? .max : .min
  }
}
