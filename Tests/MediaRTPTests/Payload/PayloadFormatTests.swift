import MediaCore
import Testing

@testable import MediaRTP

/// What holds for every format of video.
@Suite struct PayloadFormatTests {
  /// The payloads of a frame, each no larger than the limit.
  private func cut(
    _ packetizer: any FramePacketizer, _ frame: [UInt8], number: UInt16, isDroppable: Bool = false, limit: Int
  ) throws -> [[UInt8]] {
    try reading(frame) { frame in
      let plan = try packetizer.begin(frame, number: number, isDroppable: isDroppable, limit: limit)
      var payloads: [[UInt8]] = []
      for _ in 0..<plan.packets {
        payloads.append(written(limit) { writer in #expect(packetizer.writeNext(to: &writer)) })
      }
      var rest = PacketWriter(UnsafeMutableRawBufferPointer(start: nil, count: 0))
      #expect(!packetizer.writeNext(to: &rest))
      let bytes = payloads.reduce(0) { $0 + $1.count }
      #expect(payloads.allSatisfy { !$0.isEmpty } && bytes <= plan.bytes && bytes >= plan.bytes - 2 * plan.packets)
      return payloads
    }
  }

  private func put(_ assembler: any FrameAssembler, _ payloads: [[UInt8]]) throws -> (AssembledFrame, [UInt8])? {
    assembler.begin(nil)
    for payload in payloads { try reading(payload) { try assembler.add($0) } }
    guard let measured = assembler.end() else { return nil }
    var memory = [UInt8](repeating: 0, count: measured.size)
    let again: AssembledFrame? = try memory.withUnsafeMutableBytes { memory in
      assembler.begin(memory)
      for payload in payloads { try reading(payload) { try assembler.add($0) } }
      return assembler.end()
    }
    #expect(again == measured)
    return (measured, memory)
  }

  @Test(arguments: TestFrame.formats.indices) func whatIsCutIsPutTogether(_ index: Int) throws {
    let encoding = TestFrame.formats[index]
    let format = try #require(encoding.format)
    var random = SeededRandom(seed: UInt64(index) + 1)
    let (packetizer, assembler) = (format.makePacketizer(), format.makeAssembler())
    for number in 0..<400 {
      let isKey = Int.random(in: 0..<4, using: &random) == 0
      let frame = TestFrame.make(encoding, Int.random(in: 1...6000, using: &random), isKey: isKey, number)
      let limit = Int.random(in: 40...1400, using: &random)
      let payloads = try cut(packetizer, frame, number: UInt16(number), limit: limit)
      let (described, whole) = try #require(try put(assembler, payloads))
      #expect(whole == frame && described.isKeyFrame == isKey, "frame \(number), limit \(limit)")
      #expect((described.width > 0 && described.height > 0) == isKey)
      for (place, payload) in payloads.enumerated() {
        let part = try reading(payload) { try assembler.look(at: $0) }
        #expect((part.start != .none) == (place == 0) || format.codec == H264Format(.single).codec)
        #expect((part.number != nil) == format.numbersFrames)
      }
    }
  }

  /// As the two temporal layers of RFC 7741 (section 4.2); a frame that was not sent after all is not counted.
  @Test func droppableFramesOfVP8AreOfTheUpperLayer() throws {
    let format = VP8Format()
    let (packetizer, assembler) = (format.makePacketizer(), format.makeAssembler())
    var said: [String] = []
    for number in 0..<6 {
      let frame = TestFrame.make(.vp8, 500, isKey: number == 0, number)
      if number == 3 {
        _ = try reading(frame) { try packetizer.begin($0, number: 9, isDroppable: false, limit: 200) }
        continue
      }
      let payloads = try cut(packetizer, frame, number: UInt16(number), isDroppable: number % 2 == 1, limit: 200)
      let part = try reading(payloads[0]) { try assembler.look(at: $0) }
      let described = try #require(try put(assembler, payloads)).0
      let layer = try #require(part.layer)
      said.append(
        "\(layer.temporalID) of \(layer.baseIndex ?? 0)\(layer.isSync ? " sync" : "")\(described.isDroppable ? " droppable" : "")")
    }
    #expect(said == ["0 of 1", "1 of 1 sync droppable", "0 of 2", "0 of 3", "1 of 3 sync droppable"])
  }

  /// In a window of twenty packets, with some that come twice.
  @Test(arguments: TestFrame.formats.indices) func anyOrderWillDo(_ index: Int) throws {
    try stream(TestFrame.formats[index], seed: UInt64(index) + 20, loss: 0) { out, sent, _ in
      let isWhole = out == sent
      #expect(isWhole, "\(out.count) of \(sent.count)")
    }
  }

  @Test(arguments: TestFrame.formats.indices) func nothingIsHandedOnThatNeedsWhatIsLost(_ index: Int) throws {
    try stream(TestFrame.formats[index], seed: UInt64(index) + 40, loss: 0.02) { out, sent, keys in
      #expect(out.count > sent.count / 10 && out.count < sent.count)
      var last = -1
      for frame in out {
        guard let place = sent[(last + 1)...].firstIndex(of: frame) else {
          return #expect(Bool(false), "a frame that was not sent, or twice")
        }
        #expect(place == last + 1 || keys[place])
        last = place
      }
    }
  }

  private func stream(
    _ encoding: RTPEncoding, seed: UInt64, loss: Double, _ check: ([[UInt8]], [[UInt8]], [Bool]) -> Void
  ) throws {
    let format = try #require(encoding.format)
    var random = SeededRandom(seed: seed)
    let packetizer = format.makePacketizer()
    let buffer = FrameBuffer(format, capacity: 512, slotSize: 256)
    var (sent, keys): ([[UInt8]], [Bool]) = ([], [])
    var packets: [(number: Int64, bytes: [UInt8])] = []
    var number: Int64 = 65_400
    for index in 0..<400 {
      // Without losses one is enough: what is before one that is complete is not waited for.
      keys.append(index % 25 == 0 && (index == 0 || loss > 0))
      sent.append(TestFrame.make(encoding, Int.random(in: 10...1200, using: &random), isKey: keys[index], index))
      let payloads = try cut(packetizer, sent[index], number: UInt16(index), limit: 200)
      for (place, payload) in payloads.enumerated() {
        let header = RTPHeader(
          payloadType: 96, marker: place == payloads.count - 1, sequence: SequenceNumber(UInt16(truncatingIfNeeded: number)),
          timestamp: RTPTimestamp(0xFFFF_0000 &+ UInt32(index) &* 3000), ssrc: SSRC(1))
        packets.append((number, written { header.write(to: &$0) } + payload))
        number += 1
      }
    }
    // The first one comes first: nobody knows what was before it.
    let order = packets.enumerated().map { ($0.offset == 0 ? -1 : $0.offset + Int.random(in: 0...20, using: &random), $0.element) }
    var out: [[UInt8]] = []
    for (_, packet) in order.sorted(by: { $0.0 < $1.0 }) where Double.random(in: 0..<1, using: &random) >= loss {
      for _ in 0...(Int.random(in: 0..<5, using: &random) == 0 ? 1 : 0) {
        _ = try reading(packet.bytes) { buffer.insert(packet.number, try RTPPacket(parsing: $0), now: 0) }
      }
      while let picture = buffer.next() {
        var bytes = [UInt8](repeating: 0, count: picture.size)
        #expect(bytes.withUnsafeMutableBytes { buffer.take(picture, into: $0) })
        #expect(picture.codec == format.codec)
        out.append(bytes)
      }
    }
    check(out, sent, keys)
  }

  /// Any bytes are looked at, added and measured without harm; what fits into the memory is as large as was measured.
  @Test(arguments: TestFrame.formats.indices) func nonsenseDoesNoHarm(_ index: Int) throws {
    let encoding = TestFrame.formats[index]
    let format = try #require(encoding.format)
    let (packetizer, assembler) = (format.makePacketizer(), format.makeAssembler())
    let frame = TestFrame.make(encoding, 300, isKey: true, 1)
    let payloads = try cut(packetizer, frame, number: 1, limit: 120)
    for payload in payloads {
      spoilt(payload, seed: UInt64(index)) { copy in
        guard !copy.isEmpty else { return }
        _ = reading(copy) { try? assembler.look(at: $0) }
        _ = try? put(assembler, [copy])
        _ = try? put(assembler, payloads.map { $0 == payload ? copy : $0 })
      }
    }
    spoilt(frame, seed: UInt64(index)) { copy in _ = try? cut(packetizer, copy, number: 1, limit: 120) }
    for limit in [0, 1, 5, 17] { _ = try? cut(packetizer, frame, number: 1, limit: limit) }
  }

  @Test func theyAreToldApart() {
    #expect(RTPEncoding.vp8 == .vp8 && RTPEncoding.vp8 != .vp9 && RTPEncoding.h264() != .h264(.single))
    #expect(RTPEncoding.retransmission(of: 96) == .retransmission(of: 96) && RTPEncoding.retransmission(of: 96) != .vp8)
    #expect(RTPEncoding.opus.clockRate == 48_000 && !RTPEncoding.opus.isVideo && RTPEncoding.av1.isVideo)
    #expect(Set(RTPEncoding.formats.map { "\($0.codec) \($0.variant)" }).count == RTPEncoding.formats.count)
  }

  /// A call over a path that loses one packet in fifty.
  @Test(arguments: TestFrame.formats.indices, [true, false]) func callsOfCarriedCodecsAreMadeGood(_ index: Int, _ isRepeated: Bool) throws {
    let call = try TestCall(seed: UInt64(index) + 3, TestFrame.formats[index], hasRetransmissions: isRepeated)
    (call.forth.loss, call.back.loss) = (0.02, 0.02)
    try call.film(seconds: 5)
    #expect(Double(call.there.pictures.count) > 0.96 * Double(call.pictures.count), "\(call.there.pictures.count)")
    var rest = call.pictures[...]
    for picture in call.there.pictures {
      guard let place = rest.firstIndex(of: picture.bytes) else { return #expect(Bool(false), "a frame that was not sent, or twice") }
      rest = rest[(place + 1)...]
    }
    #expect(call.sender.stats(sending: call.video)?.retransmittedPacketsSent ?? 0 > 10)
  }

  /// Without numbers of frames an empty packet would say that nothing is missing.
  @Test func whatWaitedForTooLongIsMissingWhereFramesHaveNoNumbers() throws {
    let call = try TestCall(seed: 8, .h264())
    try call.send(400, isKey: true, at: call.now + 10_000_000)
    call.run(until: call.now + 500_000_000)
    #expect(call.there.pictures.count == 1)
    // Nobody asks for four seconds.
    let wanted = call.here.keyFramesWanted
    let late = TestFrame.make(.h264(), 400, isKey: false, 1)
    try late.withUnsafeBytes { try call.sender.send($0, number: 1, units: 900_000, on: call.video, now: call.now) }
    call.run(until: call.now, skipping: 4_000_000_000)
    #expect(call.here.keyFramesWanted == wanted + 1)
    try call.send(400, isKey: false, at: call.now + 10_000_000)
    call.run(until: call.now + 300_000_000)
    #expect(call.there.pictures.count == 1)
    try call.send(400, isKey: true, at: call.now + 10_000_000)
    call.run(until: call.now + 300_000_000)
    #expect(call.there.pictures.last?.bytes == call.pictures.last)
  }
}
