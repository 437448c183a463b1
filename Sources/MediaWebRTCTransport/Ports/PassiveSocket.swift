import MediaCore
import MediaICE
import MediaNetwork
import MediaRuntime

/// Connections of TCP (RFC 6544) that the other end of a connection of WebRTC has opened, at an address where a server listens.
final class PassiveSocket: PeerSocket {
  private struct Connection {
    let remote: SocketAddress
    let link: TCPLink
    let stream: ICEStream
  }

  /// Of one connection of WebRTC; the oldest that is not its path goes for another.
  static let mostConnections = 8

  let base: ICEBase
  let address: SocketAddress
  private let connections = Monitor<[Connection]>([])

  init(_ address: SocketAddress, _ base: ICEBase) {
    (self.address, self.base) = (address, base)
  }

  var isTCP: Bool { true }

  /// To whom there is no connection any more, it is lost, as in a network.
  func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
    let connections = connections.withLock { $0 }
    var (sent, isFull) = (0, false)
    batch.forEach(from: first) { bytes, remote in
      guard !isFull, connections.first(where: { $0.remote == remote })?.link.send(bytes) != false else {
        isFull = true
        return
      }
      sent += 1
    }
    return isFull ? .some(sent) : .all
  }

  func expect(_ remote: SocketAddress) {}
  func follow(_ remote: SocketAddress) {}
  func watch(on thread: any DriverLoop) -> Bool { true }

  func close(on thread: any DriverLoop) {
    let connections = connections.withLock { connections in
      defer { connections = [] }
      return connections
    }
    for one in connections { one.link.close() }
  }

  // MARK: The network thread

  /// `stream`: what was read of it before. `used`: to whom the path goes now. The connection that is too much, which the caller closes.
  func add(
    _ link: TCPLink, _ stream: ICEStream, from remote: SocketAddress, keeping used: SocketAddress?
  ) -> (link: TCPLink, remote: SocketAddress)? {
    connections.withLock { connections in
      connections.append(Connection(remote: remote, link: link, stream: stream))
      guard connections.count > PassiveSocket.mostConnections, let place = connections.firstIndex(where: { $0.remote != used }) else {
        return nil
      }
      let former = connections.remove(at: place)
      return (former.link, former.remote)
    }
  }

  func remove(_ link: TCPLink) { connections.withLock { $0.removeAll { $0.link === link } } }

  /// What the bytes bring, with those before them; nil: they break the framing (RFC 4571).
  func read(_ bytes: UnsafeRawBufferPointer, of link: TCPLink) -> [[UInt8]]? {
    connections.withLock { connections in
      guard let stream = connections.first(where: { $0.link === link })?.stream, stream.append(bytes) else { return nil }
      var datagrams: [[UInt8]] = []
      while let datagram = stream.next() { datagrams.append(datagram) }
      return datagrams
    }
  }
}
