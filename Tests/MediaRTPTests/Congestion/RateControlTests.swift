import Testing

@testable import MediaRTP

@Suite struct RateControlTests {
  private let limits = 30_000.0...20e6
  private let second: Int64 = 1_000_000_000

  private func run(_ control: inout RateControl, _ usage: LinkUsage, _ acknowledged: Double?, from: Double, to: Double) {
    for at in stride(from: from, to: to, by: 0.1) {
      control.update(usage, acknowledged: acknowledged, recent: acknowledged, limits: limits, now: Int64(at * 1e9))
    }
  }

  @Test func withoutOveruseItGrowsByEightInAHundredASecond() {
    var control = RateControl(rate: 1e6)
    run(&control, .normal, 5e6, from: 0, to: 5.15)
    #expect(abs(control.rate / 1e6 - 1.469) < 0.02, "\(control.rate)")
  }

  @Test func noMoreThanOneAndAHalfOfWhatArrives() {
    var control = RateControl(rate: 1e6)
    run(&control, .normal, 0.8e6, from: 0, to: 30)
    #expect(abs(control.rate - 1.21e6) < 1)
    // What is above it already stays.
    run(&control, .normal, 0.1e6, from: 30, to: 40)
    #expect(abs(control.rate - 1.21e6) < 1)
  }

  @Test func overuseTakesItBelowWhatArrives() {
    var control = RateControl(rate: 2e6)
    control.update(.over, acknowledged: 1.5e6, recent: 1e6, limits: limits, now: second)
    #expect(abs(control.rate - 0.85e6) < 1)
    #expect(control.decreases == 1)
    // Not again before a round trip has shown what it did.
    control.update(.over, acknowledged: 1.5e6, recent: 0.9e6, limits: limits, now: second + 50_000_000)
    #expect(abs(control.rate - 0.85e6) < 1)
    control.update(.over, acknowledged: 1.5e6, recent: 0.9e6, limits: limits, now: second + 300_000_000)
    #expect(abs(control.rate - 0.765e6) < 1)
    control.update(.under, acknowledged: 1e6, recent: 1e6, limits: limits, now: second + 400_000_000)
    #expect(abs(control.rate - 0.765e6) < 1)
  }

  @Test func nearTheLinkItGrowsByLittle() {
    var control = RateControl(rate: 1e6)
    for at in 1...20 as ClosedRange<Int64> { control.update(.over, acknowledged: 1e6, recent: 1e6, limits: limits, now: at * second) }
    #expect(control.knowsLink)
    let before = control.rate
    run(&control, .normal, 0.85e6, from: 21, to: 22.15)
    let grown = control.rate - before
    // Packets of about 900 bytes in 0.3 s.
    #expect(grown > 15_000 && grown < 45_000, "\(grown)")
    // What is far above the link that was known is another link.
    run(&control, .normal, 2e6, from: 22.2, to: 23)
    #expect(!control.knowsLink)
  }

  @Test func beforeAnythingArrivesOveruseHalves() {
    var control = RateControl(rate: 1e6)
    control.update(.over, acknowledged: nil, recent: nil, limits: limits, now: second)
    control.update(.over, acknowledged: nil, recent: nil, limits: limits, now: second + 1_000_000)
    #expect(control.rate == 0.5e6)
  }

  @Test func itStaysWithinItsLimits() {
    var control = RateControl(rate: 1e6)
    control.update(.over, acknowledged: 1000, recent: 1000, limits: limits, now: second)
    #expect(control.rate == 30_000)
    control.set(19e6, now: 2 * second)
    run(&control, .normal, 100e6, from: 2, to: 30)
    #expect(control.rate == 20e6)
  }
}
