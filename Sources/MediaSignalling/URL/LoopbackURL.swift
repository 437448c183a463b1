import MediaCore

extension HTTPURL {
  /// It reaches this machine only, where no other one reads what is not encrypted.
  public var isLoopback: Bool { HTTPURL.isLoopback(host) }

  /// Of a name or an address, without brackets.
  static func isLoopback(_ host: String) -> Bool {
    guard let address = SocketAddress(host, port: 0) else { return host == "localhost" }
    return address.isIPv6 ? address.host == "::1" : address.host.utf8.starts(with: "127.".utf8)
  }
}
