import MediaCore
import Testing

@testable import MediaRTP

@Suite struct AV1FormatTests {
  private let packetizer = AV1Format().makePacketizer()
  private let assembler = AV1Format().makeAssembler()

  private func cut(_ frame: [UInt8], limit: Int) throws -> [[UInt8]] {
    try reading(frame) { frame in
      let plan = try packetizer.begin(frame, number: 0, isDroppable: false, limit: limit)
      return (0..<plan.packets).map { _ in written(limit) { _ = packetizer.writeNext(to: &$0) } }
    }
  }

  private func put(_ payloads: [[UInt8]]) -> (AssembledFrame, [UInt8])? {
    var memory = [UInt8](repeating: 0, count: 4000)
    let frame: AssembledFrame? = memory.withUnsafeMutableBytes { memory in
      assembler.begin(memory)
      for payload in payloads {
        guard reading(payload, { (try? assembler.add($0)) != nil }) else { return nil }
      }
      return assembler.end()
    }
    return frame.map { ($0, Array(memory.prefix($0.size))) }
  }

  /// The delimiter does not go, nor do sizes within units; N stands in the first packet of a sequence.
  @Test func unitsBecomeElements() throws {
    let frame = bytes(TestFrame.av1Delimiter + TestFrame.av1Sequence + "32 05 1000840002")
    #expect(try cut(frame, limit: 100) == [bytes("08 0c 08 000000043d06d4daf90040 06 30 1000840002")])
    // A unit alone has no size.
    #expect(try cut(bytes("1200 32 05 3003808000"), limit: 100) == [bytes("10 30 3003808000")])
    // In parts: the first is gone on with, the second goes on.
    let parts = try cut(bytes("1200 32 18 30038080") + TestFrame.content(20, 0), limit: 16)
    #expect(parts.count == 2 && parts[0][0] == 0x50 && parts[1][0] == 0x90)
    // With an extension, which goes, and padding, which does not.
    #expect(try cut(bytes("36 08 02 3003 7a 01 80"), limit: 100) == [bytes("10 34 08 3003")])
    for hex in ["", "1200", "b2 01 30", "32 05 30", "36", "32 ffffffffffffffff01"] {
      #expect(throws: PacketError.self, "\(hex)") { try cut(bytes(hex), limit: 100) }
    }
  }

  @Test func aFrameOfTooManyUnitsIsRefused() {
    let many = [UInt8]((0..<1025).flatMap { _ in [0x32, 1, 0x30] as [UInt8] })
    #expect(throws: PacketError("AV1: a frame of too many units")) { try cut(many, limit: 1000) }
  }

  @Test func elementsBecomeUnits() throws {
    let whole = bytes(TestFrame.av1Delimiter + TestFrame.av1Sequence + "32 05 1000840002")
    let (frame, out) = try #require(put([bytes("08 0c 08 000000043d06d4daf90040 06 30 1000840002")]))
    // Of libaom: 322 × 182.
    #expect(out == whole && frame.isKeyFrame && frame.width == 322 && frame.height == 182)
    // W counts them, and the last has no size; a delimiter that was sent is no other one; sizes that stand where none should.
    #expect(put([bytes("28 0c 08 000000043d06d4daf90040 30 1000840002")])?.1 == whole)
    #expect(put([bytes("00 01 10 06 30 3003808000")])?.1 == bytes("1200 32 05 3003808000"))
    #expect(put([bytes("10 32 05 3003808000")])?.1 == bytes("1200 32 05 3003808000"))
    // Over three packets, cut within the head.
    #expect(put([bytes("50 34"), bytes("d0 08 30"), bytes("90 03 80")])?.1 == bytes("1200 36 08 03 30 03 80"))
    for payloads in [["90 30"], ["50 30 30"], ["50 30 30", "10 30 30"], ["10 30", "90 30"], ["50 34", "90"], ["10 b0 30"], ["10 32 04 30"]]
    {
      #expect(put(payloads.map { bytes($0) }) == nil, "\(payloads)")
    }
  }

  @Test func whatAPayloadSaysOfItsFrame() throws {
    func look(_ hex: String) throws -> FramePart { try reading(bytes(hex)) { try assembler.look(at: $0) } }
    #expect(try look("18 30").start == .certain && look("18 30").isKeyFrame)
    #expect(try look("10 30").start == .unknown && look("90 30").start == .none && look("50 30").start == .unknown)
    for hex in ["10", "98 30", "00 05 30", "20 05 30", "00 00", "00 ff", "10"] {
      #expect(throws: PacketError.self, "\(hex)") { try look(hex) }
    }
  }

  /// One can begin with a key frame that has the sequence's header, as the plugin for AV1 has it.
  @Test func keyFramesAreKnown() throws {
    func isKey(_ hex: String) -> Bool {
      reading(bytes(hex)) { (try? packetizer.begin($0, number: 0, isDroppable: false, limit: 100))?.isKeyFrame } ?? false
    }
    let sequence = TestFrame.av1Sequence
    #expect(isKey(sequence + "32 02 1000") && !isKey("32 02 1000") && !isKey(sequence + "32 02 3000"))
    // A frame that is shown again, and one that is only between others.
    #expect(!isKey(sequence + "1a 01 80") && !isKey(sequence + "32 02 5000") && isKey(sequence + "1a 02 1000 22 01 00"))
  }

  @Test func sizesAreReadAndWritten() throws {
    for value in [0, 1, 127, 128, 300, 16_383, 16_384, 2_000_000, 0xFFFF_FFFF] {
      let size = AV1Unit.size(value)
      let written = (0..<size.count).map { UInt8(truncatingIfNeeded: size.bytes >> UInt64(8 * $0)) }
      let read: (Int, Bool) = try reading(written) { bytes in
        var reader = PacketReader(bytes)
        return (try AV1Unit.readSize(&reader), reader.isAtEnd)
      }
      #expect(read == (value, true))
    }
  }
}
