import Testing

@testable import MediaRTP

/// The link of the simulations does what is asked of it.
@Suite struct SimulatedLinkTests {
  private let ms: Int64 = 1_000_000

  @Test func itCarriesItsRateAndDropsWhatDoesNotFit() {
    var link = SimulatedLink(rate: 1e6, delay: 50 * ms, queue: 30, seed: 1)
    let arrivals = (0..<40).map { _ in link.send(1250, at: 0) }
    let expected: [Int64] = (1...30).map { ($0 * 10 + 50) * ms }
    #expect(arrivals.compactMap { $0 } == expected)
    #expect(arrivals.suffix(10).allSatisfy { $0 == nil })
    let later = link.send(1250, at: 1000 * ms)
    #expect(later == 1060 * ms)
  }

  @Test func itsRateChangesWhileAPacketIsOnIt() {
    var link = SimulatedLink(rate: 1e6, delay: 0, queue: 30, seed: 1)
    link.schedule = [(0, 1e6), (5 * ms, 0), (105 * ms, 0.5e6)]
    link.losesInOutage = false
    let arrival = link.send(1250, at: 0)
    #expect(arrival == 115 * ms)
  }

  @Test func itLosesItsShareAloneOrInBursts() {
    for burst in [1.0, 4] {
      var link = SimulatedLink(rate: 1e9, delay: 0, queue: 30, seed: 3)
      (link.loss, link.burst) = (0.1, burst)
      let lost = (0..<20_000).map { link.send(100, at: Int64($0) * ms) == nil }
      let count = lost.filter { $0 }.count
      #expect(count > 1600 && count < 2400, "\(count)")
      let bursts = zip(lost, lost.dropFirst()).filter { !$0 && $1 }.count
      #expect(abs(Double(count) / Double(bursts) - (burst == 1 ? 1.11 : 4)) < 0.4)
    }
  }
}
