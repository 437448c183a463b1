import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReceptionStatisticsTests {
  private static let millisecond: Int64 = 1_000_000

  /// A stream of 90 kHz, a packet every ten milliseconds.
  private struct Stream {
    var statistics: ReceptionStatistics

    init(minimumSequential: Int = 1) {
      statistics = ReceptionStatistics(ssrc: SSRC(7), clockRate: 90_000, minimumSequential: minimumSequential)
    }

    /// The packet of that number, that much too late.
    mutating func receive(_ sequence: Int, late: Int64 = 0) -> ReceptionStatistics.Outcome {
      let header = RTPHeader(
        payloadType: 96, sequence: SequenceNumber(UInt16(truncatingIfNeeded: sequence)),
        timestamp: RTPTimestamp(UInt32(truncatingIfNeeded: sequence * 900)),
        ssrc: SSRC(7))
      return statistics.received(header, headerBytes: 12, payloadBytes: 100, at: Int64(sequence) * 10_000_000 + late)
    }

    mutating func receive(_ sequences: some Sequence<Int>) -> [ReceptionStatistics.Outcome] { sequences.map { receive($0) } }
  }

  @Test func anUnknownSourceIsOnProbation() {
    var stream = Stream(minimumSequential: 2)
    #expect(stream.statistics.reportBlock(at: 0) == nil)
    #expect(stream.receive([5, 9, 10, 11]) == [.probation, .probation, .accepted, .accepted])
    #expect(stream.statistics.counters.packetsReceived == 2 && stream.statistics.counters.packetsRefused == 2)
    #expect(stream.statistics.counters.bytesReceived == 200 && stream.statistics.counters.headerBytesReceived == 24)
    #expect(stream.statistics.reportBlock(at: 0)?.highestSequence == 11)
  }

  @Test func duplicatesAndReorderedOnesAreToldApart() {
    var stream = Stream()
    #expect(
      stream.receive([65_534, 65_536, 65_535, 65_535, 65_536, 65_534, 65_537]) == [
        .accepted, .accepted, .reordered, .duplicate, .duplicate, .duplicate, .accepted
      ])
    #expect(stream.statistics.counters.packetsDuplicated == 3 && stream.statistics.counters.packetsReordered == 1)
    let block = stream.statistics.reportBlock(at: 0)
    #expect(block?.highestSequence == 0x1_0001)
    // Four expected, seven received: as the standard counts.
    #expect(block?.cumulativeLost == -3 && block?.fractionLost == 0 && stream.statistics.counters.packetsLost == -3)
  }

  @Test func whatIsFarAwayIsDroppedUnlessTheNextFollows() {
    var stream = Stream()
    _ = stream.receive(1000...1010)
    #expect(stream.receive([20_000, 1011, 20_001]) == [.jumped, .accepted, .jumped])
    #expect(stream.receive([20_002, 20_003]) == [.restarted, .accepted])
    let block = stream.statistics.reportBlock(at: 0)
    #expect(block?.highestSequence == 20_003 && block?.cumulativeLost == 0)
    #expect(stream.statistics.counters.packetsReceived == 14 && stream.statistics.counters.packetsRefused == 2)
    // A sender that begins again lower, too.
    #expect(stream.receive([5, 6, 7]) == [.jumped, .restarted, .accepted])
  }

  @Test func lossBeforeARestartIsNotForgotten() {
    var stream = Stream()
    _ = stream.receive([1, 2, 5, 30_000, 30_001, 30_003])
    #expect(stream.statistics.counters.packetsLost == 3)
    #expect(stream.statistics.reportBlock(at: 0)?.cumulativeLost == 1)
  }

  @Test func lossIsReportedByInterval() {
    var stream = Stream()
    _ = stream.receive((0..<100).filter { $0 % 4 != 3 })
    let first = stream.statistics.reportBlock(at: 0)
    // 99 expected, the last of the hundred is not known of.
    #expect(first?.cumulativeLost == 24 && first?.fractionLost == 62)
    _ = stream.receive(100..<200)
    let second = stream.statistics.reportBlock(at: 0)
    #expect(second?.cumulativeLost == 25 && second?.fractionLost == 2)
    #expect(!stream.statistics.isActive)
    let third = stream.statistics.reportBlock(at: 0)
    #expect(third?.fractionLost == 0)
    // All but one: no more than can be said.
    _ = stream.receive([2199])
    let last = stream.statistics.reportBlock(at: 0)
    #expect(last?.fractionLost == 255 && stream.statistics.isActive == false)
  }

  @Test func jitterIsThatOfTheStandard() {
    var stream = Stream()
    _ = stream.receive(0, late: 0)
    // Five milliseconds of difference each time: 450 ticks, towards which it moves by a sixteenth.
    var expected = 0.0
    for sequence in 1...400 {
      _ = stream.receive(sequence, late: sequence % 2 == 0 ? 0 : 5_000_000)
      expected += (450 - expected) / 16
      if sequence == 10 { #expect(abs(stream.statistics.counters.jitter * 90_000 - expected) < 2) }
    }
    #expect(abs(stream.statistics.counters.jitter - 0.005) < 0.000_1)
    let block = stream.statistics.reportBlock(at: 0)
    #expect((449...450).contains(block?.jitter ?? 0))
  }

  @Test func aLeapOfStampsOrClocksIsNoJitter() {
    var stream = Stream()
    _ = stream.receive(0...10)
    _ = stream.receive(11, late: 3_600_000_000_000)
    _ = stream.receive(12, late: 3_600_000_000_000)
    #expect(stream.statistics.counters.jitter == 0)
    stream.statistics.setClockRate(48_000)
    stream.statistics.setClockRate(0)
    _ = stream.receive(13)
    #expect(stream.statistics.counters.jitter == 0)
  }

  @Test func senderReportsAreEchoed() {
    var stream = Stream()
    _ = stream.receive([1])
    let none = stream.statistics.reportBlock(at: 0)
    #expect(none?.lastSenderReport == 0 && none?.delaySinceLastSenderReport == 0)
    let report = SenderReport(
      ssrc: SSRC(7), ntp: NTPTimestamp(rawValue: 0x1122_3344_5566_7788), timestamp: RTPTimestamp(0), packetCount: 0, octetCount: 0)
    stream.statistics.received(report, at: 1_000_000_000)
    let block = stream.statistics.reportBlock(at: 1_500_000_000)
    #expect(block?.lastSenderReport == 0x3344_5566 && block?.delaySinceLastSenderReport == 0x8000)
  }

  /// Whatever comes: counts add up, and nothing traps.
  @Test func anyNumbersDoNoHarm() {
    var random = SeededRandom(seed: 5)
    for sequential in 1...3 {
      var stream = Stream(minimumSequential: sequential)
      var (number, counted) = (0, [ReceptionStatistics.Outcome: Int]())
      for index in 0..<20_000 {
        switch Int.random(in: 0..<100, using: &random) {
        case 0: number = Int.random(in: 0...65_535, using: &random)
        case 1..<10: number -= Int.random(in: 0...1200, using: &random)
        default: number += Int.random(in: 1...3, using: &random)
        }
        counted[stream.receive(number, late: Int64.random(in: -1_000_000...1_000_000_000_000, using: &random)), default: 0] += 1
        if index % 50 == 0 { _ = stream.statistics.reportBlock(at: 0) }
      }
      let counters = stream.statistics.counters
      #expect(counters.packetsReceived + counters.packetsRefused == 20_000)
      #expect(
        counters.packetsDuplicated == UInt64(counted[.duplicate] ?? 0) && counters.packetsReordered == UInt64(counted[.reordered] ?? 0))
      #expect((counted[.restarted] ?? 0) > 10 && (counted[.jumped] ?? 0) > 10)
    }
  }
}
