import MediaCore
import Testing

@testable import MediaRTP

@Suite struct LossControlTests {
  /// Sends what it may over a link that carries `capacity` and loses a share besides; the rate goes up by 8 % a second otherwise. The rates of the
  /// last ten seconds.
  private func run(seconds: Double, capacity: Double, inherent: Double, start: Double, most: Double, seed: UInt64) -> (
    ClosedRange<Double>, LossControl
  ) {
    var (losses, random) = (LossControl(), SeededRandom(seed: seed))
    var (rate, now, estimate, sequence) = (start, 0.0, start, Int64(0))
    var (least, highest, credit) = (Double.infinity, 0.0, 0.0)
    while now < seconds {
      for _ in 0..<5 {
        credit += rate * 0.02 / 8 / 1000
        while credit >= 1 {
          credit -= 1
          let share = rate > capacity ? inherent + (1 - inherent) * (1 - capacity / rate) : inherent
          let lost = Double.random(in: 0..<1, using: &random) < share
          losses.add(
            PacketResult(sequence: sequence, sent: Int64(now * 1e9), arrival: lost ? nil : 1, size: 1000, probe: 0, wasLost: false))
          sequence += 1
        }
        now += 0.02
      }
      estimate = min(most, estimate * 1.008, 1.5 * min(rate, capacity) + 10_000)
      losses.update(estimate: estimate, overflows: false, now: Int64(now * 1e9))
      rate = min(estimate, losses.bound ?? .infinity)
      if now > seconds - 10 { (least, highest) = (min(least, rate), max(highest, rate)) }
    }
    return (least...highest, losses)
  }

  @Test func aLinkThatLosesATenthOfAnythingKeepsItsRate() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let (rates, losses) = run(seconds: 25, capacity: 1e9, inherent: 0.1, start: 1e6, most: 1e6, seed: seed)
      #expect(rates.lowerBound > 0.8e6, "\(rates)")
      #expect(losses.inherent > 0.02)
      #expect(losses.loss > 0.05)
    }
  }

  @Test func aPolicerThatDelaysNothingIsFound() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let (rates, _) = run(seconds: 25, capacity: 1e6, inherent: 0, start: 2e6, most: 4e6, seed: seed)
      #expect(rates.lowerBound > 0.65e6 && rates.upperBound < 1.5e6, "\(rates)")
    }
  }

  @Test func bothAtOnce() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let (rates, _) = run(seconds: 30, capacity: 1e6, inherent: 0.05, start: 2e6, most: 4e6, seed: seed)
      #expect(rates.lowerBound > 0.5e6 && rates.upperBound < 1.5e6, "\(rates)")
    }
  }

  @Test func withoutLossesThereIsNoBound() {
    let (_, losses) = run(seconds: 10, capacity: 1e9, inherent: 0, start: 1e6, most: 1e6, seed: 1)
    #expect(losses.bound == nil)
    #expect(losses.loss == 0)
  }

  /// Half a megabit into a link of two hundred kilobits.
  @Test(arguments: [true, false]) func aQueueThatOverflowsIsLeftToDrain(isKnown: Bool) {
    var losses = LossControl()
    func observe(lost: Int, from: Int64) {
      for number in 0...50 as ClosedRange<Int64> {
        let arrival: Int64? = number % 5 < lost ? nil : 1
        losses.add(
          PacketResult(sequence: from + number, sent: (from + number) * 20_000_000, arrival: arrival, size: 1_250, probe: 0, wasLost: false)
        )
      }
      losses.update(estimate: 1e6, overflows: isKnown, now: (from + 51) * 20_000_000)
    }
    observe(lost: 3, from: 0)
    let bound = losses.bound ?? .infinity
    #expect(isKnown ? bound > 160_000 && bound < 180_000 : bound > 300_000, "\(bound)")
    // What is lost by chance does not say that it overflows.
    losses.reset()
    observe(lost: 0, from: 100)
    #expect(losses.bound == nil)
  }

  @Test func aBoundIsGivenUpWhenLossesEnd() {
    var (losses, random) = (LossControl(), SeededRandom(seed: 3))
    for _ in 0..<10 { losses.add(packets: 50, lost: 0.5, rate: 2e6, estimate: 2e6, now: 0) }
    #expect((losses.bound ?? .infinity) < 1.5e6)
    for _ in 0..<60 {
      losses.add(packets: Int.random(in: 20...60, using: &random), lost: 0, rate: losses.bound ?? 2e6, estimate: 2e6, now: 0)
    }
    #expect(losses.bound == nil)
    losses.add(packets: 50, lost: 0.5, rate: 2e6, estimate: 2e6, now: 0)
    losses.reset()
    #expect(losses.bound == nil)
  }

  @Test func reportsMayBeAnything() {
    var losses = LossControl()
    for lost in [-5, 0, 0.5, 1, 7e300] { losses.add(packets: .max, lost: lost, rate: 1e12, estimate: 1e6, now: 0) }
    losses.add(packets: -3, lost: 0.1, rate: 1e6, estimate: 1e6, now: 0)
    losses.add(packets: 3, lost: 0.1, rate: 0, estimate: 1e6, now: 0)
    #expect((losses.bound ?? 1e6) >= 0)
  }
}
