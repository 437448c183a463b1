import MediaCore
import Testing

@testable import MediaRTP

/// A stream of pictures cut into packets, each as it would arrive.
struct TestStream {
  struct Packet {
    let number: Int64
    let bytes: [UInt8]
  }

  var number: Int64 = 65_500
  var timestamp: UInt32 = 0xFFFF_F000
  var index: UInt16 = 0x7FF0
  private(set) var pictures: [[UInt8]] = []

  mutating func picture(_ size: Int, isKey: Bool, layer: VP8Descriptor.Layer? = nil) throws -> [Packet] {
    var bytes = (0..<max(size, 10)).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ pictures.count) }
    let head: [UInt8] = isKey ? [0x50, 2, 0, 0x9D, 1, 0x2A, 0x40, 1, 0xF0, 0] : [0x31, 1, 0]
    bytes.replaceSubrange(0..<head.count, with: head)
    pictures.append(bytes)
    var descriptor = VP8Descriptor()
    descriptor.pictureID = .long(index & 0x7FFF)
    descriptor.layer = layer
    var packets: [Packet] = []
    try bytes.withUnsafeBytes { bytes in
      var packetizer = try VP8Packetizer(bytes, descriptor, limit: 100)
      while packetizer.count > 0 {
        let header = RTPHeader(
          payloadType: 96, marker: packetizer.count == 1, sequence: SequenceNumber(UInt16(truncatingIfNeeded: number)),
          timestamp: RTPTimestamp(timestamp), ssrc: SSRC(1))
        let packet = written { writer in
          header.write(to: &writer)
          _ = packetizer.writeNext(to: &writer)
        }
        packets.append(Packet(number: number, bytes: packet))
        number += 1
      }
    }
    timestamp &+= 3000
    index &+= 1
    return packets
  }

  /// A packet of nothing but padding.
  mutating func padding() -> Packet {
    defer { number += 1 }
    let header = RTPHeader(
      payloadType: 96, sequence: SequenceNumber(UInt16(truncatingIfNeeded: number)), timestamp: RTPTimestamp(timestamp), ssrc: SSRC(1))
    var bytes = written { header.write(to: &$0) } + [0, 0, 0, 4]
    bytes[0] |= 0x20
    return Packet(number: number, bytes: bytes)
  }
}

@Suite struct FrameBufferTests {
  private let buffer = FrameBuffer(capacity: 256, slotSize: 128)

  @discardableResult
  private func insert(_ packet: TestStream.Packet, now: Int64 = 0) throws -> FrameBuffer.Insertion {
    try reading(packet.bytes) { buffer.insert(packet.number, try RTPPacket(parsing: $0), now: now) }
  }

  private func taken() -> (FrameBuffer.Picture, [UInt8])? {
    guard let picture = buffer.next() else { return nil }
    var bytes = [UInt8](repeating: 0, count: picture.size)
    let isThere = bytes.withUnsafeMutableBytes { buffer.take(picture, into: $0) }
    return isThere ? (picture, bytes) : nil
  }

  private func drain() -> [[UInt8]] {
    var all: [[UInt8]] = []
    while let (_, bytes) = taken() { all.append(bytes) }
    return all
  }

  @Test func picturesComeOutWholeAndInOrder() throws {
    var stream = TestStream()
    var out: [[UInt8]] = []
    for index in 0..<200 {
      for packet in try stream.picture(index % 7 * 90 + 20, isKey: index % 50 == 0) { #expect(try insert(packet) == .kept) }
      out += drain()
    }
    #expect(out == stream.pictures)
    #expect(buffer.waitingSince == nil && buffer.completePictures == 0)
  }

  @Test func itIsKnownThatAKeyFrameHasBegunToCome() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: false) { try insert(packet, now: 1) }
    #expect(buffer.keyFrameArrival == nil)
    let key = try stream.picture(300, isKey: true)
    // Not by its middle.
    try insert(key[1], now: 2)
    #expect(buffer.keyFrameArrival == nil)
    try insert(key[0], now: 3)
    #expect(buffer.keyFrameArrival == 3)
    for packet in try stream.picture(50, isKey: false) { try insert(packet, now: 4) }
    #expect(buffer.keyFrameArrival == 3)
    for packet in key.dropFirst(2) { try insert(packet, now: 5) }
    #expect(buffer.keyFrameArrival == 5)
    #expect(drain().count == 2 && buffer.keyFrameArrival == nil)
  }

  @Test func theyAreDescribed() throws {
    var stream = TestStream()
    let packets = try stream.picture(300, isKey: true)
    for (index, packet) in packets.enumerated() { try insert(packet, now: Int64(index) * 10) }
    let picture = try #require(buffer.next())
    #expect(picture.isKeyFrame && picture.width == 320 && picture.height == 240 && picture.size == 300)
    #expect(picture.first == 65_500 && picture.last == 65_499 + Int64(packets.count) && picture.number == .long(0x7FF0))
    #expect(picture.firstArrival == 0 && picture.lastArrival == Int64(packets.count - 1) * 10 && !picture.isAfterGap)
  }

  @Test func anyOrderWithinAWindowWillDo() throws {
    for seed in UInt64(1)...10 {
      var random = SeededRandom(seed: seed)
      let buffer = FrameBuffer(capacity: 256, slotSize: 128)
      var stream = TestStream()
      var packets: [TestStream.Packet] = []
      for index in 0..<150 { packets += try stream.picture(Int.random(in: 10...900, using: &random), isKey: index == 0) }
      // Each at most 20 places away, and some twice.
      let shuffled = packets.enumerated().map { ($0.offset + Int.random(in: 0...20, using: &random), $0.element) }.sorted { $0.0 < $1.0 }
        .map(\.1)
      var out: [[UInt8]] = []
      for packet in shuffled {
        for _ in 0...(Int.random(in: 0..<5, using: &random) == 0 ? 1 : 0) {
          _ = try reading(packet.bytes) { buffer.insert(packet.number, try RTPPacket(parsing: $0), now: 0) }
        }
        while let picture = buffer.next() {
          var bytes = [UInt8](repeating: 0, count: picture.size)
          let isThere = bytes.withUnsafeMutableBytes { buffer.take(picture, into: $0) }
          #expect(isThere)
          out.append(bytes)
        }
      }
      #expect(out == stream.pictures, "seed \(seed)")
    }
  }

  @Test func nothingBeginsButWithAKeyFrame() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: false) { try insert(packet, now: 7) }
    #expect(buffer.next() == nil && buffer.waitingSince == 7)
    for packet in try stream.picture(200, isKey: true) { try insert(packet, now: 9) }
    #expect(drain() == [stream.pictures[1]])
  }

  @Test func aLossStopsUntilItComesOrAKeyFrameDoes() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    #expect(drain().count == 1)
    let second = try stream.picture(300, isKey: false)
    for packet in second where packet.number != second[1].number { try insert(packet) }
    for packet in try stream.picture(100, isKey: false) { try insert(packet) }
    #expect(buffer.next() == nil)
    // It comes.
    try insert(second[1])
    #expect(drain() == Array(stream.pictures[1...2]))
    // It does not, but for its last packet.
    let fourth = try stream.picture(300, isKey: false)
    try insert(fourth[fourth.count - 1])
    for packet in try stream.picture(100, isKey: false) { try insert(packet) }
    for packet in try stream.picture(500, isKey: true) { try insert(packet) }
    #expect(buffer.next(waits: true) == nil)
    let (key, bytes) = try #require(taken())
    #expect(key.isKeyFrame && key.isAfterGap && bytes == stream.pictures[5])
    #expect(try insert(fourth[0]) == .late)
    for packet in try stream.picture(100, isKey: false) { try insert(packet) }
    #expect(drain() == [stream.pictures[6]])
  }

  @Test func paddingBetweenPicturesIsNoLoss() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    for _ in 0..<3 { try insert(stream.padding()) }
    for packet in try stream.picture(200, isKey: false) { try insert(packet) }
    #expect(drain() == stream.pictures)
  }

  /// A picture that waited too long at its sender comes as empty packets; what is predicted from it is of no use.
  @Test func whatWasLeftOutAtTheLastMomentIsMissed() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    // Nothing is left of it but its headers.
    for packet in try stream.picture(200, isKey: false) {
      try insert(TestStream.Packet(number: packet.number, bytes: Array(packet.bytes.prefix(12))))
    }
    for packet in try stream.picture(200, isKey: false) { try insert(packet) }
    #expect(drain() == [stream.pictures[0]])
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    #expect(buffer.next()?.isAfterGap == true)
    #expect(drain() == [stream.pictures[3]])
  }

  @Test func upperLayersMayBeMissing() throws {
    func layer(_ id: UInt8, _ base: UInt8, sync: Bool = false) -> VP8Descriptor.Layer {
      .init(temporalID: id, isSync: sync, baseIndex: base)
    }
    var stream = TestStream()
    let plan: [(VP8Descriptor.Layer, arrives: Bool, comesOut: Bool)] = [
      (layer(0, 0), true, true), (layer(1, 0, sync: true), false, false), (layer(0, 1), true, true), (layer(1, 1, sync: true), true, true),
      (layer(1, 1), false, false), (layer(1, 1), true, false), (layer(0, 2), true, true), (layer(1, 2), true, true),
      (layer(0, 3), false, false),
      (layer(1, 3, sync: true), true, false), (layer(0, 4), true, false)
    ]
    var (expected, out): ([[UInt8]], [[UInt8]]) = ([], [])
    for (index, step) in plan.enumerated() {
      let packets = try stream.picture(250, isKey: index == 0, layer: step.0)
      if step.comesOut { expected.append(stream.pictures[index]) }
      if step.arrives { for packet in packets { try insert(packet) } }
      out += drain()
    }
    #expect(out == expected)
    #expect(buffer.next() == nil)
  }

  /// It may be sent again, or late: as long as it would take, unless that is too long.
  @Test(arguments: [(Int64(30), Int64(40)), (300, 0)]) func aFrameWaitsForAnUpperLayer(roundTrip: Int64, wait: Int64) throws {
    buffer.setRoundTrip(roundTrip * 1_000_000)
    var stream = TestStream()
    for packet in try stream.picture(250, isKey: true, layer: .init(temporalID: 0, isSync: false, baseIndex: 0)) { try insert(packet) }
    #expect(buffer.next().map(buffer.readyTime) == .min && drain().count == 1)
    let upper = try stream.picture(250, isKey: false, layer: .init(temporalID: 1, isSync: true, baseIndex: 0))
    for packet in try stream.picture(250, isKey: false, layer: .init(temporalID: 0, isSync: false, baseIndex: 1)) { try insert(packet) }
    let next = try #require(buffer.next())
    #expect(buffer.readyTime(of: next) == next.lastArrival + wait * 1_000_000)
    for packet in upper { try insert(packet) }
    #expect(buffer.next().map(buffer.readyTime) == .min && drain().count == 2)
    // What the sender left out does not come.
    let padding = stream.padding()
    stream.index += 1
    try insert(padding)
    for packet in try stream.picture(250, isKey: false, layer: .init(temporalID: 0, isSync: false, baseIndex: 2)) { try insert(packet) }
    #expect(buffer.next().map(buffer.readyTime) == .min && drain().count == 1)
  }

  @Test func duplicatesLateOnesAndNonsenseAreTold() throws {
    var stream = TestStream()
    let first = try stream.picture(200, isKey: true)
    for packet in first { try insert(packet) }
    #expect(try insert(first[0]) == .duplicate)
    _ = drain()
    #expect(try insert(first[0]) == .late)
    let broken = TestStream.Packet(number: stream.number, bytes: first[0].bytes.prefix(12) + [0x10, 0x50, 2, 0, 1, 2, 3, 4])
    #expect(try insert(broken) == .refused(PacketError("VP8: a frame that does not begin with its tag")))
    let short = TestStream.Packet(number: stream.number, bytes: first[0].bytes.prefix(12) + [0x10])
    #expect(try insert(short) == .refused(PacketError("VP8: a payload descriptor without payload")))
    let large = TestStream.Packet(number: stream.number, bytes: first[0].bytes.prefix(12) + [0] + [UInt8](repeating: 1, count: 128))
    #expect(try insert(large) == .refused(PacketError("RTP: a packet larger than 1500 bytes")))
  }

  @Test func aJumpOfNumbersIsSurvived() throws {
    var stream = TestStream()
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    #expect(drain().count == 1)
    stream.number += 100_000
    for packet in try stream.picture(200, isKey: false) { try insert(packet) }
    #expect(buffer.next() == nil)
    for packet in try stream.picture(200, isKey: true) { try insert(packet) }
    #expect(drain() == [stream.pictures[2]])
    buffer.reset()
    #expect(buffer.next() == nil && buffer.waitingSince == nil && buffer.lastTaken == nil)
  }

  /// It has room by what came since, as at first.
  @Test func aRestartGivesNoRoom() throws {
    let few = FrameBuffer(capacity: 256, slotSize: 128)
    var stream = TestStream()
    func insert() throws {
      for packet in try stream.picture(50, isKey: true) {
        _ = try reading(packet.bytes) { few.insert(packet.number, try RTPPacket(parsing: $0), now: 0) }
      }
    }
    for _ in 0..<20 { try insert() }
    few.reset()
    try insert()
    stream.number += 200
    try insert()
    #expect(few.slots == 32)
    for _ in 0..<20 { try insert() }
    #expect(few.slots == 64)
  }

  @Test func noiseNeverHarms() throws {
    for seed in UInt64(1)...10 {
      var random = SeededRandom(seed: seed)
      var stream = TestStream()
      var taken = 0
      for round in 0..<300 {
        for packet in try stream.picture(Int.random(in: 10...1500, using: &random), isKey: round % 20 == 0) {
          var bytes = packet.bytes
          if Int.random(in: 0..<8, using: &random) == 0 {
            bytes[Int.random(in: 0..<bytes.count, using: &random)] = UInt8.random(in: 0...255, using: &random)
          }
          let number =
            Int.random(in: 0..<20, using: &random) == 0
            ? max(0, packet.number + Int64.random(in: -400...60, using: &random)) : packet.number
          reading(bytes) { bytes in
            guard let packet = try? RTPPacket(parsing: bytes) else { return }
            _ = buffer.insert(number, packet, now: Int64(round))
          }
        }
        while self.taken() != nil { taken += 1 }
        if Int.random(in: 0..<30, using: &random) == 0 { buffer.reset() }
      }
      #expect(taken > 10)
    }
  }
}
