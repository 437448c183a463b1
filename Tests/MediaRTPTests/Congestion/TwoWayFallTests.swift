import MediaCore
import Testing

@testable import MediaRTP

/// A link that falls in both directions at once, so that what is told of it waits in its queues as long as what it tells of: two ends send one
/// way and two the other, as where two members of a call are behind it. Ten seeds each; beside the bounds stands what was measured when they were
/// written.
@Suite struct TwoWayFallTests {
  private static let seeds: ClosedRange<UInt64> = 1...10
  private let ms: Int64 = 1_000_000
  private let second: Int64 = 1_000_000_000

  /// Of the server's two each packet of sound is as long as two, since two people are heard.
  private func flows(_ seed: UInt64) -> [SimulatedFlow] {
    [550_000.0, 1_290_000, 1_840_000, 1_100_000].enumerated().map { place, most in
      let flow = SimulatedFlow(BandwidthEstimator(), seed: seed &* 100 &+ UInt64(place))
      (flow.most, flow.isBackwards) = (most, place > 1)
      (flow.audioSize, flow.audioInterval) = (place > 1 ? 380 : 190, 40 * ms)
      flow.feedbackInterval = 50 * ms...60 * ms
      return flow
    }
  }

  /// From 4 Mbit/s to another rate and back, both ways.
  private func ran(
    _ seed: UInt64, _ rates: [(from: Int64, rate: Double)], seconds: Double, jitter: Int64 = 3, isLost: Bool = true,
    prepare: (SimulatedFlow) -> Void = { _ in }
  ) -> [SimulatedFlow] {
    let ways = [seed, seed &+ 1000].map { seed in
      var link = SimulatedLink(rate: 4e6, delay: 20 * ms, queue: 60, seed: seed)
      (link.jitter, link.losesInOutage) = (jitter * ms, isLost)
      link.schedule = [(0, 4e6)] + rates
      return link
    }
    let flows = flows(seed)
    flows.prefix(2).forEach(prepare)
    var simulation = Simulation(ways[0], back: ways[1], flows)
    simulation.run(seconds: seconds)
    return simulation.flows
  }

  @Test(arguments: seeds) func itIsToldWithinASecondAndSoundSurvives(seed: UInt64) {
    let all = ran(seed, [(15 * second, 3e5), (30 * second, 4e6)], seconds: 42)
    for (place, flow) in all.enumerated() {
      let figures: Comment = "\(place): \(flow.drawing(14.5, 18, step: 1))\n\(flow.drawing(18, 42))"
      // Measured: 0.4...0.8 s, where without word being waited for it was 1.9 s on average and 3.8 s at worst; and 0.3...5 s.
      #expect((flow.below(245_000, from: 15) ?? .infinity) < 1, figures)
      #expect((flow.above(500_000, from: 30) ?? .infinity) < 10, figures)
      // For a moment only, of which no format goes up.
      #expect(flow.between(17.1, 30).allSatisfy { $0.target < 400_000 }, figures)
      #expect(flow.received(20, 30) > 30_000, figures)
      let sounds = flow.sounds.filter { $0.made >= 15 * second && $0.made < 21 * second }
      let arrived = sounds.compactMap { one in one.arrived.map { $0 - one.made } }
      // Measured: 0.9...1 up and 0.78...1 down, where the queue is full of pictures before anything can be known; before it was 0.14...0.6 both
      // ways. At most 0.8 s late up, and 1.2 down.
      #expect(Double(arrived.count) / Double(sounds.count) > (place > 1 ? 0.6 : 0.88), figures)
      #expect((arrived.max() ?? 0) < 1500 * ms, figures)
      // From two seconds on none is lost, but for one now and then.
      let later = flow.sounds.filter { $0.made >= 21 * second && $0.made < 30 * second }
      #expect(Double(later.filter { $0.arrived != nil }.count) / Double(later.count) > 0.95, figures)
    }
  }

  /// What keeps a shared screen's size beside sound is 66 kbit/s (`ScreenNegotiator`, which waits for ten seconds): neither of two members falls
  /// below it for as long, as each of them climbs by as much as the other.
  @Test(arguments: 1...40 as ClosedRange<UInt64>) func nobodyIsLeftWithNextToNothing(seed: UInt64) {
    for flow in ran(seed, [(15 * second, 3e5), (30 * second, 4e6)], seconds: 31).prefix(2) {
      var (since, longest) = (Int64?.none, Int64(0))
      for sample in flow.between(15, 31) {
        let began = since ?? sample.time
        since = sample.target < 66_000 ? began : nil
        longest = max(longest, since.map { sample.time - $0 } ?? 0)
      }
      // Measured: up to 6.9 s; up to 14.1 s, all of the fall, where a rate grew in proportion to itself.
      #expect(longest < 9 * second, "\(flow.drawing(15, 31))")
    }
  }

  /// Two members who send little until their formats go up again, with old packets of sound as padding, on a link that jitters by as much as a
  /// short probe lasts: what a camera of 640x360 needs, alone and beside a shared screen, is found, and lasts.
  @Test(arguments: 1...40 as ClosedRange<UInt64>, [6, 12] as [Int64]) func sendersOfLittleFindThatThereIsMore(seed: UInt64, jitter: Int64) {
    let all = ran(seed, [(15 * second, 3e5), (30 * second, 4e6)], seconds: 45, jitter: jitter) {
      $0.fixed = (0, 45 * second, 150_000)
      $0.longestPadding = 275
    }
    for (flow, need) in zip(all, [300_000, 700_000]) {
      let found = flow.above(Double(need), from: 30) ?? .infinity
      // Measured: 4.3 s at most in 800, of which four are between two probes. Where a probe of five short packets lasted 15 ms jitter passed for
      // the link's rate, and one in twenty took up to 11 s, or was never found.
      guard found < 5 else {
        Issue.record("after \(found) s: \(flow.drawing(30, 45))")
        continue
      }
      #expect(flow.between(30 + found, 45).allSatisfy { $0.target > need * 9 / 10 }, "\(flow.drawing(30, 45))")
    }
  }

  @Test(arguments: seeds, [20, 60] as [Int64]) func aLinkThatJittersHasNotFallen(seed: UInt64, jitter: Int64) {
    for flow in ran(seed, [], seconds: 30, jitter: jitter) {
      // Measured: 470 kbit/s at least, which was 500 before; and the rates on average are the same.
      #expect(flow.between(8, 30).allSatisfy { $0.target > 350_000 }, "\(flow.drawing(8, 30))")
      #expect(flow.between(8, 30).allSatisfy { $0.paced < 250 }, "\(flow.drawing(8, 30))")
    }
  }

  @Test(arguments: seeds) func aMomentsStandstillChangesNoFormat(seed: UInt64) {
    for flow in ran(seed, [(15 * second, 0), (15_250 * ms, 4e6)], seconds: 25, isLost: false) {
      // Measured: 390 kbit/s at least.
      #expect(flow.between(14, 25).allSatisfy { $0.target > 250_000 }, "\(flow.drawing(14.5, 18, step: 1))")
    }
  }

  @Test(arguments: seeds, [true, false]) func threeSecondsOfNothing(seed: UInt64, isLost: Bool) {
    for (place, flow) in ran(seed, [(15 * second, 0), (18 * second, 4e6)], seconds: 32, isLost: isLost).enumerated() {
      let figures: Comment = "\(place): \(flow.drawing(14.5, 20, step: 1))\n\(flow.drawing(20, 32))"
      // Measured: 0.6 s down; half of what is used is there again after 0.3...0.9 s.
      #expect((flow.below(100_000, from: 15) ?? .infinity) < 1, figures)
      #expect((flow.above(flow.most / 2, from: 18) ?? .infinity) < 2, figures)
    }
  }
}
