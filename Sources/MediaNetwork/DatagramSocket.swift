import CLinux
import Glibc
import MediaCore

/// The kernel's.
public final class DatagramSocket: DatagramPort {
  /// Owned by this object; -1 once it is closed.
  public private(set) var descriptor: Int32
  let isIPv6: Bool
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

  /// Frees the port. May be called more than once.
  public func close() {
    guard descriptor >= 0 else { return }
    Glibc.close(descriptor)
    descriptor = -1
  }

  private static func error(_ what: String) -> MediaError {
    MediaError(errno == EADDRINUSE ? .exists : .io, "\(what): \(String(cString: strerror(errno)))")
  }

  /// With the port that the kernel chose; nil once it is closed.
  public var localAddress: SocketAddress? {
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &length) }
    }
    return result == 0 ? SocketAddress(storage) : nil
  }

  /// Joins a multicast group on the interface that the routes say. `.invalid`: the address is not a multicast one; `.io`, `.exists`: the
  /// kernel refuses.
  public func join(_ group: SocketAddress) throws(MediaError) { try join(group, interface: 0) }

  /// Interface 0 is the one that the routes say.
  public func join(_ group: SocketAddress, interface: UInt32) throws(MediaError) {
    guard group.isMulticast else { throw MediaError(.invalid, "\(group.host) is not a multicast address") }
    var (native, _) = group.native
    guard msdk_join_multicast(descriptor, &native, interface) == 0 else { throw DatagramSocket.error("cannot join \(group.host)") }
  }

  // MARK: In

  /// Does not wait; 0 when nothing has come, or an error of an earlier packet was cleared.
  public func receive(_ rows: DatagramRows) -> Int {
    rows.count = max(0, Int(msdk_rows_receive(descriptor, rows.native, rows.memory.baseAddress)))
    // An error here is one of an earlier packet (ICMP: nobody listens), and is cleared by being reported.
    return rows.count
  }

  // MARK: Out

  /// Does not wait. Neighbours of one size and address go to the kernel as one message where it can cut that into packets.
  public func send(_ batch: DatagramBatch, from first: Int) -> DatagramSending {
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
