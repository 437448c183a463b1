import CLinux
import Glibc
import MediaCore

/// A socket of UDP that never blocks. Not for two threads at once.
public final class DatagramSocket {
  /// -1 once it is closed; then it receives and sends nothing.
  public private(set) var descriptor: Int32
  public let isIPv6: Bool
  /// Whether the kernel cuts large messages into packets. Given up for good when a device or a driver refuses it.
  private var canSegment: Bool

  /// A port of 0 lets the kernel choose one. `sharesPort`: others may bind it too, as multicast needs.
  public init(binding address: SocketAddress, sharesPort: Bool = false) throws(MediaError) {
    isIPv6 = address.isIPv6
    descriptor = msdk_datagram_socket(isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { throw DatagramSocket.error("no socket for \(address)") }
    canSegment = msdk_datagrams_can_segment(descriptor) != 0
    var yes: Int32 = 1
    // One socket is of one family: IPv6 only is IPv6 only.
    if isIPv6 { setsockopt(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    if sharesPort { setsockopt(descriptor, SOL_SOCKET, SO_REUSEADDR, &yes, socklen_t(MemoryLayout<Int32>.size)) }
    // A key frame comes at once; what the kernel grants is enough.
    var size: Int32 = 4 << 20
    setsockopt(descriptor, SOL_SOCKET, SO_RCVBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    setsockopt(descriptor, SOL_SOCKET, SO_SNDBUF, &size, socklen_t(MemoryLayout<Int32>.size))
    var (native, length) = address.native
    let result = withUnsafePointer(to: &native) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { bind(descriptor, $0, length) }
    }
    // The end of this closes it.
    guard result == 0 else { throw DatagramSocket.error("cannot bind \(address)") }
  }

  deinit {
    close()
  }

  /// Frees its port, whoever still refers to the socket.
  public func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private static func error(_ what: String) -> MediaError {
    MediaError(errno == EADDRINUSE ? .exists : .io, "\(what): \(String(cString: strerror(errno)))")
  }

  public var localAddress: SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }

  /// Interface 0 is the one that the routes say.
  public func join(_ group: SocketAddress, interface: UInt32 = 0) throws(MediaError) {
    guard group.isMulticast else { throw MediaError(.invalid, "\(group.host) is not a multicast address") }
    var (native, _) = group.native
    guard msdk_join_multicast(descriptor, &native, interface) == 0 else { throw DatagramSocket.error("cannot join \(group.host)") }
  }

  // MARK: In

  /// Receives what has come, up to 16 rows of neighbours of one size; how many rows there were.
  public func receive(_ rows: DatagramRows) -> Int {
    rows.count = max(0, Int(msdk_rows_receive(descriptor, rows.native, rows.memory.baseAddress)))
    // An error here is one of an earlier packet (ICMP: nobody listens), and is cleared by being reported.
    return rows.count
  }

  /// The same, and hands each datagram over (`DatagramRows.forEach`).
  public func receive(_ rows: DatagramRows, _ body: (UnsafeMutableRawBufferPointer, SocketAddress) -> Void) -> Int {
    let count = receive(rows)
    rows.forEach(body)
    return count
  }

  // MARK: Out

  public enum Sending: Sendable, Equatable {
    case all
    /// So many went; the socket's buffer has no room for the rest just now.
    case some(Int)
    /// The rest is lost, by an error of the network's, such as a way that is not there.
    case failed(Int, errno: Int32)
  }

  /// Sends what was added to a batch, from the datagram `first` on.
  public func send(_ batch: DatagramBatch, from first: Int = 0) -> Sending {
    var sent = first
    while sent < batch.count {
      let count = msdk_datagrams_send(descriptor, batch.native, Int32(sent), canSegment ? 1 : 0)
      if count >= 0 {
        guard count > 0 else { return .some(sent - first) }
        sent += Int(count)
        continue
      }
      let code = errno
      switch code {
      case EAGAIN, ENOBUFS: return .some(sent - first)
      case EINTR: continue
      case EIO, EINVAL, EOPNOTSUPP, EMSGSIZE:
        // A device without checksums of its own refuses segments; then it is done without them.
        guard canSegment else { return .failed(sent - first, errno: code) }
        canSegment = false
      case ECONNREFUSED:
        // Of an earlier packet; told once, and this one did not go.
        continue
      default: return .failed(sent - first, errno: code)
      }
    }
    return .all
  }
}
