import MediaCore
import MediaNetwork
import MediaRuntime
import MediaTLS

/// A connection of messages and its socket. It goes from hand to hand; who has it keeps it under a lock.
final class HubLine: @unchecked Sendable {
  let socket: any StreamConnection
  let connection: HubConnection
  /// Of the other end.
  let prefix: AddressPrefix?
  private let memory = UnsafeMutableRawBufferPointer.allocate(byteCount: 16_384, alignment: 16)
  /// As whose the loop waits for room in the socket.
  private var awaited: UInt64?

  init(_ socket: any StreamConnection, _ connection: HubConnection, from prefix: AddressPrefix? = nil) {
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

  /// Sends what the socket takes; when to be called again. For what it does not take, the loop drives the one with that tag when there is room.
  func flush(now: Int64, in loop: (any DriverLoop)? = nil, as tag: UInt64? = nil) -> Int64 {
    connection.flush { socket.write($0) }
    let wanted = connection.isWaiting ? tag : nil
    if let loop, wanted != awaited {
      if let awaited { loop.setFull(false, socket.descriptor, of: awaited) }
      if let wanted { loop.setFull(true, socket.descriptor, of: wanted) }
      awaited = wanted
    }
    return connection.deadline(now: now)
  }
}
