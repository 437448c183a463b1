import Testing

@testable import MediaRTP

@Suite struct FreezeMeterTests {
  private let ms: Int64 = 1_000_000

  private func run(_ gaps: [Int64]) -> FreezeMeter {
    var meter = FreezeMeter()
    var now: Int64 = 0
    meter.shown(at: now)
    for gap in gaps {
      now += gap * ms
      meter.shown(at: now)
    }
    return meter
  }

  @Test func aGapOfThreeTimesTheAverageAnd150msMoreIsAFreeze() {
    let even = [Int64](repeating: 33, count: 40)
    #expect(run(even).count == 0)
    // 183 ms, since three times 33 is less.
    #expect(run(even + [182]).count == 0)
    #expect(run(even + [183]).count == 1 && run(even + [183]).total == 183 * ms)
    let slow = [Int64](repeating: 200, count: 40)
    #expect(run(slow + [599]).count == 0 && run(slow + [600]).count == 1)
    #expect(run(even + [500] + even + [1000]).total == 1500 * ms)
  }

  @Test func fewPicturesSayNothing() {
    #expect(run([33, 33, 33, 5000]).count == 0)
  }

  @Test func whatWasSlowBeforeIsForgotten() {
    let meter = run([Int64](repeating: 1000, count: 40) + [Int64](repeating: 33, count: 30) + [200])
    #expect(meter.count == 1)
  }

  @Test func clocksThatJumpDoNoHarm() {
    var meter = FreezeMeter()
    for time in [0, 1, 2, 3, 4, 5, 6, .max, .min, 0, .max] as [Int64] { meter.shown(at: time) }
    #expect(meter.count > 0)
  }
}
