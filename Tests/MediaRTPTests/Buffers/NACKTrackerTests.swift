import Testing

@testable import MediaRTP

@Suite struct NACKTrackerTests {
  private func asked(_ missing: inout NACKTracker, _ now: Int64) -> [Int64] {
    var all: [Int64] = []
    missing.requests(now: now) { all.append($0) }
    return all
  }

  private func received(_ missing: inout NACKTracker, _ number: Int64, now: Int64) -> Bool { missing.received(number, now: now) != .new }
  private func beyondHelp(_ missing: inout NACKTracker) -> Bool { missing.takeBeyondHelp() }

  private func make(_ change: (inout NACKTracker.Settings) -> Void = { _ in }) -> NACKTracker {
    var settings = NACKTracker.Settings()
    change(&settings)
    var missing = NACKTracker(settings)
    missing.roundTrip = 50_000_000
    return missing
  }

  private let ms: Int64 = 1_000_000

  @Test func aGapIsAskedForAtOnceAndAgainAfterARoundTrip() {
    var missing = make()
    #expect(!received(&missing, 100, now: 0))
    #expect(!received(&missing, 103, now: ms))
    #expect(missing.count == 2 && missing.oldest == 101 && missing.nextDeadline == ms)
    #expect(asked(&missing, ms) == [101, 102])
    #expect(asked(&missing, 50 * ms) == [])
    #expect(received(&missing, 101, now: 40 * ms))
    #expect(!received(&missing, 101, now: 41 * ms))
    #expect(missing.nextDeadline == 51 * ms)
    #expect(asked(&missing, 51 * ms) == [102])
    #expect(received(&missing, 102, now: 60 * ms))
    #expect(missing.count == 0 && missing.nextDeadline == nil && !beyondHelp(&missing))
  }

  /// A request, or what answers it, was lost; so another may be.
  @Test func fromTheSecondTimeOnRequestsAreRepeated() {
    var missing = make()
    missing.roundTrip = 200 * ms
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    var times: [Int64] = []
    for time in Int64(0)..<700 where asked(&missing, time * ms) == [2] { times.append(time) }
    #expect(times == [0, 200, 225, 400, 425, 600, 625])
    // What came after one of the two is not asked for any more.
    #expect(asked(&missing, 800 * ms) == [2])
    #expect(received(&missing, 2, now: 810 * ms))
    #expect(asked(&missing, 825 * ms) == [] && missing.nextDeadline == nil)
  }

  /// The next request is as early as a repeated one would be.
  @Test func overAShortPathNothingIsRepeated() {
    var missing = make()
    missing.roundTrip = 20 * ms
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    var times: [Int64] = []
    for time in Int64(0)..<70 where asked(&missing, time * ms) == [2] { times.append(time) }
    #expect(times == [0, 20, 40, 60])
  }

  @Test func lateIsNotLost() {
    var missing = make { $0.patience = 10_000_000 }
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    #expect(asked(&missing, 9 * ms) == [])
    #expect(received(&missing, 2, now: 9 * ms))
    #expect(asked(&missing, 20 * ms) == [])
  }

  @Test func requestsEnd() {
    var missing = make { $0.mostRequests = 3 }
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    var requests = 0
    for step in Int64(0)..<100 { requests += asked(&missing, step * 50 * ms).count }
    // The second is repeated, and with the third it is enough.
    #expect(requests == 4)
    #expect(beyondHelp(&missing))
    #expect(!beyondHelp(&missing))
  }

  @Test func whatIsTooOldIsGivenUp() {
    var missing = make { $0.longest = 200_000_000 }
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    #expect(asked(&missing, 201 * ms) == [])
    #expect(beyondHelp(&missing) && missing.count == 0)
  }

  @Test func inASilenceNothingIsGivenUp() {
    var missing = make { $0.mostRequests = 3 }
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    var requests = 0
    for step in Int64(0)..<50 { missing.requests(now: step * 50 * ms, givesUp: false) { _ in requests += 1 } }
    // The second and the third are repeated.
    #expect(requests == 5 && !beyondHelp(&missing))
    missing.beginAgain(now: 2500 * ms)
    #expect(missing.nextDeadline == 2500 * ms && asked(&missing, 2500 * ms) == [2] && asked(&missing, 2550 * ms) == [2])
    #expect(received(&missing, 2, now: 2560 * ms) && !beyondHelp(&missing))
  }

  @Test func whatNoSenderKeepsIsGivenUpWhateverHappens() {
    var missing = make()
    _ = missing.received(1, now: 0)
    _ = missing.received(3, now: 0)
    for second in Int64(1)...3 {
      missing.beginAgain(now: second * 1000 * ms)
      missing.requests(now: second * 1000 * ms, givesUp: false) { _ in }
    }
    #expect(missing.count == 1)
    missing.requests(now: 3001 * ms, givesUp: false) { _ in }
    #expect(missing.count == 0 && beyondHelp(&missing))
  }

  @Test func aGreatGapIsNotAskedForOneByOne() {
    var missing = make { $0.most = 20 }
    _ = missing.received(0, now: 0)
    _ = missing.received(15, now: 0)
    #expect(missing.count == 14)
    _ = missing.received(30, now: 0)
    #expect(missing.count == 0 && beyondHelp(&missing))
    _ = missing.received(.max, now: 0)
    #expect(missing.count == 0 && beyondHelp(&missing))
  }

  @Test func whatIsOfNoUseIsForgotten() {
    var missing = make()
    _ = missing.received(0, now: 0)
    _ = missing.received(10, now: 0)
    missing.forget(below: 6)
    #expect(asked(&missing, 0) == [6, 7, 8, 9])
    missing.reset()
    #expect(missing.count == 0)
    #expect(!received(&missing, 3, now: 0))
    #expect(missing.count == 0)
  }
}
