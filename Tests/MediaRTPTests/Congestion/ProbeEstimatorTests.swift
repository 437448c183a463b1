import Testing

@testable import MediaRTP

@Suite struct ProbeEstimatorTests {
  /// A probe of so many packets of 1000 bytes, sent at one rate and arriving at another.
  private func result(sent: Double, arrived: Double, count: Int = 10, without: Set<Int> = [], goal: Double = 4e6) -> Double? {
    var estimator = ProbeEstimator()
    estimator.expect(ProbeCluster(id: 1, rate: goal))
    var found: Double?
    for index in 0..<count where !without.contains(index) {
      let packet = PacketResult(
        sequence: Int64(index), sent: Int64(Double(index) * 8e12 / sent), arrival: Int64(Double(index) * 8e12 / arrived) - 5_000_000_000,
        size: 1000,
        probe: 1, wasLost: false)
      found = estimator.add(packet) ?? found
    }
    return found
  }

  @Test func whatComesThroughIsWhatWasSent() throws {
    let rate = try #require(result(sent: 4e6, arrived: 4e6))
    #expect(abs(rate - 4e6) < 1e4)
    // A little faster than it was sent: no more than was sent.
    let faster = try #require(result(sent: 4e6, arrived: 5e6))
    #expect(abs(faster - 4e6) < 1e4)
  }

  @Test func aLinkThatItFilledIsTakenALittleLower() throws {
    let rate = try #require(result(sent: 4e6, arrived: 2e6))
    #expect(abs(rate - 1.9e6) < 1e4)
  }

  /// At a low rate as long as it takes to see through a few milliseconds of jitter, at a high one as short as the queue of a link wants it.
  @Test(arguments: [(100e3, 625), (960e3, 6000), (1.9e6, 6000), (3.2e6, 6000), (20e6, 37_500)])
  func aProbesLength(rate: Double, bytes: Int) {
    #expect(ProbeCluster(id: 1, rate: rate).bytes == bytes)
  }

  @Test func tooFewSayNothing() {
    #expect(result(sent: 4e6, arrived: 4e6, count: 2) == nil)
    #expect(result(sent: 4e6, arrived: 4e6, count: 10, without: [0, 2, 4, 6, 7, 8]) == nil)
    #expect(result(sent: 4e6, arrived: 4e6, count: 10, without: [3, 6]) != nil)
  }

  @Test func whatWasLetGoAtOnceSaysNothing() {
    #expect(result(sent: 4e6, arrived: 20e6) == nil)
    #expect(result(sent: 4e6, arrived: 20e3) == nil)
  }

  @Test func othersAreNotCounted() {
    var estimator = ProbeEstimator()
    let stranger = PacketResult(sequence: 1, sent: 0, arrival: 5, size: 1000, probe: 9, wasLost: false)
    #expect(estimator.add(stranger) == nil)
    for id in 1...20 as ClosedRange<Int32> { estimator.expect(ProbeCluster(id: id, rate: 1e6)) }
    for arrival in [1 << 60, -1 << 60, 0, 1, 2] as [Int64] {
      _ = estimator.add(PacketResult(sequence: 1, sent: 0, arrival: arrival, size: 1000, probe: 20, wasLost: false))
    }
  }
}
