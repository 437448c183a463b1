import MediaCore
import MediaNetwork

/// An address that a server listens at, as a url has it for others.
enum ServedAddress {
  /// Host and port. The host is the first public one of the family, if there is one and the address is not of loopback; else an unspecified one
  /// is replaced by that from which this machine sends to others, or its loopback.
  static func authority(_ address: SocketAddress, public known: [SocketAddress] = []) -> String {
    let outside = known.first { $0.isIPv6 == address.isIPv6 && $0.isLoopback == address.isLoopback }
    let host = outside?.host ?? (address.isUnspecified ? reachable(like: address) : address.host)
    // A zone's percent sign is written %25 in a URL (RFC 6874).
    let written = address.isIPv6 ? "[\(host.split(separator: "%").joined(separator: "%25"))]" : host
    return "\(written):\(address.port)"
  }

  private static func reachable(like address: SocketAddress) -> String {
    // Documentation's own addresses (RFC 5737, RFC 3849): nothing is sent, the routes are asked.
    let outside = SocketAddress(address.isIPv6 ? "2001:db8::1" : "192.0.2.1", port: 9)
    return outside.flatMap { SocketAddress.local(toward: $0) }?.host ?? (address.isIPv6 ? "::1" : "127.0.0.1")
  }
}
