import COpus
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct OpusPacketTests {
  private func parse(_ bytes: [UInt8]) throws -> OpusPacket { try bytes.withUnsafeBytes { try OpusPacket.parse($0) } }

  private func refusal(_ bytes: [UInt8]) -> String? {
    do {
      _ = try parse(bytes)
      return nil
    } catch {
      let error = error as? MediaError
      #expect(error?.status == .corrupt)
      return error?.text
    }
  }

  /// Table 2 of section 3.1, line by line: mode, bandwidth, tenths of a millisecond.
  static let table: [(OpusPacket.Mode, OpusPacket.Bandwidth, [Int])] = [
    (.silk, .narrow, [100, 200, 400, 600]), (.silk, .medium, [100, 200, 400, 600]), (.silk, .wide, [100, 200, 400, 600]),
    (.hybrid, .superWide, [100, 200]), (.hybrid, .full, [100, 200]), (.celt, .narrow, [25, 50, 100, 200]),
    (.celt, .wide, [25, 50, 100, 200]), (.celt, .superWide, [25, 50, 100, 200]), (.celt, .full, [25, 50, 100, 200])
  ]

  @Test func allConfigurations() throws {
    var configuration: UInt8 = 0
    for (mode, bandwidth, lengths) in Self.table {
      for length in lengths {
        for stereo in [0, 4] as [UInt8] {
          let packet = try parse([configuration << 3 | stereo, 0, 0])
          #expect(packet.mode == mode && packet.bandwidth == bandwidth && packet.channels == (stereo == 0 ? 1 : 2))
          #expect(packet.samplesPerFrame == length * 48 / 10 && packet.frameCount == 1 && packet.sampleCount == packet.samplesPerFrame)
          #expect(!packet.hasRedundancy && packet.firstFrame == 1..<3)
          #expect(packet.common == AudioPacketHeader(sampleCount: length * 48 / 10, channels: packet.channels, hasRedundancy: false))
        }
        configuration += 1
      }
    }
    #expect(configuration == 32)
  }

  @Test func framePacking() throws {
    #expect(try parse([0x98]).firstFrame.isEmpty)
    var packet = try parse([0x99, 1, 2, 3, 4])
    #expect(packet.frameCount == 2 && packet.firstFrame == 1..<3 && packet.sampleCount == 1920)
    packet = try parse([0x9A, 1, 7, 8, 9])
    #expect(packet.frameCount == 2 && packet.firstFrame == 2..<3)
    // 252 + 4 * 1 bytes, and one more frame of 2.
    packet = try parse([0x9A, 252, 1] + [UInt8](repeating: 5, count: 258))
    #expect(packet.firstFrame == 3..<259)
    // Three frames of equal length, without and with 3 bytes of padding.
    #expect(try parse([0x9B, 3] + [UInt8](repeating: 1, count: 6)).firstFrame == 2..<4)
    packet = try parse([0x9B, 0x43, 3] + [UInt8](repeating: 1, count: 9))
    #expect(packet.frameCount == 3 && packet.firstFrame == 3..<5)
    // 254 and 1 bytes of padding.
    #expect(try parse([0x9B, 0x41, 255, 1] + [UInt8](repeating: 1, count: 265)).firstFrame == 4..<14)
    // Frames of 2, 0 and 3 bytes.
    #expect(try parse([0x9B, 0x83, 2, 0, 1, 1, 2, 2, 2]).firstFrame == 4..<6)
    // 48 frames of 2.5 ms are 120 ms.
    #expect(try parse([0x83, 48]).sampleCount == 5760)
  }

  @Test func everyRuleIsKept() {
    #expect(refusal([])?.contains("rule 1") == true)
    #expect(refusal([0x98] + [UInt8](repeating: 0, count: 1275)) == nil)
    #expect(refusal([0x98] + [UInt8](repeating: 0, count: 1276))?.contains("1276 bytes; accepted: up to 1275 (rule 2)") == true)
    #expect(refusal([0x99] + [UInt8](repeating: 0, count: 2552))?.contains("rule 2") == true)
    #expect(refusal([0x9A, 0] + [UInt8](repeating: 0, count: 1276))?.contains("rule 2") == true)
    #expect(refusal([0x9B, 0x82, 0] + [UInt8](repeating: 0, count: 1276))?.contains("rule 2") == true)
    #expect(refusal([0x99, 1])?.contains("rule 3") == true)
    for bytes in [[0x9A], [0x9A, 1], [0x9A, 252], [0x9A, 255, 255, 0]] as [[UInt8]] { #expect(refusal(bytes)?.contains("rule 4") == true) }
    #expect(refusal([0x9B])?.contains("rules 6 and 7") == true)
    #expect(refusal([0x9B, 0])?.contains("0 frames") == true)
    #expect(refusal([0x9B, 7])?.contains("7 frames, 140.0 ms; accepted: 1 or more frames, at most 120 ms") == true)
    #expect(refusal([0x83, 49])?.contains("rule 5") == true)
    #expect(refusal([0x9B, 3, 1, 2])?.contains("2 bytes for 3 frames of equal length (rule 6)") == true)
    #expect(refusal([0x9B, 0x41])?.contains("padding") == true)
    #expect(refusal([0x9B, 0x41, 1])?.contains("padding") == true)
    #expect(refusal([0x9B, 0x41, 255, 255, 255])?.contains("padding") == true)
    #expect(refusal([0x9B, 0x83, 2])?.contains("lengths") == true)
    #expect(refusal([0x9B, 0x83, 2, 253])?.contains("lengths") == true)
    #expect(refusal([0x9B, 0x83, 2, 2, 1, 1, 1])?.contains("3 frames") == true)
  }

  @Test func redundancyIsTheFlagAfterTheActivities() throws {
    // 10 and 20 ms have one flag of activity, 40 ms two, 60 ms three; the side channel has the same again.
    for (configuration, frames) in [(0, 1), (1, 1), (2, 2), (3, 3), (9, 1), (11, 3), (12, 1), (15, 1)] as [(UInt8, UInt8)] {
      let middle = UInt8(1) << (7 - frames)
      #expect(try parse([configuration << 3, middle]).hasRedundancy)
      #expect(try !parse([configuration << 3, ~middle]).hasRedundancy)
      let side = UInt8(1) << (6 - 2 * frames)
      #expect(try parse([configuration << 3 | 4, side]).hasRedundancy)
      #expect(try !parse([configuration << 3 | 4, ~(side | middle)]).hasRedundancy)
    }
    #expect(try !parse([16 << 3, 0xFF]).hasRedundancy)
    #expect(try !parse([0]).hasRedundancy)
  }

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
      let found = try? parse(bytes)
      guard !bytes.isEmpty else { continue }
      let count = opus_packet_parse(bytes, Int32(bytes.count), &contents, &frames, &sizes, &offset)
      #expect((found == nil) == (count < 0), "\(bytes.prefix(8)) of \(bytes.count): \(count)")
      guard let found, count > 0 else { continue }
      good += 1
      #expect(found.frameCount == Int(count) && found.firstFrame.count == Int(sizes[0]) && found.firstFrame.lowerBound == Int(offset))
      #expect(found.samplesPerFrame == Int(opus_packet_get_samples_per_frame(bytes, 48000)))
      #expect(found.channels == Int(opus_packet_get_nb_channels(bytes)))
    }
    #expect(good > 3000)
  }
}
