import COpus
import Testing

@testable import MediaCodecs
@testable import MediaCore

@Suite struct OpusParsersTests {
  /// Against libopus' own parser, on noise whose first bytes are those that matter.
  @Test func noiseIsJudgedAsLibopusDoes() throws {
    var random = SeededRandom(seed: 3)
    var good = 0
    for _ in 0..<20_000 {
      var bytes = (0..<Int(random.next() % 40)).map { _ in UInt8(truncatingIfNeeded: random.next()) }
      if random.next() % 8 == 0 { bytes += [UInt8](repeating: 3, count: Int(random.next() % 3000)) }
      if bytes.count > 1, random.next() % 2 == 0 { bytes[1] &= 0xC7 }
      var frames = [UnsafePointer<UInt8>?](repeating: nil, count: 48)
      var sizes = [Int16](repeating: 0, count: 48)
      var contents: UInt8 = 0
      var offset: Int32 = 0
      let found = bytes.withUnsafeBytes { try? OpusPacket(parsing: $0) }
      guard !bytes.isEmpty else { continue }
      let count = opus_packet_parse(bytes, Int32(bytes.count), &contents, &frames, &sizes, &offset)
      #expect((found == nil) == (count < 0), "\(bytes.prefix(8)) of \(bytes.count): \(count)")
      guard let found, count > 0 else { continue }
      good += 1
      #expect(found.toc.frameCount == Int(count) && found.firstFrame.count == Int(sizes[0]) && found.firstFrame.lowerBound == Int(offset))
      #expect(found.toc.samplesPerFrame == Int(opus_packet_get_samples_per_frame(bytes, 48000)))
      #expect((found.toc.isStereo ? 2 : 1) == Int(opus_packet_get_nb_channels(bytes)))
    }
    #expect(good > 3000)
  }
}
