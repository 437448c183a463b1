import CLinux
import Glibc
import MediaCore

extension SocketAddress {
  /// The address of this machine from which that one is sent to, as the routes say now; nil without a route.
  public static func local(toward remote: SocketAddress) -> SocketAddress? {
    let descriptor = msdk_datagram_socket(remote.isIPv6 ? AF_INET6 : AF_INET)
    guard descriptor >= 0 else { return nil }
    defer { close(descriptor) }
    var (native, length) = remote.native
    var storage = sockaddr_storage()
    var size = socklen_t(MemoryLayout<sockaddr_storage>.size)
    let result = withUnsafePointer(to: &native) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { connect(descriptor, $0, length) }
    }
    guard result == 0 else { return nil }
    let named = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { getsockname(descriptor, $0, &size) }
    }
    return named == 0 ? SocketAddress(storage)?.with(port: 0) : nil
  }
}
