import Testing

@testable import MediaRTP

@Suite struct AcknowledgedRateTests {
  private let ms: Int64 = 1_000_000

  private func packets(_ numbers: Range<Int64>, every: Int64 = 10, later: (Int64) -> Int64 = { $0 }, size: Int = 1250) -> [PacketResult] {
    numbers.map {
      PacketResult(
        sequence: $0, sent: $0 * every * ms, arrival: later($0 * every) * ms + 7_000_000_000, size: size, probe: 0, wasLost: false)
    }
  }

  @Test func whatComesEvenlyIsMeasuredExactly() {
    var rates = AcknowledgedRate()
    rates.add(packets(0..<9), steppedOver: 0)
    #expect(rates.rate == nil)
    rates.add(packets(9..<300), steppedOver: 0)
    #expect(abs((rates.rate ?? 0) - 1e6) < 1)
    #expect(abs((rates.recentRate ?? 0) - 1e6) < 1)
  }

  @Test func aFallShowsInTheLastMomentsFirst() {
    var rates = AcknowledgedRate()
    rates.add(packets(0..<200), steppedOver: 0)
    // From two seconds on a quarter comes through.
    rates.add(packets(200..<210, later: { 2000 + ($0 - 2000) * 4 }), steppedOver: 0)
    #expect((rates.recentRate ?? 0) < 0.35e6)
    #expect((rates.rate ?? 0) > 0.6e6)
  }

  @Test func aQueueThatDrainsIsNotAFasterLink() {
    var rates = AcknowledgedRate()
    // Held back for two seconds and come in one.
    rates.add(packets(0..<200, later: { 2000 + $0 / 2 }), steppedOver: 0)
    #expect(abs((rates.rate ?? 0) - 1e6) < 1e5)
  }

  @Test func whatALostFeedbackToldOfCounts() {
    var (rates, poor) = (AcknowledgedRate(), AcknowledgedRate())
    for start in stride(from: 0 as Int64, to: 300, by: 10) where start % 30 != 0 {
      rates.add(packets(start..<start + 10), steppedOver: start % 30 == 10 && start > 10 ? 12_500 : 0)
      poor.add(packets(start..<start + 10), steppedOver: 0)
    }
    #expect(abs((rates.rate ?? 0) - 1e6) < 1e5)
    #expect((poor.rate ?? 0) < 0.8e6)
  }

  @Test func onePauseIsNotASlowLink() {
    var rates = AcknowledgedRate()
    rates.add(packets(0..<200), steppedOver: 0)
    rates.add(packets(200..<240, later: { $0 < 2100 ? max($0, 2100) : $0 }), steppedOver: 0)
    #expect(abs((rates.rate ?? 0) - 1e6) < 1.5e5)
  }

  @Test func afterAProbeWhatWasSentBeforeIsForgotten() {
    var rates = AcknowledgedRate()
    rates.add(packets(0..<200), steppedOver: 0)
    rates.restart(3e6, sentFrom: 2_000 * ms)
    rates.add(packets(190..<205), steppedOver: 0)
    #expect(rates.rate == 3e6)
    #expect(rates.recentRate == 3e6)
    rates.add(packets(205..<230), steppedOver: 0)
    #expect(abs((rates.rate ?? 0) - 1e6) < 1)
  }

  @Test func clocksThatJumpBeginAnewAndMemoryIsBounded() {
    var rates = AcknowledgedRate()
    rates.add(packets(0..<100_000, every: 1), steppedOver: 0)
    #expect(abs((rates.rate ?? 0) - 1e7) < 1e5)
    rates.add(packets(0..<1, later: { _ in -500_000 }), steppedOver: 0)
    #expect(rates.rate == nil)
    for arrival in [1 << 60, -1 << 60, 0, 5, 1 << 60, 1 << 60] as [Int64] {
      rates.add([PacketResult(sequence: 0, sent: 0, arrival: arrival, size: 65_535, probe: 0, wasLost: false)], steppedOver: 0)
    }
  }
}
