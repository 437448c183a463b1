import MediaCore

/// Sessions that have left, and are about to say so at their server when it has all that it is to get (`JanusClient.leave`,
/// `LiveKitSession.leave`): the engine does not end before.
final class RoomFarewells: Sendable {
  /// Nanoseconds that one may take: the first data needs a connection, which takes long on a busy machine.
  static let patience: Int64 = 5_000_000_000

  private let count = Monitor(0)

  func begin() { count.withLock { $0 += 1 } }

  func end() {
    count.withLock { $0 -= 1 }
    count.notify()
  }

  /// Whether all have, for which it waits as long as one may take. A callback may run on the thread by which they do: there it does not wait.
  @discardableResult func wait() -> Bool {
    let end = ForeignCode.isRunning ? 0 : MediaTime.monotonic() + RoomFarewells.patience
    return count.wait(until: end) { $0 <= 0 ? true : nil } ?? false
  }
}
