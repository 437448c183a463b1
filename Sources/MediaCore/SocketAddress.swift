import Glibc

/// An address of IPv4 or IPv6, and a port.
public struct SocketAddress: Sendable, Hashable, CustomStringConvertible {
  /// IPv4 in the last four bytes, after the prefix ::ffff:0:0/96, as IPv6 writes it.
  private let high: UInt64
  private let low: UInt64
  /// In the byte order of the machine; 0 where the system is to choose one, or none is known.
  public let port: UInt16
  /// True also for an address of IPv6 that stands for one of IPv4 (::ffff:0:0/96).
  public let isIPv6: Bool
  /// Of link-local addresses of IPv6: an interface.
  private let scope: UInt32

  /// From digits as inet_pton(3) reads them, IPv6 without brackets; nil for anything else, names included.
  public init?(_ host: String, port: UInt16) {
    var v4 = in_addr()
    var v6 = in6_addr()
    if host.utf8.contains(0) { return nil }
    if inet_pton(AF_INET, host, &v4) == 1 {
      self.init(v4: v4, port: port)
      return
    }
    let parts = host.split(separator: "%", maxSplits: 1)
    guard let address = parts.first, inet_pton(AF_INET6, String(address), &v6) == 1 else { return nil }
    var scope: UInt32 = 0
    if parts.count > 1 {
      scope = UInt32(parts[1]) ?? if_nametoindex(String(parts[1]))
      guard scope != 0 else { return nil }
    }
    self.init(v6: v6, scope: scope, port: port)
  }

  /// From the four bytes of IPv4.
  public init(v4: UInt32, port: UInt16) {
    self.init(v4: in_addr(s_addr: v4.bigEndian), port: port)
  }

  /// From the sixteen bytes of IPv6, without an interface.
  public init(high: UInt64, low: UInt64, port: UInt16) {
    (self.high, self.low, self.port, isIPv6, scope) = (high, low, port, true, 0)
  }

  private init(v4: in_addr, port: UInt16) {
    (high, low) = (0, 0xFFFF_0000_0000 | UInt64(UInt32(bigEndian: v4.s_addr)))
    (self.port, isIPv6, scope) = (port, false, 0)
  }

  private init(v6: in6_addr, scope: UInt32, port: UInt16) {
    (high, low) = withUnsafeBytes(of: v6) { bytes in
      (UInt64(bigEndian: bytes.loadUnaligned(as: UInt64.self)), UInt64(bigEndian: bytes.loadUnaligned(fromByteOffset: 8, as: UInt64.self)))
    }
    (self.port, isIPv6, self.scope) = (port, true, scope)
  }

  package init?(_ storage: sockaddr_storage) {
    var storage = storage
    switch Int32(storage.ss_family) {
    case AF_INET:
      self = withUnsafeBytes(of: &storage) { bytes in
        let native = bytes.loadUnaligned(as: sockaddr_in.self)
        return SocketAddress(v4: native.sin_addr, port: UInt16(bigEndian: native.sin_port))
      }
    case AF_INET6:
      self = withUnsafeBytes(of: &storage) { bytes in
        let native = bytes.loadUnaligned(as: sockaddr_in6.self)
        return SocketAddress(v6: native.sin6_addr, scope: native.sin6_scope_id, port: UInt16(bigEndian: native.sin6_port))
      }
    default: return nil
    }
  }

  private var v6: in6_addr {
    var address = in6_addr()
    withUnsafeMutableBytes(of: &address) { bytes in
      bytes.storeBytes(of: high.bigEndian, as: UInt64.self)
      bytes.storeBytes(of: low.bigEndian, toByteOffset: 8, as: UInt64.self)
    }
    return address
  }

  /// The address in the order of its bytes; of IPv4 the last four of them.
  public var words: (high: UInt64, low: UInt64) { (high, low) }

  /// As the kernel takes it, and its length.
  package var native: (sockaddr_storage, socklen_t) {
    var storage = sockaddr_storage()
    return withUnsafeMutableBytes(of: &storage) { bytes in
      if isIPv6 {
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = port.bigEndian
        address.sin6_addr = v6
        address.sin6_scope_id = scope
        bytes.storeBytes(of: address, as: sockaddr_in6.self)
        return (bytes.loadUnaligned(as: sockaddr_storage.self), socklen_t(MemoryLayout<sockaddr_in6>.size))
      }
      var address = sockaddr_in()
      address.sin_family = sa_family_t(AF_INET)
      address.sin_port = port.bigEndian
      address.sin_addr.s_addr = UInt32(truncatingIfNeeded: low).bigEndian
      bytes.storeBytes(of: address, as: sockaddr_in.self)
      return (bytes.loadUnaligned(as: sockaddr_storage.self), socklen_t(MemoryLayout<sockaddr_in>.size))
    }
  }

  /// The same host and interface with another port.
  public func with(port: UInt16) -> SocketAddress {
    isIPv6
      ? SocketAddress(v6: v6, scope: scope, port: port)
      : SocketAddress(v4: in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian), port: port)
  }

  /// Whether all but the port is equal, the interface of link-local addresses included.
  public func isSameHost(as other: SocketAddress) -> Bool {
    high == other.high && low == other.low && scope == other.scope && isIPv6 == other.isIPv6
  }

  /// RFC 5771 and RFC 4291, section 2.7.
  public var isMulticast: Bool {
    isIPv6 ? high >> 56 == 0xFF : (low >> 28) & 15 == 14
  }

  /// Of the machine itself (RFC 1122, section 3.2.1.3; RFC 4291, section 2.5.3).
  public var isLoopback: Bool { isIPv6 ? high == 0 && low == 1 : low >> 24 & 0xFF == 127 }

  /// Without the port.
  public var host: String {
    withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(INET6_ADDRSTRLEN)) { text in
      guard let base = text.baseAddress else { return "" }
      if isIPv6 {
        var address = v6
        inet_ntop(AF_INET6, &address, base, socklen_t(INET6_ADDRSTRLEN))
      } else {
        var address = in_addr(s_addr: UInt32(truncatingIfNeeded: low).bigEndian)
        inet_ntop(AF_INET, &address, base, socklen_t(INET6_ADDRSTRLEN))
      }
      return String(cString: base) + (scope == 0 ? "" : "%\(scope)")
    }
  }

  /// "192.0.2.1:5004" or "[2001:db8::1]:5004".
  public var description: String { isIPv6 ? "[\(host)]:\(port)" : "\(host):\(port)" }
}
