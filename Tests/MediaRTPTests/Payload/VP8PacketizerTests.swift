import MediaCore
import Testing

@testable import MediaRTP

@Suite struct VP8PacketizerTests {
  /// Payloads, each with its descriptor taken off.
  private func packets(_ picture: [UInt8], limit: Int, _ descriptor: VP8Descriptor = VP8Descriptor()) throws -> [(VP8Descriptor, [UInt8])] {
    try picture.withUnsafeBytes { picture in
      var packetizer = try VP8Packetizer(picture, descriptor, limit: limit)
      var all: [(VP8Descriptor, [UInt8])] = []
      let announced = packetizer.count
      while true {
        var more = false
        let payload = written { more = packetizer.writeNext(to: &$0) }
        guard more else { break }
        #expect(payload.count <= limit)
        try payload.withUnsafeBytes { payload in
          var reader = PacketReader(payload)
          all.append((try VP8Descriptor(parsing: &reader), Array(reader.rest)))
        }
      }
      #expect(all.count == announced)
      return all
    }
  }

  @Test func piecesAreThePictureInOrderAndEven() throws {
    var descriptor = VP8Descriptor()
    descriptor.pictureID = .long(700)
    for size in [1, 2, 10, 1195, 1196, 1197, 2392, 2393, 50_001] {
      // A delta frame, whose first partition is all of it but for the last byte.
      let picture = [UInt8](unsafeUninitializedCapacity: size) { memory, count in
        for index in 0..<size { memory[index] = UInt8(truncatingIfNeeded: index &* 7 | 1) }
        count = size
      }
      let all = try packets(picture, limit: 1200, descriptor)
      #expect(all.flatMap(\.1) == picture)
      #expect(all.count == (size + 1195) / 1196)
      let sizes = all.map(\.1.count)
      #expect((sizes.max() ?? 0) - (sizes.min() ?? 0) <= 1)
      #expect(all.enumerated().allSatisfy { $1.0.isStart == ($0 == 0) && $1.0.pictureID == .long(700) })
    }
  }

  @Test func partitionsAreToldByTheirFirstByte() throws {
    // First partition of 20 bytes after a tag of 3.
    let tag = UInt32(20) << 5 | 1
    let picture =
      [UInt8(truncatingIfNeeded: tag), UInt8(truncatingIfNeeded: tag >> 8), UInt8(truncatingIfNeeded: tag >> 16)]
      + [UInt8](repeating: 9, count: 47)
    let all = try packets(picture, limit: 11)
    #expect(all.map { $0.0.partition } == [0, 0, 0, 1, 1])
    #expect(all.map { $0.0.isStart } == [true, false, false, false, false])
  }

  @Test func whatCannotBeCutIsRefused() {
    #expect((try? packets([], limit: 1200)) == nil)
    #expect((try? packets([1], limit: 6)) == nil)
    #expect((try? packets([1, 2, 3], limit: 7))?.count == 1)
  }

  @Test func anyBytesAndAnyRoomWillDo() throws {
    var random = SeededRandom(seed: 4)
    for _ in 0..<300 {
      let picture = (0..<Int.random(in: 1...5000, using: &random)).map { _ in UInt8.random(in: 0...255, using: &random) }
      let all = try packets(picture, limit: Int.random(in: 7...1400, using: &random))
      #expect(all.flatMap(\.1) == picture)
    }
  }
}
