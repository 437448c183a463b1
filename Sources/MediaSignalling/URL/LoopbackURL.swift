import MediaCore

extension HTTPURL {
  /// It reaches this machine only, where no other one reads what is not encrypted.
  public var isLoopback: Bool { HTTPURL.isLoopback(host) }

  /// Whether what a server at the other URL leads here is read by nobody else: encrypted, or on this machine, as it was there.
  func isProtected(from url: HTTPURL) -> Bool { isSecure || isLoopback && !url.isSecure }

  /// Of a name or an address, without brackets.
  static func isLoopback(_ host: String) -> Bool {
    guard let address = SocketAddress(host, port: 0) else { return host == "localhost" }
    return address.isIPv6 ? address.host == "::1" : address.host.utf8.starts(with: "127.".utf8)
  }
}
