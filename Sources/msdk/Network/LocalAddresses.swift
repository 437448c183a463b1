import Glibc

/// The addresses of this machine.
enum LocalAddresses {
  /// By which what listens at that address is reached: at all of IPv4 (0.0.0.0) or IPv6 (::), each that an interface has; this machine's own only
  /// where there is no other.
  static func reachable(_ host: String) -> [String] {
    guard host == "0.0.0.0" || host == "::" else { return [host] }
    let all = list(host == "::" ? AF_INET6 : AF_INET)
    let others = all.filter { !$0.isLoopback }
    return (others.isEmpty ? all : others).map(\.host)
  }

  private static func list(_ family: Int32) -> [(host: String, isLoopback: Bool)] {
    var first: UnsafeMutablePointer<ifaddrs>?
    guard getifaddrs(&first) == 0 else { return [] }
    defer { freeifaddrs(first) }
    var found: [(host: String, isLoopback: Bool)] = []
    var next = first
    while let one = next?.pointee {
      next = one.ifa_next
      guard let address = one.ifa_addr, Int32(address.pointee.sa_family) == family else { continue }
      let size = socklen_t(family == AF_INET6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size)
      let host: String? = withUnsafeTemporaryAllocation(of: CChar.self, capacity: Int(NI_MAXHOST)) { text in
        guard let text = text.baseAddress, getnameinfo(address, size, text, socklen_t(NI_MAXHOST), nil, 0, NI_NUMERICHOST) == 0 else {
          return nil
        }
        return String(cString: text)
      }
      // A zone's percent sign is written %25 in a URL (RFC 6874).
      if let host {
        found.append((host.split(separator: "%", maxSplits: 1).joined(separator: "%25"), one.ifa_flags & UInt32(IFF_LOOPBACK) != 0))
      }
    }
    return found
  }
}
