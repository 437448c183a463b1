import Testing

@testable import MediaRTP

@Suite struct ReportBlockTests {
  private let block = ReportBlock(
    ssrc: SSRC(0x1122_3344), fractionLost: 64, cumulativeLost: -2, highestSequence: 0x0002_FFFE, jitter: 5, lastSenderReport: 0xB705_2000,
    delaySinceLastSenderReport: 0x5_4000)

  @Test func theBlockIsThatOfTheStandard() throws {
    let packet = written { block.write(to: &$0) }
    #expect(packet == bytes("11223344 40 fffffe 0002fffe 00000005 b7052000 00054000"))
    try reading(packet + packet) { bytes in
      var reader = PacketReader(bytes)
      let blocks = try ReportBlocks(2, from: &reader)
      #expect(Array(blocks) == [block, block] && reader.isAtEnd)
      var again = PacketReader(bytes)
      #expect((try? ReportBlocks(3, from: &again)) == nil)
    }
  }

  @Test func lossIsClampedTo24Bits() throws {
    for (lost, expected) in [(Int32.max, 0x7F_FFFF as Int32), (Int32.min, -0x80_0000), (-0x80_0000, -0x80_0000), (-1, -1)] {
      var block = block
      block.cumulativeLost = lost
      let read = try reading(written { block.write(to: &$0) }) { bytes in
        var reader = PacketReader(bytes)
        return try ReportBlock(from: &reader)
      }
      #expect(read.cumulativeLost == expected && read.fractionLost == 64)
    }
  }
}
