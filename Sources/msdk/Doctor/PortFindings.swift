import CLinux
import Glibc
import MediaCore

/// Whether this process can bind ports, and reach itself. Firewalls stand between machines: nothing of them is seen here.
enum PortFindings {
  static func all(also ports: [UInt16]) -> [Finding] {
    var findings = [datagrams(AF_INET, "udp_ipv4", "IPv4"), datagrams(AF_INET6, "udp_ipv6", "IPv6"), listening]
    for port in ports {
      findings.append(bound(MSDK_SOCKET_DATAGRAM, "UDP", port))
      findings.append(bound(MSDK_SOCKET_STREAM, "TCP", port))
    }
    return findings + [
      .unknown(
        "firewalls", "whether other machines reach these ports cannot be seen from here",
        "run msdk serve here, and msdk bench-link with its url on the other machine")
    ]
  }

  /// From a port to itself, over the loopback interface.
  private static func datagrams(_ family: Int32, _ id: String, _ name: String) -> Finding {
    let socket = msdk_datagram_socket(family)
    guard socket >= 0 else { return missing(id, "no UDP socket of \(name)", errno, family) }
    defer { close(socket) }
    guard bind(socket, family, port: 0, isLoopback: true) == 0 else {
      return missing(id, "no UDP port of \(name) can be bound", errno, family)
    }
    var storage = sockaddr_storage()
    var length = socklen_t(MemoryLayout<sockaddr_storage>.size)
    var word: UInt8 = 1
    let sent = withUnsafeMutablePointer(to: &storage) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { address in
        getsockname(socket, address, &length) == 0 ? sendto(socket, &word, 1, 0, address, length) : -1
      }
    }
    guard sent == 1 else { return missing(id, "UDP over \(name) cannot be sent", errno, family) }
    var poller = pollfd(fd: socket, events: Int16(POLLIN), revents: 0)
    guard poll(&poller, 1, 2_000) == 1, recv(socket, &word, 1, 0) == 1 else {
      return .broken(
        id, "a datagram over \(name) from this machine to itself did not arrive", "ip link set lo up; look at the firewall's rules for lo")
    }
    return .ok(id, "UDP over \(name): a port was bound, and a datagram arrived")
  }

  /// Machines without IPv6 are usual; without IPv4 nothing here works as it should.
  private static func missing(_ id: String, _ text: String, _ code: Int32, _ family: Int32) -> Finding {
    let reason = "\(text): \(String(cString: strerror(code)))"
    return family == AF_INET6
      ? .absent(id, reason, "enable IPv6 (sysctl net.ipv6.conf.all.disable_ipv6=0), if it is wanted")
      : .broken(id, reason, "allow this process sockets of IPv4, and set the loopback interface up")
  }

  private static var listening: Finding {
    let socket = msdk_socket(AF_INET)
    guard socket >= 0 else { return missing("tcp", "no TCP socket", errno, AF_INET) }
    defer { close(socket) }
    guard bind(socket, AF_INET, port: 0, isLoopback: false) == 0, listen(socket, 1) == 0 else {
      return missing("tcp", "no TCP port can be listened at", errno, AF_INET)
    }
    return .ok("tcp", "TCP: a port was listened at, as msdk serve does")
  }

  private static func bound(_ type: Int, _ name: String, _ port: UInt16) -> Finding {
    let id = "port_\(name.lowercased())_\(port)"
    let socket = type == MSDK_SOCKET_STREAM ? msdk_socket(AF_INET) : msdk_datagram_socket(AF_INET)
    guard socket >= 0 else { return missing(id, "no \(name) socket", errno, AF_INET) }
    defer { close(socket) }
    guard bind(socket, AF_INET, port: port, isLoopback: false) != 0 else { return .ok(id, "\(name) port \(port) can be bound") }
    let code = errno
    let advice =
      switch code {
      case EADDRINUSE: "ss -lnp 'sport = :\(port)' shows which program has it; choose another port"
      case EACCES: "choose a port of at least 1024, or allow lower ones (sysctl net.ipv4.ip_unprivileged_port_start)"
      default: "choose another port"
      }
    return .broken(id, "\(name) port \(port) cannot be bound: \(String(cString: strerror(code)))", advice)
  }

  private static func bind(_ socket: Int32, _ family: Int32, port: UInt16, isLoopback: Bool) -> Int32 {
    if family == AF_INET6 {
      var address = sockaddr_in6()
      address.sin6_family = sa_family_t(AF_INET6)
      address.sin6_port = port.bigEndian
      if isLoopback { address.sin6_addr = in6addr_loopback }
      return withUnsafePointer(to: address) { pointer in
        pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in6>.size)) }
      }
    }
    var address = sockaddr_in()
    address.sin_family = sa_family_t(AF_INET)
    address.sin_port = port.bigEndian
    address.sin_addr.s_addr = (isLoopback ? UInt32(0x7F00_0001) : 0).bigEndian
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { Glibc.bind(socket, $0, socklen_t(MemoryLayout<sockaddr_in>.size)) }
    }
  }
}
