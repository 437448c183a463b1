import Testing

@testable import MediaRTP

@Suite struct OpusPayloadTests {
  private func duration(_ packet: [UInt8]) -> Int? {
    reading(packet) { (try? OpusTOC(parsing: $0))?.duration }
  }

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

  @Test func layersAndChannelsAreTold() throws {
    let toc = try reading([31 << 3 | 4]) { try OpusTOC(parsing: $0) }
    #expect(toc.isStereo && toc.isCELT)
    let speech = try reading([1 << 3]) { try OpusTOC(parsing: $0) }
    #expect(!speech.isStereo && !speech.isCELT)
    #expect(reading([1 << 3, 0]) { OpusTOC.isSilence($0) })
    #expect(!reading([1 << 3, 0, 0]) { OpusTOC.isSilence($0) })
  }

  @Test func whatIsNoPacketIsRefused() {
    #expect(duration([]) == nil)
    #expect(duration([31 << 3 | 3]) == nil)
    #expect(duration([31 << 3 | 3, 0]) == nil)
    #expect(duration([31 << 3 | 3, 7]) == nil)
    #expect(duration([3 << 3 | 3, 3]) == nil)
  }
}
