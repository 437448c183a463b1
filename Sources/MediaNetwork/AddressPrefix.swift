import MediaCore

/// The part of an address that one party is given as a whole: all of IPv4, the first 64 bits of IPv6 (RFC 4291, section 2.5.4), whose last 64
/// a host chooses as it likes. Bounds on strangers are kept for each prefix.
public struct AddressPrefix: Hashable, Sendable {
  private let high: UInt64
  private let low: UInt64

  /// Of an address of IPv6 that stands for one of IPv4 (::ffff:0:0/96): that of all of IPv4. The port plays no part.
  public init(_ address: SocketAddress) {
    let (high, low) = address.words
    // IPv4 as IPv6 writes it is IPv4.
    let isIPv4 = !address.isIPv6 || high == 0 && low >> 32 == 0xFFFF
    (self.high, self.low) = isIPv4 ? (0, low) : (high, .max)
  }
}
