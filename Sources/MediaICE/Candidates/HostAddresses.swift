import MediaCore

extension SocketAddress {
  /// Of one link alone (RFC 4291, section 2.5.6; RFC 3927).
  var isLinkLocal: Bool { isIPv6 ? words.high >> 54 == 0x3FA : words.low >> 16 & 0xFFFF == 0xA9FE }
  package var isUnspecified: Bool { isIPv6 ? words.high == 0 && words.low == 0 : words.low & 0xFFFF_FFFF == 0 }
  var isBroadcast: Bool { !isIPv6 && words.low & 0xFFFF_FFFF == 0xFFFF_FFFF }
  /// Something may be sent there: to one machine.
  var isReachable: Bool { port > 0 && !isMulticast && !isUnspecified && !isBroadcast }
}

extension ICEAgent {
  /// Which addresses of this machine are to be bases, of all that its interfaces have, in their order: no link-local ones, which no browser
  /// offers, and loopback only when nothing else is there or if it is asked for (RFC 8445, section 5.1.1.1). At most 16.
  public static func hostAddresses(_ all: [SocketAddress], withLoopback: Bool = false) -> [SocketAddress] {
    var chosen: [SocketAddress] = []
    func add(_ isWanted: (SocketAddress) -> Bool) {
      for address in all where chosen.count < mostBases && !chosen.contains(address) {
        if !address.isUnspecified, !address.isMulticast, !address.isBroadcast, !address.isLinkLocal, isWanted(address) {
          chosen.append(address)
        }
      }
    }
    add { !$0.isLoopback }
    if withLoopback || chosen.isEmpty { add(\.isLoopback) }
    return chosen
  }
}
