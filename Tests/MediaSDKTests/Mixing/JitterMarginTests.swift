import MediaCore
import Testing

@testable import MediaSDK

private let rate: UInt32 = 48_000

@Suite struct JitterMarginTests {
  /// What a controller makes of a sender whose clock is fast by so many parts per million and who is late by up to so much, at random: how far
  /// what waits was from where it began, and what was corrected in the end. In milliseconds.
  private func follow(ppm: Double, lateness: Double, seconds: Int) -> (worst: Double, last: Double, ppm: Int32) {
    var random = SeededRandom(seed: 7, name: "lateness")
    var margin = JitterMargin()
    var controller = DriftController()
    var wait = 40.0
    var worst = 0.0
    for step in 1...Int64(seconds) * 50 {
      wait += (ppm - Double(controller.ppm)) / 1000 / 50
      let late = lateness == 0 ? 0 : Double.random(in: 0..<lateness, using: &random)
      margin.arrived(Int((wait - late) * 48))
      worst = max(worst, abs(wait - 40))
      guard case .excess(let excess, let spread) = margin.judge(step * 20_000_000, rate: rate) else { continue }
      controller.update(excessMilliseconds: excess, spreadMilliseconds: spread)
    }
    return (worst, abs(wait - 40), controller.ppm)
  }

  @Test(arguments: [-200.0, 200], [0.0, 15]) func followsAClockForTenMinutes(ppm: Double, lateness: Double) {
    let result = follow(ppm: ppm, lateness: lateness, seconds: 600)
    #expect(result.worst < 7)
    #expect(result.last < 1.5)
    #expect(abs(Double(result.ppm) - ppm) <= 30)
  }

  @Test(arguments: [0.0, 3, 15]) func lateOrNotAClockThatIsRightIsLeftAlone(lateness: Double) {
    let result = follow(ppm: 0, lateness: lateness, seconds: 600)
    #expect(result.ppm == 0)
    #expect(result.worst == 0)
  }

  @Test func aJumpIsNoDrift() {
    var margin = JitterMargin()
    var verdicts: [JitterMargin.Verdict] = []
    for second in 1...20 as ClosedRange<Int64> {
      margin.arrived(second <= 8 ? 4800 : 2400)
      if let verdict = margin.judge(second * 1_000_000_000, rate: rate) { verdicts.append(verdict) }
    }
    #expect(verdicts.contains(.jump))
    #expect(verdicts.last == .excess(0, spread: 0))
  }

  @Test func whatWasNeverNeededIsTooMuch() {
    var margin = JitterMargin()
    for second in 1...9 as ClosedRange<Int64> {
      margin.arrived(4800)
      _ = margin.judge(second * 1_000_000_000, rate: rate)
      #expect(margin.tooMuch(needed: 1440, rate: rate) == 0, "only ten seconds prove it")
    }
    margin.arrived(4800)
    _ = margin.judge(10_000_000_000, rate: rate)
    #expect(margin.tooMuch(needed: 1440, rate: rate) == 3360)
    #expect(margin.tooMuch(needed: 3500, rate: rate) == 0, "a little is tolerated")
    margin.skipped(3360)
    #expect(margin.tooMuch(needed: 1440, rate: rate) == 0)
  }

  @Test func afterADelayASecondIsEnough() {
    var margin = JitterMargin()
    #expect(margin.tooMuchAfterDelay(needed: 1440, rate: rate) == 0)
    for (second, samples) in ([1500, 4800] as [Int]).enumerated() {
      margin.arrived(samples)
      _ = margin.judge(Int64(second + 1) * 1_000_000_000, rate: rate)
      #expect(margin.tooMuchAfterDelay(needed: 1440, rate: rate) == (second == 0 ? 0 : 3360))
    }
    #expect(!margin.isFull && margin.tooMuch(needed: 1440, rate: rate) == 0)
    margin.skipped(3360)
    #expect(margin.tooMuchAfterDelay(needed: 1440, rate: rate) == 0)
  }

  @Test func withoutArrivalsThereIsNothingToSay() {
    var margin = JitterMargin()
    #expect(margin.judge(999_999_999, rate: rate) == nil)
    #expect(margin.judge(1_000_000_000, rate: rate) == .unknown)
  }
}
