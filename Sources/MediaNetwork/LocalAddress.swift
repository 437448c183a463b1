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

  /// Of the interfaces that are up, each address once, with port 0.
  static func ofInterfaces() -> [SocketAddress] {
    var list: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&list) == 0 else { return [] }
    defer { freeifaddrs(list) }
    var found: [SocketAddress] = []
    var next = list
    while let entry = next?.pointee {
      next = entry.ifa_next
      guard entry.ifa_flags & UInt32(IFF_UP) != 0, let address = SocketAddress(interface: entry.ifa_addr), !found.contains(address)
      else { continue }
      found.append(address)
    }
    return found
  }

  /// nil for what is neither IPv4 nor IPv6, such as the address of a link.
  private init?(interface pointer: UnsafeMutablePointer<sockaddr>?) {
    guard let pointer else { return nil }
    let size =
      switch Int32(pointer.pointee.sa_family) {
      case AF_INET: MemoryLayout<sockaddr_in>.size
      case AF_INET6: MemoryLayout<sockaddr_in6>.size
      default: 0
      }
    guard size > 0 else { return nil }
    var storage = sockaddr_storage()
    memcpy(&storage, pointer, size)
    guard let address = SocketAddress(storage) else { return nil }
    self = address.with(port: 0)
  }
}
