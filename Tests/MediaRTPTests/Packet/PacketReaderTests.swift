import Testing

@testable import MediaRTP

@Suite struct PacketReaderTests {
  @Test func numbersAreInNetworkOrder() throws {
    try reading(bytes("01 0203 040506 0708090a 0b0c0d0e0f101112 1314")) { bytes in
      var reader = PacketReader(bytes)
      #expect(reader.peek() == 1 && reader.peek(at: 19) == 0x14 && reader.peek(at: 20) == nil && reader.peek(at: -1) == nil)
      let small = (try reader.u8(), try reader.u16(), try reader.u24())
      #expect(small == (1, 0x0203, 0x040506))
      let large = (try reader.u32(), try reader.u64())
      #expect(large == (0x0708090A, 0x0B0C_0D0E_0F10_1112))
      #expect(reader.count == 2)
      let last = try reader.bytes(2)
      #expect(last.elementsEqual([0x13, 0x14]))
      #expect(reader.isAtEnd)
      let nothing = try reader.bytes(0)
      #expect(nothing.isEmpty)
    }
  }

  @Test func itNeverReadsBeyondTheEnd() {
    reading([1, 2, 3]) { bytes in
      var reader = PacketReader(bytes)
      #expect((try? reader.u32()) == nil)
      #expect((try? reader.u64()) == nil)
      #expect((try? reader.bytes(4)) == nil)
      #expect((try? reader.bytes(-1)) == nil)
      #expect(reader.count == 3)
      #expect((try? reader.u24()) == 0x010203)
      #expect((try? reader.u8()) == nil)
    }
  }
}
