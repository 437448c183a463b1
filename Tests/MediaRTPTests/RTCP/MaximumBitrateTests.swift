import Testing

@testable import MediaRTP

@Suite struct MaximumBitrateTests {
  private func read(_ packet: [UInt8]) throws -> (bitrate: Int, sources: [SSRC])? {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next(), let message = try MaximumBitrate(parsing: packet) else { return nil }
      return (message.bitrate, Array(message.sources))
    }
  }

  @Test func theMessageIsThatOfTheDraft() throws {
    let packet = written { MaximumBitrate.write(to: &$0, sender: SSRC(1), bitrate: 1_000_000, [SSRC(2), SSRC(3)]) }
    // 250,000 times 2 to the second.
    #expect(packet == bytes("8f ce 0006 00000001 00000000 52454d42 02 0bd090 00000002 00000003"))
    let read = try read(packet)
    #expect(read?.bitrate == 1_000_000 && read?.sources == [SSRC(2), SSRC(3)])
  }

  @Test func ratesComeBackRoundedDown() throws {
    for bitrate in [0, 1, 0x3FFFF, 0x40000, 0x40001, 123_456_789, Int.max, -5] {
      let read = try read(written { MaximumBitrate.write(to: &$0, sender: SSRC(1), bitrate: bitrate, []) })?.bitrate ?? -1
      #expect(read <= max(0, bitrate) && read >= max(0, bitrate) - max(0, bitrate) >> 17)
      if bitrate <= 0x3FFFF { #expect(read == max(0, bitrate)) }
    }
  }

  @Test func moreThanCanBeSaidIsAsMuchAsCan() throws {
    #expect(try read(bytes("8f ce 0004 00000001 00000000 52454d42 00 ffffff"))?.bitrate == Int.max)
    #expect(try read(bytes("8f ce 0004 00000001 00000000 52454d42 00 fc0000"))?.bitrate == 0)
    // The edge: 2 to the 62nd can be said, to the 63rd cannot.
    #expect(try read(bytes("8f ce 0004 00000001 00000000 52454d42 00 f80001"))?.bitrate == 1 << 62)
    #expect(try read(bytes("8f ce 0004 00000001 00000000 52454d42 00 fc0001"))?.bitrate == Int.max)
  }

  @Test func othersFeedbackIsNotOurs() throws {
    let other = try read(bytes("8f ce 0003 00000001 00000000 52454d43"))
    #expect(other == nil)
    let bare = try read(bytes("8f ce 0002 00000001 00000000"))
    #expect(bare == nil)
    // Sources that are not there.
    #expect(throws: PacketError.self) { try read(bytes("8f ce 0005 00000001 00000000 52454d42 02 0bd090 00000002")) }
  }
}
