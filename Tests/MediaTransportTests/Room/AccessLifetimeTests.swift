import Testing

@testable import MediaTransport

/// One that is asked inside of expectations.
private final class Access {
  private var lifetime = AccessLifetime()

  func begin(_ length: Int64, now: Int64) { lifetime.begin(length, now: now) }
  func step(now: Int64) -> AccessLifetime.Step { lifetime.step(now: now) }
  func plan(now: Int64) -> Int64? { lifetime.plan(now: now) }
  func isDue(_ time: Int64) -> Bool { lifetime.isDue(time) }
}

@Suite struct AccessLifetimeTests {
  private let second: Int64 = 1_000_000_000

  @Test func itWarnsHalfAMinuteBeforeItsEnd() {
    let access = Access()
    access.begin(100 * second, now: 5 * second)
    #expect(access.step(now: 74 * second) == .nothing)
    #expect(access.step(now: 75 * second) == .expiring(30 * second))
    #expect(access.step(now: 76 * second) == .nothing)
    #expect(access.step(now: 105 * second) == .expired)
    #expect(access.step(now: 106 * second) == .nothing)
  }

  @Test(arguments: [1, 10, 59, 60] as [Int64]) func ofAShortOneItWarnsAtTheHalf(length: Int64) {
    let access = Access()
    access.begin(length * second, now: 0)
    #expect(access.step(now: length * second / 2 - 1) == .nothing)
    #expect(access.step(now: length * second / 2) == .expiring(length * second / 2))
    #expect(access.step(now: length * second) == .expired)
  }

  @Test func howeverLateTheWarningComesFirst() {
    let access = Access()
    access.begin(100 * second, now: 0)
    #expect(access.step(now: 200 * second) == .expiring(0))
    #expect(access.plan(now: 200 * second) == 100 * second)
    #expect(access.step(now: 200 * second) == .expired)
  }

  @Test func withoutAnEndNothingIsPlanned() {
    let access = Access()
    #expect(access.plan(now: 0) == nil)
    access.begin(second, now: 0)
    access.begin(0, now: 0)
    #expect(access.plan(now: 0) == nil && access.step(now: .max) == .nothing)
  }

  /// However often it is renewed: who has left is held by one plan, for a minute at most.
  @Test func onePlanIsAliveAtATime() throws {
    let access = Access()
    access.begin(AccessGrant.lifetimes.upperBound, now: 0)
    #expect(access.plan(now: 0) == AccessLifetime.pause)
    for _ in 0..<100 {
      access.begin(AccessGrant.lifetimes.upperBound, now: second)
      #expect(access.plan(now: second) == nil)
    }
    access.begin(20 * second, now: 2 * second)
    #expect(access.plan(now: 2 * second) == 12 * second)
    #expect(!access.isDue(AccessLifetime.pause))
    #expect(access.isDue(12 * second))
    #expect(access.step(now: 12 * second) == .expiring(10 * second))
    #expect(access.plan(now: 12 * second) == 22 * second)
  }
}
