import MediaCore
import Testing

@testable import MediaRTP

@Suite struct OveruseDetectorTests {
  /// So many bursts 20 ms apart, each later by so much than the one before, and up to `noise` early or late.
  private func run(_ detector: inout OveruseDetector, _ count: Int, later: Double, noise: Double = 0, from: inout Double, seed: UInt64 = 1)
    -> [LinkUsage]
  {
    var random = SeededRandom(seed: seed)
    var before = 0.0
    return (0..<count).map { _ in
      let now = noise > 0 ? Double.random(in: -noise...noise, using: &random) : 0
      let arrived = max(0, 20 + later + now - before)
      before = now
      from += arrived
      detector.add(ArrivalDelta(sent: 20, arrived: arrived, arrival: from))
      return detector.usage
    }
  }

  @Test func aQueueThatGrowsIsOveruseAndOneThatDrainsUnderuse() {
    var (detector, time) = (OveruseDetector(), 0.0)
    #expect(run(&detector, 60, later: 0, from: &time).allSatisfy { $0 == .normal })
    let growing = run(&detector, 30, later: 5, from: &time)
    let told = growing.firstIndex(of: .over) ?? .max
    #expect(told <= 10, "\(growing)")
    #expect(growing.last == .over)
    #expect(run(&detector, 40, later: -5, from: &time).last == .under)
    #expect(run(&detector, 60, later: 0, from: &time).last == .normal)
  }

  @Test func jitterAloneIsNoOveruse() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var (detector, time) = (OveruseDetector(), 0.0)
      let usages = run(&detector, 3000, later: 0, noise: 5, from: &time, seed: seed)
      let over = usages.filter { $0 == .over }.count
      #expect(over < 30, "\(over) of 3000")
    }
  }

  @Test func clocksThatDriftAreNoOveruse() {
    for later in [0.02, -0.02] {
      var (detector, time) = (OveruseDetector(), 0.0)
      // 1000 parts of a million.
      #expect(run(&detector, 3000, later: later, from: &time).allSatisfy { $0 == .normal })
    }
  }

  @Test func aResetKeepsTheThresholdOnly() {
    var (detector, time) = (OveruseDetector(), 0.0)
    _ = run(&detector, 60, later: 5, from: &time)
    #expect(detector.usage == .over)
    detector.reset()
    #expect(detector.usage == .normal)
  }
}
