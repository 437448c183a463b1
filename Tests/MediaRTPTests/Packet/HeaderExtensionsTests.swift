import MediaCore
import Testing

@testable import MediaRTP

@Suite struct HeaderExtensionsTests {
  @Test func theSizeIsWhatIsWritten() {
    var random = SeededRandom(seed: 4)
    for _ in 0..<2000 {
      var map = ExtensionMap()
      func id() -> UInt8 { [0, 1, 5, 14, 15, 200].randomElement(using: &random) ?? 0 }
      (map.mid, map.audioLevel, map.absoluteSendTime, map.transportSequence, map.orientation) = (id(), id(), id(), id(), id())
      (map.colorSpace, map.captureTime, map.rid, map.repairedRID) = (id(), id(), id(), id())
      var extensions = HeaderExtensions()
      if Bool.random(using: &random) { extensions.transportSequence = 1 }
      if Bool.random(using: &random) { extensions.absoluteSendTime = 2 }
      if Bool.random(using: &random) { extensions.audioLevel = .init(level: 3, isVoice: true) }
      if Bool.random(using: &random) { extensions.orientation = 1 }
      if Bool.random(using: &random) { extensions.colorSpace = .init(matrix: 1, isFullRange: true) }
      if Bool.random(using: &random) { extensions.captureTime = NTPTimestamp(rawValue: 7) }
      if Bool.random(using: &random) { extensions.mid = String(repeating: "m", count: Int.random(in: 0...300, using: &random)) }
      if Bool.random(using: &random) { extensions.rid = String(repeating: "r", count: Int.random(in: 0...20, using: &random)) }
      if Bool.random(using: &random) { extensions.repairedRID = String(repeating: "q", count: Int.random(in: 0...20, using: &random)) }
      let isWritten = extensions.isSpoken(map)
      let block = isWritten ? written { extensions.write(to: &$0, map) } : []
      #expect(extensions.size(map) == block.count, "\(extensions), \(map)")
    }
  }

  /// What is written is read, in both forms, and found where it lies; cut short it is found nowhere, or there.
  @Test func allComesBackAndIsFound() throws {
    var random = SeededRandom(seed: 5)
    for round in 0..<500 {
      // In the two-byte form in every other round.
      var ids = Array((1...9).map { UInt8(round % 2 == 0 ? $0 : $0 * 20) }.shuffled(using: &random))
      var map = ExtensionMap()
      func id() -> UInt8 { ids.removeLast() }
      (map.mid, map.rid, map.repairedRID, map.audioLevel, map.orientation) = (id(), id(), id(), id(), id())
      (map.transportSequence, map.absoluteSendTime, map.colorSpace, map.captureTime) = (id(), id(), id(), id())
      var header = RTPHeader(payloadType: 96, sequence: SequenceNumber(1), timestamp: RTPTimestamp(2), ssrc: SSRC(3))
      if Bool.random(using: &random) { header.extensions.transportSequence = 0x1234 }
      if Bool.random(using: &random) { header.extensions.absoluteSendTime = 0xABCDEF }
      if Bool.random(using: &random) { header.extensions.audioLevel = .init(level: 3, isVoice: true) }
      if Bool.random(using: &random) { header.extensions.orientation = 1 }
      if Bool.random(using: &random) { header.extensions.colorSpace = .init(matrix: 1, isFullRange: true) }
      if Bool.random(using: &random) { header.extensions.captureTime = NTPTimestamp(rawValue: 7) }
      if Bool.random(using: &random) { header.extensions.mid = "17" }
      if Bool.random(using: &random) { header.extensions.rid = "half" }
      if Bool.random(using: &random) { header.extensions.repairedRID = "q" }
      var packet = written { header.write(to: &$0, map) } + [9, 9, 9, 9]
      // With a contributing source, which lies before them.
      if header.extensions.isSpoken(map), Bool.random(using: &random) {
        packet[0] |= 1
        packet.insert(contentsOf: [1, 2, 3, 4], at: 12)
      }
      let read = try reading(packet) { try RTPPacket(parsing: $0, map).header.extensions }
      #expect(read == header.extensions)
      reading(packet) { bytes in
        let place = HeaderExtensions.place(of: map.transportSequence, size: 2, in: bytes)
        #expect(place.map { Array(bytes[$0..<$0 + 2]) } == header.extensions.transportSequence.map { _ in [0x12, 0x34] })
        let time = HeaderExtensions.place(of: map.absoluteSendTime, size: 3, in: bytes)
        #expect(time.map { Array(bytes[$0..<$0 + 3]) } == header.extensions.absoluteSendTime.map { _ in [0xAB, 0xCD, 0xEF] })
        #expect(HeaderExtensions.place(of: map.absoluteSendTime, size: 2, in: bytes) == nil)
        #expect(HeaderExtensions.place(of: 0, size: 2, in: bytes) == nil)
      }
      spoilt(Array(packet.prefix(60)), seed: UInt64(round)) { copy in
        let place = reading(copy) { HeaderExtensions.place(of: map.transportSequence, size: 2, in: $0) }
        #expect(place.map { $0 >= 16 && $0 + 2 <= copy.count } ?? true)
      }
    }
  }

  /// The bytes that libwebrtc writes: primaries, transfer, matrix, and in the last one range above where chroma lies.
  @Test func colorIsWrittenAsOthersReadIt() throws {
    var map = ExtensionMap()
    map.colorSpace = 6
    for (isFull, last) in [(false, 0x10), (true, 0x20)] as [(Bool, UInt8)] {
      var extensions = HeaderExtensions()
      extensions.colorSpace = .init(primaries: 9, transfer: 16, matrix: 9, isFullRange: isFull)
      let block = written { extensions.write(to: &$0, map) }
      #expect(block == [0xBE, 0xDE, 0, 2, 0x63, 9, 16, 9, last, 0, 0, 0])
    }
    // With chroma's place, and with 24 bytes of HDR in the two-byte form; three bytes are none.
    func read(_ profile: UInt16, _ bytes: [UInt8]) -> HeaderExtensions.ColorSpace? {
      bytes.withUnsafeBytes { HeaderExtensions(profile: profile, $0, map) }.colorSpace
    }
    #expect(read(0xBEDE, [0x63, 1, 13, 1, 0x2A]) == .init(primaries: 1, transfer: 13, matrix: 1, isFullRange: true))
    #expect(read(0x1000, [6, 28, 9, 16, 9, 0x15] + [UInt8](repeating: 7, count: 24)) == .init(primaries: 9, transfer: 16, matrix: 9))
    #expect(read(0xBEDE, [0x62, 1, 13, 1]) == nil)
  }

  /// UQ32.32 since 1900; behind it, where a server passes it on, what the clock of the capture is ahead of the server's.
  @Test func captureTimeIsWrittenAsOthersReadIt() {
    var map = ExtensionMap()
    map.captureTime = 7
    var extensions = HeaderExtensions()
    extensions.captureTime = NTPTimestamp(rawValue: 0x0102_0304_8000_0000)
    let block = written { extensions.write(to: &$0, map) }
    #expect(block == [0xBE, 0xDE, 0, 3, 0x77, 1, 2, 3, 4, 0x80, 0, 0, 0, 0, 0, 0])
    func read(_ bytes: [UInt8]) -> UInt64? {
      bytes.withUnsafeBytes { HeaderExtensions(profile: 0xBEDE, $0, map) }.captureTime?.rawValue
    }
    #expect(read([0x77, 1, 2, 3, 4, 0x80, 0, 0, 0]) == 0x0102_0304_8000_0000)
    #expect(read([0x7F, 0, 0, 0, 9, 0, 0, 0, 0, 0, 0, 0, 2, 0x80, 0, 0, 0]) == 0x0000_0006_8000_0000)
    #expect(read([0x7F, 0, 0, 0, 9, 0, 0, 0, 0, 0xFF, 0xFF, 0xFF, 0xFF, 0, 0, 0, 0]) == 0x0000_000A_0000_0000)
    #expect(read([0x76, 1, 2, 3, 4, 5, 6, 7]) == nil)
  }
}
