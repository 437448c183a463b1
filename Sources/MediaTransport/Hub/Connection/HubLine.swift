import MediaCore
import MediaNetwork
import MediaTLS

/// A connection of messages and its socket. It goes from hand to hand; who has it keeps it under a lock.
final class HubLine: @unchecked Sendable {
  let socket: StreamSocket
  let connection: HubConnection
  /// Of the other end.
  let prefix: AddressPrefix?
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  /// The kernel does not say here when it has room: it is asked again.
  private static let retry: Int64 = 5_000_000

  init(_ socket: StreamSocket, _ connection: HubConnection, from prefix: AddressPrefix? = nil) {
    (self.socket, self.connection, self.prefix) = (socket, connection, prefix)
  }

  deinit {
    memory.deallocate()
  }

  /// Takes what has come, some 64 kB of it at most: the socket says again that there is more.
  func receive(now: Int64) {
    for _ in 0..<4 where connection.failure == nil && connection.rest(now: now) == nil {
      switch socket.read(into: memory) {
      case .bytes(let count): connection.receive(UnsafeRawBufferPointer(rebasing: memory.prefix(count)), now: now)
      case .nothing: return
      case .end: return connection.end(MediaError(.closed, "the peer closed the connection"))
      case .failed(let words): return connection.end(MediaError(.io, "the connection failed: \(words)"))
      }
    }
  }

  /// Sends what the socket takes; when to be called again.
  func flush(now: Int64) -> Int64 {
    connection.flush { socket.write($0) }
    let deadline = connection.deadline(now: now)
    return connection.isWaiting ? min(deadline, now &+ HubLine.retry) : deadline
  }
}
