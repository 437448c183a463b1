import MediaCore

/// The headers of IP and UDP that a datagram would have had (RFC 791, RFC 8200, RFC 768), as sockets do not tell them.
enum PacketHeaders {
  static func size(isIPv6: Bool) -> Int { isIPv6 ? 48 : 28 }

  /// Writes them into memory of that size. Addresses of both families are those of the destination's.
  static func write(
    _ datagram: UnsafeRawBufferPointer, from source: SocketAddress, to destination: SocketAddress,
    into memory: UnsafeMutableRawBufferPointer
  ) {
    let isIPv6 = destination.isIPv6
    let length = UInt16(truncatingIfNeeded: datagram.count + 8)
    func put16(_ value: UInt16, _ place: Int) { memory.storeBytes(of: value.bigEndian, toByteOffset: place, as: UInt16.self) }
    func put64(_ value: UInt64, _ place: Int) { memory.storeBytes(of: value.bigEndian, toByteOffset: place, as: UInt64.self) }
    let udp: Int
    if isIPv6 {
      udp = 40
      memory.storeBytes(of: UInt32(0x6000_0000).bigEndian, as: UInt32.self)
      put16(length, 4)
      // UDP, and a hop limit of 64.
      put16(17 << 8 | 64, 6)
      put64(source.words.high, 8)
      put64(source.words.low, 16)
      put64(destination.words.high, 24)
      put64(destination.words.low, 32)
    } else {
      udp = 20
      put16(0x4500, 0)
      put16(length &+ 20, 2)
      put16(0, 4)
      put16(0x4000, 6)
      put16(64 << 8 | 17, 8)
      put16(0, 10)
      put64(source.words.low << 32 | (destination.words.low & 0xFFFF_FFFF), 12)
      put16(~sum(UnsafeRawBufferPointer(rebasing: memory[..<20])), 10)
    }
    put16(source.port, udp)
    put16(destination.port, udp + 2)
    put16(length, udp + 4)
    put16(0, udp + 6)
    // Of IPv4 none need be given; of IPv6 one must be, over a header of its own (RFC 8200, section 8.1).
    guard isIPv6 else { return }
    let addresses = sum(UnsafeRawBufferPointer(rebasing: memory[8..<40]))
    let start = sum(UnsafeRawBufferPointer(rebasing: memory[40..<48]), add(add(addresses, length), 17))
    let checksum = ~sum(datagram, start)
    put16(checksum == 0 ? 0xFFFF : checksum, udp + 6)
  }

  /// RFC 1071.
  private static func sum(_ bytes: UnsafeRawBufferPointer, _ start: UInt16 = 0) -> UInt16 {
    var total = UInt64(start)
    var place = 0
    while place + 1 < bytes.count {
      total &+= UInt64(UInt16(bytes[place]) << 8 | UInt16(bytes[place + 1]))
      place += 2
    }
    if place < bytes.count { total &+= UInt64(bytes[place]) << 8 }
    while total >> 16 != 0 { total = (total & 0xFFFF) &+ (total >> 16) }
    return UInt16(truncatingIfNeeded: total)
  }

  private static func add(_ one: UInt16, _ other: UInt16) -> UInt16 {
    let (sum, isOver) = one.addingReportingOverflow(other)
    return isOver ? sum &+ 1 : sum
  }
}
