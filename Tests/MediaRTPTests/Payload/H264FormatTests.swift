import MediaCore
import Testing

@testable import MediaRTP

@Suite struct H264FormatTests {
  private let packetizer = H264Format(.nonInterleaved).makePacketizer()
  private let assembler = H264Format(.nonInterleaved).makeAssembler()

  private func cut(_ packetizer: any FramePacketizer, _ frame: [UInt8], limit: Int) throws -> [[UInt8]] {
    try reading(frame) { frame in
      let plan = try packetizer.begin(frame, number: 0, isDroppable: false, limit: limit)
      return (0..<plan.packets).map { _ in written(limit) { _ = packetizer.writeNext(to: &$0) } }
    }
  }

  @Test func smallUnitsShareAPacketAndLargeOnesAreCut() throws {
    let frame = bytes("00000001 6742 000001 68ce 00000001 65888400") + TestFrame.content(20, 0)
    let payloads = try cut(packetizer, frame, limit: 23)
    #expect(payloads[0] == bytes("78 0002 6742 0002 68ce"))
    // 23 bytes after the first one, in parts of 21 at most.
    #expect(payloads.count == 3 && payloads[1].starts(with: bytes("7c85 8884")) && payloads[2].starts(with: bytes("7c45")))
    #expect(payloads[1].count == 13 && payloads[2].count == 14)
    let single = H264Format(.single).makePacketizer()
    #expect(throws: PacketError("H.264: a unit larger than a packet, in packetization mode 0")) { try cut(single, frame, limit: 23) }
    #expect(try cut(single, frame, limit: 24).map(\.count) == [2, 2, 24])
  }

  @Test func zerosAfterAUnitAreNotOfIt() throws {
    #expect(try cut(packetizer, bytes("0000000001 41 9a 00 00 00 000001 41 1a"), limit: 100) == [bytes("58 0002 419a 0002 411a")])
  }

  @Test func whatIsNoFrameIsRefused() {
    let wrong = ["", "00", "419a", "05 000001 419a", "000001", "000001 000001 41", "000001 7c85", "000001 00"]
    for hex in wrong { #expect(throws: PacketError.self, "\(hex)") { try cut(packetizer, bytes(hex), limit: 100) } }
    let many = [UInt8]((0..<1025).flatMap { _ in [0, 0, 1, 65, 154] as [UInt8] })
    #expect(throws: PacketError("H.264: a frame of too many units")) { try cut(packetizer, many, limit: 1000) }
  }

  /// Of libx264: 322 × 182 with cropping, and 1920 × 1080 in 4:4:4.
  @Test func sizesAreRead() {
    func size(_ hex: String) -> [UInt16] {
      reading(bytes(hex)) { H264Unit.size($0) }.map { [$0.width, $0.height] } ?? []
    }
    #expect(size("64000bacb202a33c44d808800000030080000005078a1524") == [322, 182])
    #expect(size("f40028919b280f0044fc4e022000000300200000030141e30632c0") == [1920, 1080])
    #expect(size("64000bacb2").isEmpty && size("").isEmpty)
  }

  @Test func whatAPayloadSaysOfItsFrame() throws {
    func look(_ hex: String) throws -> (FramePart.Start, Bool) {
      let part = try reading(bytes(hex)) { try assembler.look(at: $0) }
      return (part.start, part.isKeyFrame)
    }
    for (hex, start, isKey) in [
      ("09f0", .likely, false), ("6742", .likely, true), ("68ce", .unknown, false), ("6588", .unknown, true), ("419a", .unknown, false),
      ("7c85 88", .unknown, true), ("7c05 88", .none, true), ("7c41 88", .none, false), ("78 0002 09f0 0002 6588", .likely, true)
    ] as [(String, FramePart.Start, Bool)] {
      let (found, key) = try look(hex)
      #expect(found == start && key == isKey, "\(hex)")
    }
    for hex in ["7c", "7c85", "7cc5 88", "7c9c 88", "78", "78 0000", "78 0003 6588", "78 0002 7c85", "79 00", "60", "7f 00"] {
      #expect(throws: PacketError.self, "\(hex)") { try look(hex) }
    }
  }

  @Test func partsThatDoNotGoTogetherAreNoFrame() throws {
    func frame(_ payloads: String...) -> AssembledFrame? {
      assembler.begin(nil)
      for payload in payloads {
        guard reading(bytes(payload), { (try? assembler.add($0)) != nil }) else { return nil }
      }
      return assembler.end()
    }
    #expect(frame("7c85 8884", "7c05 11", "7c45 22") == AssembledFrame(size: 9, isKeyFrame: true, isDroppable: false, width: 0, height: 0))
    #expect(frame("1c81 88", "1c41 11")?.isDroppable == true && frame("7c81 88", "7c41 11")?.isDroppable == false)
    #expect(frame("7c05 11") == nil && frame("7c85 88") == nil && frame("7c85 88", "7c41 11") == nil && frame("7c85 88", "419a") == nil)
    #expect(frame("7c85 88", "7c85 88") == nil && frame() == nil)
  }

  /// The parameters come in packets of their own: the frame begins with the first of them, whenever that comes.
  @Test func aFrameBeginsAfterTheOneBeforeIt() throws {
    func insert(_ buffer: FrameBuffer, _ number: Int64, _ hex: String, stamp: UInt32, marker: Bool = false) {
      var header = RTPHeader(payloadType: 96, sequence: SequenceNumber(UInt16(number)), timestamp: RTPTimestamp(stamp), ssrc: SSRC(1))
      header.marker = marker
      _ = reading(bytes(hex)) { buffer.insert(number, RTPPacket(header: header, payload: $0), now: 0) }
    }
    let buffer = FrameBuffer(H264Format(.nonInterleaved))
    insert(buffer, 10, "6742", stamp: 0)
    insert(buffer, 12, "6588", stamp: 0, marker: true)
    #expect(buffer.next() == nil)
    insert(buffer, 11, "68ce", stamp: 0)
    let key = try #require(buffer.next())
    #expect(key.first == 10 && key.last == 12 && key.isKeyFrame && key.size == 18)
    buffer.skip(key)
    // The packet between the two is missing: nobody knows whether it is of this frame.
    insert(buffer, 14, "419a", stamp: 3000, marker: true)
    #expect(buffer.next() == nil && buffer.completePictures == 0)
    insert(buffer, 13, "0605", stamp: 3000)
    let next = try #require(buffer.next())
    #expect(next.first == 13 && next.last == 14)
    buffer.skip(next)
    // A stream that begins with a key frame whose parameters came otherwise.
    let other = FrameBuffer(H264Format(.single))
    insert(other, 7, "6588", stamp: 0, marker: true)
    #expect(other.next()?.isKeyFrame == true)
  }
}
