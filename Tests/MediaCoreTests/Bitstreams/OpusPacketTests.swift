import Testing

@testable import MediaCore

@Suite struct OpusPacketTests {
  private func parse(_ bytes: [UInt8]) throws -> OpusPacket { try bytes.withUnsafeBytes { try OpusPacket(parsing: $0) } }

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
  static let table: [(OpusTOC.Mode, OpusTOC.Bandwidth, [Int])] = [
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
          let toc = packet.toc
          #expect(toc.mode == mode && toc.bandwidth == bandwidth && toc.isStereo == (stereo != 0))
          #expect(toc.samplesPerFrame == length * 48 / 10 && toc.frameCount == 1 && toc.duration == toc.samplesPerFrame)
          #expect(!packet.hasRedundancy && packet.firstFrame == 1..<3)
        }
        configuration += 1
      }
    }
    #expect(configuration == 32)
  }

  @Test func framePacking() throws {
    #expect(try parse([0x98]).firstFrame.isEmpty)
    var packet = try parse([0x99, 1, 2, 3, 4])
    #expect(packet.toc.frameCount == 2 && packet.firstFrame == 1..<3 && packet.toc.duration == 1920)
    packet = try parse([0x9A, 1, 7, 8, 9])
    #expect(packet.toc.frameCount == 2 && packet.firstFrame == 2..<3)
    // 252 + 4 * 1 bytes, and one more frame of 2.
    packet = try parse([0x9A, 252, 1] + [UInt8](repeating: 5, count: 258))
    #expect(packet.firstFrame == 3..<259)
    // Three frames of equal length, without and with 3 bytes of padding.
    #expect(try parse([0x9B, 3] + [UInt8](repeating: 1, count: 6)).firstFrame == 2..<4)
    packet = try parse([0x9B, 0x43, 3] + [UInt8](repeating: 1, count: 9))
    #expect(packet.toc.frameCount == 3 && packet.firstFrame == 3..<5)
    // 254 and 1 bytes of padding.
    #expect(try parse([0x9B, 0x41, 255, 1] + [UInt8](repeating: 1, count: 265)).firstFrame == 4..<14)
    // Frames of 2, 0 and 3 bytes.
    #expect(try parse([0x9B, 0x83, 2, 0, 1, 1, 2, 2, 2]).firstFrame == 4..<6)
    // 48 frames of 2.5 ms are 120 ms.
    #expect(try parse([0x83, 48]).toc.duration == 5760)
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

  // MARK: The table of contents

  private func duration(_ packet: [UInt8]) -> Int? { packet.withUnsafeBytes { (try? OpusTOC(parsing: $0))?.duration } }

  @Test func durationsAreThoseOfTheTable() {
    // RFC 6716, table 2: configuration, samples at 48 kHz.
    let table: [(UInt8, Int)] = [
      (0, 480), (1, 960), (2, 1920), (3, 2880), (7, 2880), (8, 480), (11, 2880), (12, 480), (13, 960), (14, 480), (15, 960), (16, 120),
      (17, 240), (18, 480), (19, 960), (28, 120), (31, 960)
    ]
    for (configuration, samples) in table {
      #expect(duration([configuration << 3]) == samples)
      #expect(duration([configuration << 3 | 1]) == samples * 2)
      #expect(duration([configuration << 3 | 2]) == samples * 2)
      #expect(duration([configuration << 3 | 3, 1]) == samples)
    }
    #expect(duration([31 << 3 | 3, 6]) == 5760)
    #expect(duration([31 << 3 | 3, 0x80 | 3]) == 2880)
  }

  @Test func whatBeginsNoPacketIsRefused() {
    #expect(duration([]) == nil)
    #expect(duration([31 << 3 | 3]) == nil)
    #expect(duration([31 << 3 | 3, 0]) == nil)
    #expect(duration([31 << 3 | 3, 7]) == nil)
    #expect(duration([3 << 3 | 3, 3]) == nil)
  }
}
