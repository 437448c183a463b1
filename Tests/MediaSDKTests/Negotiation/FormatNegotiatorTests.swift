import MediaCore
import Testing

@testable import MediaSDK

@Suite struct FormatNegotiatorTests {
  private let large = Make.format(1280, 720, 30)
  private let middle = Make.format(640, 360, 30)
  private let small = Make.format(320, 180, 15)

  private func negotiator(_ formats: [VideoFormat]? = nil, isEncoded: Bool = true) -> FormatNegotiator {
    FormatNegotiator(formats: formats ?? [large, middle, small], isEncoded: isEncoded)
  }

  /// Its larger layers are dropped before it is.
  @Test func aFormatStaysWhileItsSmallestLayerIsCarried() {
    var negotiator = FormatNegotiator(formats: [Make.format(640, 360, 30), Make.format(320, 180, 15)], isEncoded: true)
    negotiator.layerPart = 0.25
    var widths: [UInt32?] = []
    for estimate in [60_000, 51_000, 60_000] as [UInt64] {
      _ = negotiator.update(estimate: estimate, now: 0)
      widths.append(negotiator.current?.width)
    }
    #expect(widths == [640, 320, 320])
    negotiator.layerPart = 1
    var alone = FormatNegotiator(formats: negotiator.formats, isEncoded: true)
    _ = alone.update(estimate: 60_000, now: 0)
    #expect(alone.current?.width == 320)
  }

  @Test func needIsThatOfTheHeader() {
    let negotiator = negotiator()
    // 0.03 bits a pixel of a 1280x720 picture 30 times a second, and all of its bytes.
    #expect(negotiator.need(of: large).rounded() == 829_440)
    #expect(self.negotiator(isEncoded: false).need(of: large) == 331_776_000)
  }

  @Test func withoutALimitTheBestIsChosen() {
    var negotiator = negotiator([small, large, middle])
    #expect(negotiator.current == nil)
    let changed = negotiator.update(estimate: 0, now: 0)
    #expect(changed)
    #expect(negotiator.current == large)
    #expect(negotiator.nextCheck == nil)
  }

  @Test func theFirstChoiceNeedsNoHeadroom() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 829_440, now: 0)
    #expect(negotiator.current == large)
    var tighter = self.negotiator()
    _ = tighter.update(estimate: 829_439, now: 0)
    #expect(tighter.current == middle)
  }

  @Test func whenNothingFitsTheLeastIsMade() {
    var negotiator = negotiator()
    let changed = negotiator.update(estimate: 1000, now: 0)
    #expect(changed)
    #expect(negotiator.current == small)
    let changedAgain = negotiator.update(estimate: 500, now: 1)
    #expect(!changedAgain)
  }

  @Test func downAtOnce() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 0, now: 0)
    let changed = negotiator.update(estimate: 500_000, now: 1)
    #expect(changed)
    #expect(negotiator.current == middle)
    let again = negotiator.update(estimate: 100_000, now: 2)
    #expect(again)
    #expect(negotiator.current == small)
  }

  @Test func upAfterFiveSecondsWithAQuarterToSpare() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 100_000, now: 0)
    #expect(negotiator.current == small)
    // Middle needs 207,360; with a quarter to spare 259,200.
    let tooLittle = negotiator.update(estimate: 259_199, now: 10 * second)
    #expect(!tooLittle)
    #expect(negotiator.nextCheck == nil)
    let begins = negotiator.update(estimate: 259_200, now: 20 * second)
    #expect(!begins)
    #expect(negotiator.nextCheck == 25 * second)
    let early = negotiator.update(estimate: 259_200, now: 25 * second - 1)
    #expect(!early)
    let onTime = negotiator.update(estimate: 259_200, now: 25 * second)
    #expect(onTime)
    #expect(negotiator.current == middle)
  }

  @Test func aDipBeginsTheWaitAnew() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 100_000, now: 0)
    _ = negotiator.update(estimate: 300_000, now: second)
    _ = negotiator.update(estimate: 200_000, now: 4 * second)
    #expect(negotiator.nextCheck == nil)
    _ = negotiator.update(estimate: 300_000, now: 4 * second + 1)
    let early = negotiator.update(estimate: 300_000, now: 6 * second)
    #expect(!early)
    let late = negotiator.update(estimate: 300_000, now: 9 * second + 1)
    #expect(late)
  }

  @Test func theLeastEstimateOfTheWaitDecides() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 100_000, now: 0)
    _ = negotiator.update(estimate: 300_000, now: second)
    _ = negotiator.update(estimate: 10_000_000, now: 3 * second)
    let changed = negotiator.update(estimate: 10_000_000, now: 6 * second)
    #expect(changed)
    // Large was affordable for three seconds only.
    #expect(negotiator.current == middle)
  }

  @Test(arguments: 1...20)
  func itNeverFlaps(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    var negotiator = negotiator()
    var history: [(time: Int64, estimate: UInt64)] = []
    var now: Int64 = 0
    var changes = 0
    for _ in 0..<400 {
      let estimate = UInt64.random(in: 50_000...1_400_000, using: &random)
      let before = negotiator.current
      history.append((now, estimate))
      let changed = negotiator.update(estimate: estimate, now: now)
      guard let after = negotiator.current else {
        Issue.record("nothing was chosen")
        return
      }
      #expect(changed == (before != after))
      if let before, negotiator.need(of: after) > negotiator.need(of: before) {
        changes += 1
        // Every estimate that held at some time in the last five seconds carried it with a quarter to spare.
        let start = now - FormatNegotiator.hold
        let first = history.lastIndex { $0.time <= start } ?? 0
        #expect(now >= FormatNegotiator.hold)
        #expect(history[first...].allSatisfy { Double($0.estimate) >= 1.25 * negotiator.need(of: after) })
      }
      // Nothing is kept that cannot be afforded, unless there is nothing less.
      #expect(negotiator.need(of: after) <= Double(estimate) || after == small)
      now += Int64.random(in: 1...(4 * second), using: &random)
    }
    #expect(changes < 40)
  }

  @Test(arguments: 1...10)
  func theOrderOfTheListHasNoSay(seed: UInt64) {
    var random = SeededRandom(seed: seed)
    let formats = [
      large, middle, small, Make.format(640, 480, 30), Make.format(1280, 720, 15), Make.format(640, 360, 30, .nv12),
      Make.format(640, 360, 30, .rgba), Make.format(360, 640, 30)
    ]
    for isEncoded in [false, true] {
      var one = negotiator(formats, isEncoded: isEncoded)
      var other = negotiator(formats.shuffled(using: &random), isEncoded: isEncoded)
      var choices: [(VideoFormat?, VideoFormat?)] = []
      for step in 0..<50 {
        let estimate = step == 0 ? 0 : UInt64.random(in: 50_000...(isEncoded ? 1_400_000 : 600_000_000), using: &random)
        let now = Int64(step) * 3 * second
        _ = one.update(estimate: estimate, now: now)
        _ = other.update(estimate: estimate, now: now)
        choices.append((one.current, other.current))
      }
      let different = choices.first { $0 != $1 }
      #expect(different == nil)
    }
  }
}
