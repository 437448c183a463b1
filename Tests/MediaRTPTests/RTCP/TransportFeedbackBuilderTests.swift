import MediaCore
import Testing

@testable import MediaRTP

@Suite struct TransportFeedbackBuilderTests {
  /// Everything that a builder has to say: when each number arrived, in ticks, nothing for missing ones; and how long the packets were.
  private func drain(_ builder: inout TransportFeedbackBuilder, limit: Int = 1200) throws -> (
    ticks: [UInt16: Int64?], sizes: [Int], bases: [UInt16]
  ) {
    var (ticks, sizes, bases): ([UInt16: Int64?], [Int], [UInt16]) = ([:], [], [])
    var isWritten = true
    while isWritten {
      let packet = written { isWritten = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2), limit: limit) }
      guard isWritten else { break }
      sizes.append(packet.count)
      try reading(packet) { bytes in
        var packets = try RTCPPacket.Iterator(parsing: bytes)
        guard let packet = packets.next() else { throw PacketError("nothing") }
        let feedback = try TransportFeedback(parsing: packet)
        bases.append(feedback.base.rawValue)
        #expect(Int(feedback.number) == (sizes.count - 1) & 255)
        #expect(feedback.receivedCount > 0)
        for offset in 0..<feedback.count { ticks.updateValue(nil, forKey: feedback.base.rawValue &+ UInt16(offset)) }
        for arrival in feedback { ticks[arrival.sequence.rawValue] = Int64(feedback.referenceTime) * 256 + arrival.time / 250_000 }
      }
    }
    return (ticks, sizes, bases)
  }

  @Test func itWritesWhatChromiumWrites() {
    var builder = TransportFeedbackBuilder()
    let reference: Int64 = 0x10636E * 64_000_000
    for (index, tick) in [76, 112, 148, 164, 176, 188, 204].enumerated() {
      builder.arrived(4 + Int64(index), at: reference + Int64(tick) * 250_000)
    }
    let packet = written { _ = builder.write(to: &$0, sender: SSRC(0xFA17_FA17), media: SSRC(0x193D_D8BB)) }
    // But for the number and the padding.
    #expect(packet == bytes("8f cd 0007 fa17fa17 193dd8bb 0004 0007 10636e 00 2007 4c 24 24 10 0c 0c 10 000000"))
    #expect(builder.isEmpty)
    #expect(written { _ = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2)) }.isEmpty)
  }

  @Test func gapsAreToldInTheShortestChunks() {
    func chunks(_ numbers: [Int64], every step: Int64 = 1) -> [UInt8] {
      var builder = TransportFeedbackBuilder()
      for (index, number) in numbers.enumerated() { builder.arrived(number, at: Int64(index) * step * 250_000) }
      return Array(written { _ = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2)) }.dropFirst(20))
    }
    // A run of missing ones in between.
    #expect(chunks([0, 100]) == bytes("a000 0056 2001 00 01"))
    // One bit each where deltas are small, two where they are not.
    #expect(chunks([0, 2, 3]) == bytes("ac00 00 01 01 000000"))
    #expect(chunks([0, 2, 3], every: 300) == bytes("d280 00 012c 012c 00"))
  }

  @Test func whatArrivesComesBack() throws {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var builder = TransportFeedbackBuilder(window: 8192)
      var (expected, time, sequence) = ([UInt16: Int64](), 1_000_000_000 as Int64, Int64.random(in: 0...65_535, using: &random))
      let first = sequence
      for _ in 0..<1000 {
        // Some are lost, some come late, some after a pause.
        sequence += Int64.random(in: 0..<20, using: &random) == 0 ? Int64.random(in: 2...100, using: &random) : 1
        time += Int64.random(in: 0..<50, using: &random) == 0 ? Int64.random(in: 0...9_000_000_000, using: &random) : 700_000
        guard Int64.random(in: 0..<10, using: &random) > 0 || sequence == first + 1 else { continue }
        let late = Int64.random(in: 0..<30, using: &random) == 0 ? Int64.random(in: 1...10, using: &random) : 0
        let number = max(first + 1, sequence - late)
        builder.arrived(number, at: time)
        if expected[UInt16(truncatingIfNeeded: number)] == nil { expected[UInt16(truncatingIfNeeded: number)] = time / 250_000 }
      }
      let limit = [64, 100, 500, 1200][Int(seed) % 4]
      let (ticks, sizes, _) = try drain(&builder, limit: limit)
      #expect(sizes.allSatisfy { $0 <= limit && $0 % 4 == 0 } && sizes.count > (limit < 500 ? 3 : 1))
      let isSame = ticks.compactMapValues { $0 } == expected
      #expect(isSame, "seed \(seed)")
      #expect(ticks.count >= expected.count && ticks.count > 1000)
    }
  }

  @Test func aLateOneHasTheReportBeginAgainAtIt() throws {
    var builder = TransportFeedbackBuilder()
    for number in [1, 2, 5, 6] as [Int64] { builder.arrived(number, at: number * 1_000_000) }
    let first = try drain(&builder)
    #expect(first.bases == [1])
    builder.arrived(4, at: 7_000_000)
    let again = try reportOnce(&builder)
    #expect(again.base == 4 && again.numbers == [4, 5, 6])
    // It came before; nothing new.
    builder.arrived(5, at: 9_000_000)
    #expect(builder.isEmpty)
  }

  private func reportOnce(_ builder: inout TransportFeedbackBuilder) throws -> (base: UInt16, numbers: [UInt16]) {
    let packet = written { _ = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2)) }
    return try reading(packet) { bytes in
      var packets = try RTCPPacket.Iterator(parsing: bytes)
      guard let packet = packets.next() else { throw PacketError("nothing") }
      let feedback = try TransportFeedback(parsing: packet)
      return (feedback.base.rawValue, feedback.map(\.sequence.rawValue))
    }
  }

  @Test func theWindowIsBounded() throws {
    var builder = TransportFeedbackBuilder(window: 64)
    for number in 0..<100 as Range<Int64> { builder.arrived(number, at: number * 1_000_000) }
    let (ticks, _, _) = try drain(&builder)
    #expect(ticks.keys.sorted() == Array(36..<100))
    // Far ahead all before is forgotten; far behind is too late.
    builder.arrived(1_000_000, at: 1)
    builder.arrived(5, at: 2)
    let (base, numbers) = try reportOnce(&builder)
    #expect(base == UInt16(truncatingIfNeeded: 1_000_000) && numbers == [base])
  }

  @Test func absurdNumbersDoNotTrap() {
    var builder = TransportFeedbackBuilder(window: -1)
    for number in [Int64.max, Int64.min, 0, Int64.max - 1, -5] { builder.arrived(number, at: number) }
    _ = written { _ = builder.write(to: &$0, sender: SSRC(1), media: SSRC(2)) }
  }

  @Test func howOften() {
    #expect(TransportFeedbackBuilder.interval(atBitrate: 0) == 250_000_000)
    #expect(TransportFeedbackBuilder.interval(atBitrate: 108_800) == 100_000_000)
    #expect(TransportFeedbackBuilder.interval(atBitrate: .max) == 50_000_000)
  }
}
