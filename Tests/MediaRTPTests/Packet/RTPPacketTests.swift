import Testing

@testable import MediaRTP

@Suite struct RTPPacketTests {
  private var map: ExtensionMap {
    var map = ExtensionMap()
    (map.transportSequence, map.audioLevel, map.absoluteSendTime, map.orientation, map.mid) = (3, 1, 2, 4, 5)
    return map
  }

  private var full: RTPHeader {
    var header = RTPHeader(
      payloadType: 96, marker: true, sequence: SequenceNumber(0xFFFE), timestamp: RTPTimestamp(0x0102_0304), ssrc: SSRC(0xDEAD_BEEF))
    header.extensions.transportSequence = 0x1234
    header.extensions.absoluteSendTime = 0xABCDEF
    header.extensions.audioLevel = .init(level: 37, isVoice: true)
    header.extensions.orientation = 9
    header.extensions.mid = "video0"
    return header
  }

  @Test func theFixedHeaderIsThatOfTheStandard() throws {
    let header = RTPHeader(
      payloadType: 111, sequence: SequenceNumber(7), timestamp: RTPTimestamp(960), ssrc: SSRC(0x11223344))
    let packet = written { header.write(to: &$0) }
    #expect(packet == bytes("80 6f 0007 000003c0 11223344"))
    try reading(packet + [1, 2, 3]) { bytes in
      let read = try RTPPacket(parsing: bytes)
      #expect(read.header == header)
      #expect(read.payload.elementsEqual([1, 2, 3]))
      #expect(read.headerSize == 12 && read.paddingSize == 0 && read.contributingSources.isEmpty)
    }
  }

  @Test func extensionsComeBack() throws {
    let packet = written { full.write(to: &$0, map) }
    #expect(packet.count % 4 == 0)
    #expect(Array(packet[12..<14]) == [0xBE, 0xDE])
    try reading(packet) { bytes in
      let (known, unknown) = (try RTPPacket(parsing: bytes, map).header, try RTPPacket(parsing: bytes).header)
      #expect(known == full)
      // Nobody said what they mean.
      #expect(unknown.extensions.isEmpty)
    }
  }

  @Test func longOnesTakeTheTwoByteForm() throws {
    var header = full
    header.extensions.mid = "a name that is longer than sixteen".replacing(" ", with: "-")
    let packet = written { header.write(to: &$0, map) }
    #expect(Array(packet[12..<14]) == [0x10, 0x00])
    #expect(try reading(packet) { try RTPPacket(parsing: $0, map).header } == header)
    var wide = map
    wide.orientation = 200
    let other = written { full.write(to: &$0, wide) }
    #expect(Array(other[12..<14]) == [0x10, 0x00])
    #expect(try reading(other) { try RTPPacket(parsing: $0, wide).header } == full)
  }

  @Test func paddingBetweenElementsAndTheReservedIDAreReadOver() throws {
    // RFC 8285, section 4.2: 0 is padding; 15 ends the block.
    let block = bytes("90 60 0001 00000000 00000001 bede 0003 00 10 a5 00 30 11 f0 31 22 22 00 00")
    try reading(block) { bytes in
      let packet = try RTPPacket(parsing: bytes, map)
      #expect(packet.header.extensions.audioLevel == .init(level: 0x25, isVoice: true))
      #expect(packet.header.extensions.transportSequence == nil)
      #expect(packet.payload.isEmpty)
    }
  }

  @Test func sourcesAndPaddingAreToldApartFromThePayload() throws {
    try reading(bytes("b2 60 0001 00000000 00000001 0000000a 0000000b abcd 0000 77 88 00 00 03")) { bytes in
      let packet = try RTPPacket(parsing: bytes)
      #expect(packet.contributingSources == [SSRC(10), SSRC(11)])
      #expect(packet.payload.elementsEqual([0x77, 0x88]))
      #expect(packet.paddingSize == 3 && packet.headerSize == 24)
    }
  }

  @Test func whatIsNoPacketIsRefused() {
    func reason(_ hex: String) -> String? {
      reading(bytes(hex)) { bytes in
        do throws(PacketError) {
          _ = try RTPPacket(parsing: bytes)
          return nil
        } catch { return error.description }
      }
    }
    #expect(reason("40 60 0001 00000000 00000001") == "RTP: the version is not 2")
    #expect(reason("80 60 0001 00000000 000000") == "ends early")
    #expect(reason("81 60 0001 00000000 00000001 0000") == "ends early")
    #expect(reason("90 60 0001 00000000 00000001 bede 0001") == "ends early")
    let padding = "RTP: the padding is longer than the packet, or its length is 0"
    #expect(reason("a0 60 0001 00000000 00000001") == padding)
    #expect(reason("a0 60 0001 00000000 00000001 00") == padding)
    #expect(reason("a0 60 0001 00000000 00000001 02") == padding)
    #expect(reason("a0 60 0001 00000000 00000001 01") == nil)
  }

  @Test func controlPacketsAreToldApart() {
    for (second, expected) in [
      (96, false), (0x80 | 96, false), (191, false), (192, true), (200, true), (207, true), (223, true), (224, false)
    ] {
      reading([0x80, UInt8(second)]) { #expect(RTPPacket.isRTCP($0) == expected) }
    }
    reading([0x80]) { #expect(!RTPPacket.isRTCP($0)) }
  }

  @Test func spoiltPacketsDoNoHarm() {
    let packet = written { full.write(to: &$0, map) } + [1, 2, 3, 4]
    var (read, refused) = (0, 0)
    spoilt(packet, seed: 1) { copy in
      reading(copy) { bytes in
        guard let packet = try? RTPPacket(parsing: bytes, map) else { return refused += 1 }
        read += 1
        #expect(packet.headerSize + packet.payload.count + packet.paddingSize == copy.count)
        // What was understood can be said again.
        let again = written { packet.header.write(to: &$0, map) }
        reading(again) { #expect((try? RTPPacket(parsing: $0, map))?.header == packet.header) }
      }
    }
    #expect(read > 100 && refused > 20)
  }
}
