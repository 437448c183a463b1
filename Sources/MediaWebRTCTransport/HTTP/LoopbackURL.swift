import MediaCore
import MediaSignalling

extension HTTPURL {
  /// It reaches this machine only, where no other one reads what is not encrypted.
  var isLoopback: Bool {
    guard let address = SocketAddress(host, port: 0) else { return host == "localhost" }
    return address.isIPv6 ? address.host == "::1" : address.host.utf8.starts(with: "127.".utf8)
  }
}
