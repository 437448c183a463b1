/// What of a packet can be seen from outside (RFC 9260, section 3), before the library reads it.
struct SCTPPacketCheck {
  /// What a record of DTLS holds.
  static let longest = 16_384
  private static let header = 12

  /// INIT and INIT ACK: what begins an association, or begins it again.
  private(set) var begins = false

  /// nil: it is dropped. Chunks that go beyond it, other ports, and kinds that this end does not agree on are; what has a kind that nobody
  /// knows is for the library, which answers as section 3.2 says.
  init?(_ packet: UnsafeRawBufferPointer, from source: UInt16, to destination: UInt16) {
    guard (SCTPPacketCheck.header + 4...SCTPPacketCheck.longest).contains(packet.count) else { return nil }
    func number(_ offset: Int) -> Int { Int(packet[offset]) << 8 | Int(packet[offset + 1]) }
    guard number(0) == source, number(2) == destination else { return nil }
    var offset = SCTPPacketCheck.header
    while offset < packet.count {
      guard packet.count - offset >= 4 else { return nil }
      let (kind, length) = (packet[offset], number(offset + 2))
      guard length >= 4, length <= packet.count - offset, !SCTPPacketCheck.refused.contains(kind) else { return nil }
      if kind == 1 || kind == 2 { begins = true }
      // The padding of the last chunk may be missing.
      offset += (length + 3) & ~3
    }
  }

  /// ECNE and CWR, AUTH (RFC 4895), NR-SACK, I-DATA and I-FORWARD-TSN (RFC 8260), ASCONF (RFC 5061), PKTDROP: never offered, so nobody who
  /// follows the RFCs sends them.
  private static let refused: Set<UInt8> = [0x0c, 0x0d, 0x0f, 0x10, 0x40, 0x80, 0x81, 0xc1, 0xc2]
}
