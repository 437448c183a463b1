import Testing

@testable import MediaRTP

@Suite struct RTPHeaderViewTests {
  @Test func itEndsWhereThePayloadBegins() throws {
    for (hex, size) in [
      ("80 e0 0102 00000003 00000004 aabb", 12), ("82 60 0102 00000003 00000004 00000005 00000006 aabb", 20),
      ("91 60 0102 00000003 00000004 00000005 bede0001 10aa0000 aabb", 24)
    ] {
      let front = try reading(bytes(hex)) { try RTPHeaderView(parsing: $0) }
      #expect(front.size == size, "\(hex)")
      #expect(
        front.ssrc == SSRC(4) && front.timestamp == RTPTimestamp(3) && front.sequence == SequenceNumber(0x102) && front.payloadType == 96)
      #expect(front.marker == (size == 12))
    }
  }

  @Test func thePaddingIsNotLookedAt() throws {
    // Its last byte, encrypted, would be more than there is.
    let front = try reading(bytes("a0 60 0102 00000003 00000004 aabbff")) { try RTPHeaderView(parsing: $0) }
    #expect(front.isPadded && front.size == 12)
    #expect(throws: PacketError.self) { try reading(bytes("a0 60 0102 00000003 00000004 aabbff")) { _ = try RTPPacket(parsing: $0) } }
  }

  @Test func whatIsCutOrSpoiltIsRefusedOrWithinTheBytes() {
    let valid = bytes("91 60 0102 00000003 00000004 00000005 bede0001 10aa0000")
    for count in valid.indices {
      #expect(throws: PacketError.self) { try reading(Array(valid.prefix(count))) { _ = try RTPHeaderView(parsing: $0) } }
    }
    spoilt(valid, seed: 3) { copy in
      let size = reading(copy) { try? RTPHeaderView(parsing: $0).size }
      #expect(size.map { $0 <= copy.count } ?? true)
    }
  }
}
