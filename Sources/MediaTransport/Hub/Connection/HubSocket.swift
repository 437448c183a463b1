import MediaCore
import MediaNetwork

/// A socket of UDP that one thread receives from and any sends on. Closed, it is gone as soon as nobody uses it, and takes and gives nothing.
final class HubSocket: @unchecked Sendable {
  /// The thread that receives and whoever sends use parts of it that are their own.
  private struct Held: @unchecked Sendable {
    let socket: any DatagramPort
  }

  private let held: Monitor<Held?>
  /// A turn at sending. Not of type Void: that has no place of its own, and the thread sanitizer takes it for what lies there.
  private let sending = Monitor(true)
  let descriptor: Int32
  let localAddress: SocketAddress?

  init(_ socket: any DatagramPort) {
    (descriptor, localAddress) = (socket.descriptor, socket.localAddress)
    held = Monitor(Held(socket: socket))
  }

  /// On the network thread.
  func receive(_ rows: DatagramRows) -> Int {
    if let held = held.withLock({ $0 }) { return held.socket.receive(rows) }
    rows.clear()
    return 0
  }

  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    guard let held = held.withLock({ $0 }) else { return .all }
    return sending.withLock { _ in held.socket.send(batch, from: first) }
  }

  func close() {
    let former = held.withLock { $0.take() }
    // It may end here, where nothing is locked.
    _ = former
  }
}
