import MediaCore
import Testing

@testable import MediaRTP

@Suite struct GenericNACKTests {
  private func read(_ packet: [UInt8]) throws -> [UInt16] {
    try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { return [] }
      let nack = try GenericNACK(parsing: packet)
      #expect(nack.sender == SSRC(1) && nack.media == SSRC(2))
      return nack.map(\.rawValue)
    }
  }

  private func write(_ numbers: [UInt16], room: Int = 1500) -> (packet: [UInt8], said: Int) {
    var said = 0
    let packet = written(room) {
      said = GenericNACK.write(to: &$0, sender: SSRC(1), media: SSRC(2), numbers.map { SequenceNumber($0) }[...])
    }
    return (packet, said)
  }

  @Test func entriesAreThoseOfTheStandard() throws {
    let (packet, said) = write([10, 11, 26, 27])
    #expect(packet == bytes("81 cd 0004 00000001 00000002 000a 8001 001b 0000"))
    #expect(said == 4)
    #expect(try read(packet) == [10, 11, 26, 27])
  }

  @Test func numbersWrapWithinAnEntry() throws {
    #expect(try read(write([65_535, 0, 15]).packet) == [65_535, 0, 15])
    #expect(write([65_535, 0, 15]).packet.count == 20 - 4)
    // Said twice, and out of order.
    #expect(try read(write([5, 5, 6, 4]).packet) == [5, 6, 4])
  }

  @Test func whatFindsNoRoomIsLeftForTheNext() throws {
    let numbers = (0..<10).map { UInt16($0 * 100) }
    let (packet, said) = write(numbers, room: 12 + 4 * 3 + 3)
    #expect(said == 3)
    #expect(try read(packet) == [0, 100, 200])
    #expect(write(numbers, room: 15).said == 0 && write(numbers, room: 15).packet.isEmpty)
    #expect(write([]).packet.isEmpty)
  }

  @Test func anyListComesBack() throws {
    var random = SeededRandom(seed: 4)
    for _ in 0..<200 {
      var number = UInt16.random(in: 0...65_535, using: &random)
      let numbers = (0..<Int.random(in: 1...200, using: &random)).map { _ in
        number &+= UInt16.random(in: 1...40, using: &random)
        return number
      }
      let (packet, said) = write(numbers)
      #expect(said == numbers.count)
      #expect(try read(packet) == numbers)
    }
  }

  @Test func halfAnEntryIsRefused() {
    #expect((try? read(bytes("81 cd 0001 00000001"))) == nil)
    // Cut by its padding.
    #expect((try? read(bytes("a1 cd 0003 00000001 00000002 00010002"))) == nil)
  }
}
