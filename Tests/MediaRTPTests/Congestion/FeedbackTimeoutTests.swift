import Testing

@testable import MediaRTP

private let ms: Int64 = 1_000_000

@Suite struct FeedbackTimeoutTests {

  /// A packet each 20 ms; each 50 ms a feedback tells of those that are older than the round trip, in milliseconds.
  private struct Sender {
    var watch = FeedbackTimeout()
    var now: Int64 = 0
    var told: Int64 = 0

    mutating func run(to end: Int64, roundTrip: (Int64) -> Int64?) {
      while now < end {
        now += 10
        if now % 20 == 0 { watch.sent(now: now * ms) }
        if now % 50 == 0, let wait = roundTrip(now) {
          let last = (now - wait) / 20 * 20
          if last > told {
            let former = told + 20
            told = last
            watch.told(last: last * ms, former: former * ms, oldest: (told + 20) * ms, shortest: 40 * ms, now: now * ms)
          }
        }
        watch.look((told + 20) * ms, now: now * ms)
      }
    }
  }

  private static func settled() -> Sender {
    var sender = Sender()
    sender.run(to: 3000) { _ in 40 }
    return sender
  }

  @Test func nothingHappensWhileWordComes() {
    var sender = FeedbackTimeoutTests.settled()
    #expect((sender.watch.usual ?? 0) < 110 * ms && (sender.watch.usual ?? 0) > 60 * ms)
    for _ in 0..<100 {
      sender.run(to: sender.now + 10) { _ in 40 }
      #expect(!sender.watch.isHolding && sender.watch.share == 1)
    }
  }

  @Test func withoutWordPicturesWaitAndThenTheRateIsHalvedAgainAndAgain() {
    var sender = FeedbackTimeoutTests.settled()
    var (held, halved, quartered) = (Int64?.none, Int64?.none, Int64?.none)
    while sender.now < 5000 {
      sender.run(to: sender.now + 10) { _ in nil }
      if sender.watch.isHolding { held = held ?? sender.now - 3000 }
      if sender.watch.share <= 0.5 { halved = halved ?? sender.now - 3000 }
      if sender.watch.share <= 0.25 { quartered = quartered ?? sender.now - 3000 }
    }
    #expect((held ?? 0) > 20 && (held ?? .max) < 120, "\(String(describing: held))")
    #expect((halved ?? 0) > 200 && (halved ?? .max) < 320, "\(String(describing: halved))")
    #expect((quartered ?? .max) - (halved ?? 0) == 100)
    #expect(sender.watch.share == FeedbackTimeout.least)
  }

  @Test func wordThatIsInTimeGivesTheRateBackAtOnce() {
    var sender = FeedbackTimeoutTests.settled()
    sender.run(to: 3500) { _ in nil }
    #expect(sender.watch.isHolding && sender.watch.share < 0.5)
    sender.run(to: 3600) { _ in 40 }
    #expect(!sender.watch.isHolding && sender.watch.share == 1)
  }

  @Test func wordThatIsLateGivesItBackLittleByLittle() {
    var sender = FeedbackTimeoutTests.settled()
    sender.run(to: 3500) { _ in nil }
    let before = sender.watch.share
    // Packets wait for half a second; it is learned that they do.
    sender.run(to: 4000) { _ in 500 }
    #expect(!sender.watch.isHolding)
    #expect(sender.watch.share < 0.5 && sender.watch.share > before, "\(sender.watch.share)")
    // And where the rate was measured anew there is no need for it.
    sender.watch.measured()
    #expect(sender.watch.share == 1)
  }

  @Test func aLongerWayIsLearned() {
    var sender = FeedbackTimeoutTests.settled()
    sender.run(to: 3400) { _ in 340 }
    sender.run(to: 6000) { _ in 340 }
    #expect(!sender.watch.isHolding)
    let share = sender.watch.share
    sender.run(to: 9000) { _ in 340 }
    #expect(!sender.watch.isHolding && sender.watch.share >= share)
    #expect(sender.watch.share == 1, "\(sender.watch.share)")
  }

  @Test func aWayThatJittersIsLeftAlone() {
    var sender = FeedbackTimeoutTests.settled()
    // One feedback in three comes 60 ms later than the others.
    var held = 0
    for _ in 0..<300 {
      sender.run(to: sender.now + 10) { $0 / 50 % 3 == 0 ? 100 : 40 }
      if sender.watch.isHolding { held += 1 }
      #expect(sender.watch.share == 1)
    }
    #expect(held < 15, "\(held)")
  }

  @Test func whatIsNotSentIsNotWaitedFor() {
    var watch = FeedbackTimeoutTests.settled().watch
    // The last packets before a pause, of which no word came, and the first ones after it.
    watch.look(2960 * ms, now: 60_000 * ms)
    #expect(!watch.isHolding && watch.share == 1)
    watch.sent(now: 60_000 * ms)
    watch.look(2960 * ms, now: 60_000 * ms)
    watch.sent(now: 60_080 * ms)
    watch.look(2960 * ms, now: 60_080 * ms)
    #expect(!watch.isHolding && watch.share == 1)
    // Nor is what comes so seldom that a feedback may tell of each by itself.
    for index in 1...20 as ClosedRange<Int64> {
      watch.sent(now: (61_000 + index * 300) * ms)
      watch.look(61_300 * ms, now: (61_000 + index * 300) * ms)
      #expect(!watch.isHolding && watch.share == 1)
    }
  }

  @Test func beforeTheFirstWordNothingIsUsual() {
    var sender = Sender()
    sender.run(to: 3000) { _ in nil }
    #expect(!sender.watch.isHolding && sender.watch.share == 1)
  }

  @Test func afterAnOutageItBeginsAnew() {
    var sender = FeedbackTimeoutTests.settled()
    sender.run(to: 4000) { _ in nil }
    sender.watch.reset()
    #expect(!sender.watch.isHolding && sender.watch.share == 1)
    sender.watch.look((sender.told + 20) * ms, now: sender.now * ms)
    #expect(!sender.watch.isHolding && sender.watch.share == 1)
  }
}
