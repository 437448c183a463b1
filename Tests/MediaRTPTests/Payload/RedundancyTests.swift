import Testing

@testable import MediaRTP

@Suite struct RedundancyTests {
  /// A payload of blocks (RFC 2198, section 3), the last of which is the newest.
  private func payload(_ blocks: [(type: UInt8, offset: Int, bytes: [UInt8])], _ newest: [UInt8], type: UInt8 = 111) -> [UInt8] {
    var payload: [UInt8] = []
    for block in blocks {
      payload += [0x80 | block.type, UInt8(block.offset >> 6), UInt8(block.offset & 63) << 2 | UInt8(block.bytes.count >> 8)]
      payload.append(UInt8(block.bytes.count & 255))
    }
    return payload + [type] + blocks.flatMap(\.bytes) + newest
  }

  private func blocks(_ redundancy: Redundancy.Payload) -> [(distance: Int64, type: UInt8, offset: Int64, bytes: [UInt8])] {
    var blocks: [(Int64, UInt8, Int64, [UInt8])] = []
    redundancy.forEachEarlier { blocks.append(($0, $1.type, $1.offset, Array($1.bytes))) }
    return blocks
  }

  @Test func blocksAreReadFromTheEarliestOn() throws {
    let long = [UInt8](repeating: 7, count: 1023)
    try reading(payload([(110, 16_383, long), (111, 960, [1, 2])], [3, 4, 5])) { bytes in
      let read = try Redundancy.read(bytes)
      #expect(read.type == 111 && Array(read.packet) == [3, 4, 5] && read.count == 2)
      let blocks = blocks(read)
      #expect(blocks[0].distance == 2 && blocks[0].type == 110 && blocks[0].offset == 16_383 && blocks[0].bytes == long)
      #expect(blocks[1].distance == 1 && blocks[1].type == 111 && blocks[1].offset == 960 && blocks[1].bytes == [1, 2])
    }
    try reading([111, 9]) { bytes in
      let read = try Redundancy.read(bytes)
      #expect(read.count == 0 && Array(read.packet) == [9])
    }
  }

  @Test func whatIsCutOffIsRefused() {
    let whole = payload([(111, 1920, [1, 2, 3]), (111, 960, [4, 5])], [6])
    for count in 0..<(whole.count - 1) {
      reading(Array(whole.prefix(count))) { bytes in #expect((try? Redundancy.read(bytes)) == nil, "\(count) bytes") }
    }
    let most = [(type: UInt8, offset: Int, bytes: [UInt8])](repeating: (111, 960, []), count: Redundancy.mostBlocks)
    reading(payload(most, [1])) { bytes in #expect((try? Redundancy.read(bytes))?.count == Redundancy.mostBlocks) }
    reading(payload(most + [(111, 960, [])], [1])) { bytes in #expect((try? Redundancy.read(bytes)) == nil) }
  }

  @Test func whatIsWrittenIsRead() throws {
    for count in [1, 255, 256, 1023] {
      let earlier = (0..<count).map { UInt8(truncatingIfNeeded: $0) }
      let bytes = written { writer in
        earlier.withUnsafeBytes { Redundancy.write($0, offset: 2880, type: 111, to: &writer) }
        writer.u8(8)
      }
      try reading(bytes) { bytes in
        let read = try Redundancy.read(bytes)
        #expect(read.type == 111 && Array(read.packet) == [8])
        let blocks = blocks(read)
        #expect(blocks.count == 1 && blocks[0].offset == 2880 && blocks[0].type == 111 && blocks[0].bytes == earlier)
      }
    }
  }

  @Test func aPacketGoesAlongWhileLossesAreReported() {
    let second: Int64 = 1_000_000_000
    var last = RedundantPacket()
    func offset(_ units: Int64, room: Int = 1000, target: Int = 1_000_000, at now: Int64) -> Int64? {
      last.offset(before: units, size: 85, room: room, target: target, at: now)
    }
    [UInt8](repeating: 1, count: 80).withUnsafeBytes { last.keep($0, units: 960) }
    #expect(offset(1920, at: 0) == nil)
    last.reported(lost: 4, at: 0)
    #expect(offset(1920, at: 0) == nil)
    last.reported(lost: 5, at: 0)
    #expect(offset(1920, at: 0) == 960 && offset(1920, at: 10 * second - 1) == 960 && offset(1920, at: 10 * second) == nil)
    #expect(offset(1920, room: 85, at: 0) == 960 && offset(1920, room: 84, at: 0) == nil)
    // A packet of 80 + 85 + 75 bytes each 20 ms: 96 kbit/s, a quarter of 384.
    #expect(offset(1920, target: 384_000, at: 0) == 960 && offset(1920, target: 383_999, at: 0) == nil)
    // After a pause that cannot be said, and not before what it was.
    #expect(offset(960 + 16_383, at: 0) == 16_383 && offset(960 + 16_384, at: 0) == nil && offset(960, at: 0) == nil)
    [UInt8](repeating: 1, count: 1024).withUnsafeBytes { last.keep($0, units: 1920) }
    #expect(offset(2880, room: 2000, at: 0) == nil)
  }
}
