import MediaCore
import Testing

@testable import MediaRTP

@Suite struct PlayoutDelayTests {
  private let ms: Int64 = 1_000_000

  /// Pictures every 33 ms that arrive a random time late; how many of the last half were not there when they were due, and the delay at the end.
  private func run(_ settings: PlayoutDelay.Settings = .init(), jitter: Int64, drift: Double = 0, count: Int = 2000, seed: UInt64 = 5) -> (
    late: Double, target: Int64
  ) {
    var delay = PlayoutDelay(settings)
    var random = SeededRandom(seed: seed)
    var late = 0
    for index in 0..<count {
      let stamp = Int64(index) * 33 * ms
      let arrival = 70_000 * ms + stamp + Int64(Double(stamp) * drift) + (jitter > 0 ? Int64.random(in: 0...jitter, using: &random) : 0)
      if index > count / 2, let due = delay.release(stamp: stamp), due < arrival { late += 1 }
      delay.arrived(stamp: stamp, at: arrival)
    }
    return (Double(late) / Double(count / 2), delay.target)
  }

  @Test func nothingIsHeldBackOnAnEvenWay() {
    #expect(run(jitter: 0).target == 0)
    #expect(run(jitter: 3 * ms).target == 0)
  }

  @Test func jitterIsCoveredForNearlyAll() {
    for (jitter, seed) in [(20, 1), (60, 2), (150, 3)] as [(Int64, UInt64)] {
      let (late, target) = run(jitter: jitter * ms, seed: seed)
      #expect(late < 0.09, "\(late) late at \(jitter) ms")
      #expect(target > jitter * ms * 8 / 10 && target < jitter * ms * 12 / 10, "\(target)")
    }
  }

  @Test func clocksThatDriftAreFollowed() {
    for drift in [-200e-6, 200e-6] {
      let (_, target) = run(jitter: 20 * ms, drift: drift, count: 20_000)
      #expect(target < 30 * ms, "\(target) at \(drift)")
    }
  }

  @Test func limitsHold() {
    var settings = PlayoutDelay.Settings()
    (settings.least, settings.most) = (15 * ms, 40 * ms)
    #expect(run(settings, jitter: 0).target == 15 * ms)
    #expect(run(settings, jitter: 200 * ms).target == 40 * ms)
  }

  @Test func extremeSettingsAreBounded() {
    var settings = PlayoutDelay.Settings()
    (settings.least, settings.most, settings.share, settings.noise) = (.min, .max, .max, .max)
    #expect(run(settings, jitter: 20 * ms).target == 0)
    (settings.least, settings.most, settings.noise) = (.max, .min, .min)
    #expect(run(settings, jitter: 20 * ms).target == 60_000 * ms)
  }

  @Test func whatIsHeldForAnotherComesOnTop() {
    var delay = PlayoutDelay()
    delay.arrived(stamp: 0, at: 70 * ms)
    delay.hold = 30 * ms
    #expect(delay.release(stamp: 5 * ms) == 105 * ms && delay.unheld(stamp: 5 * ms) == 75 * ms)
  }

  @Test func aWayThatBecomesLongerIsFollowedWithoutALeap() throws {
    var delay = PlayoutDelay()
    var last: Int64 = 0
    for index in Int64(0)..<900 {
      let way = index < 300 ? 20 * ms : 120 * ms
      delay.arrived(stamp: index * 33 * ms, at: index * 33 * ms + way)
      let due = try #require(delay.release(stamp: index * 33 * ms)) - index * 33 * ms
      // Once long enough it does not grow beyond what was needed.
      if index > 330 { #expect(due <= 126 * ms && due >= 120 * ms && due <= last, "\(due) at \(index)") }
      last = due
    }
    #expect(delay.target == 0)
  }

  @Test func itGoesDownAgainWhenTheWayIsEven() {
    var delay = PlayoutDelay()
    var random = SeededRandom(seed: 6)
    for index in Int64(0)..<600 {
      delay.arrived(stamp: index * 33 * ms, at: index * 33 * ms + Int64.random(in: 0...(80 * ms), using: &random))
    }
    let high = delay.target
    for index in Int64(600)..<6000 { delay.arrived(stamp: index * 33 * ms, at: index * 33 * ms + 5 * ms) }
    #expect(high > 60 * ms && delay.target == 0, "\(high), \(delay.target)")
  }

  @Test func aNewTimeLineBeginsAnew() {
    var delay = PlayoutDelay()
    #expect(delay.release(stamp: 0) == nil)
    for index in Int64(0)..<100 { delay.arrived(stamp: index * 33 * ms, at: index * 33 * ms) }
    // The sender's stamps jump an hour ahead: what comes is not taken for an hour early.
    let jump: Int64 = 3_600_000 * ms
    for index in Int64(100)..<200 {
      delay.arrived(stamp: jump + index * 33 * ms, at: index * 33 * ms)
      #expect(delay.release(stamp: jump + index * 33 * ms) == index * 33 * ms)
    }
    delay.arrived(stamp: .min, at: .max)
    delay.arrived(stamp: .max, at: .min)
    #expect(delay.target <= 1000 * ms)
    // Ways whose difference is the least number there is, which has no opposite.
    var other = PlayoutDelay()
    other.arrived(stamp: 0, at: 0)
    other.arrived(stamp: .min, at: 0)
    #expect(other.target == 0)
  }
}
