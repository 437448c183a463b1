import Testing

@testable import MediaRTP

@Suite struct PacketWriterTests {
  @Test func numbersAreInNetworkOrder() {
    let packet = written { writer in
      writer.u8(1)
      writer.u16(0)
      writer.u24(0xFF04_0506)
      writer.u32(0x0708090A)
      writer.u64(0x0B0C_0D0E_0F10_1112)
      writer.zeros(2)
      [UInt8]([7, 8]).withUnsafeBytes { writer.bytes($0) }
      writer.u16(0x0203, at: 1)
      writer.u8(9, at: 0)
      writer.u16(0xFFFF, at: 21)
    }
    #expect(packet == bytes("09 0203 040506 0708090a 0b0c0d0e0f101112 0000 0708"))
  }

  @Test func whatFindsNoRoomIsLeftOutWhole() {
    var memory = [UInt8](repeating: 0xEE, count: 8)
    memory.withUnsafeMutableBytes { memory in
      var writer = PacketWriter(UnsafeMutableRawBufferPointer(rebasing: memory.prefix(4)))
      writer.u16(1)
      #expect(writer.room == 2 && !writer.isFull)
      writer.u32(2)
      #expect(writer.isFull && writer.count == 2)
      // Nothing follows what is missing.
      writer.u8(3)
      #expect(writer.count == 2 && writer.bytes.elementsEqual([0, 1]))
    }
    #expect(Array(memory[4...]) == [0xEE, 0xEE, 0xEE, 0xEE])
  }
}
