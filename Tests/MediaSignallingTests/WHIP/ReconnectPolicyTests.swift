import MediaCore
import Testing

@testable import MediaSignalling

@Suite struct ReconnectPolicyTests {
  private func failure(isFinal: Bool = false, retryAfter: Int64? = nil) -> SignallingFailure {
    SignallingFailure(MediaError(.io, "x"), isFinal: isFinal, retryAfter: retryAfter)
  }

  @Test func timesGrowWithJitter() throws {
    var least = [Int64](repeating: .max, count: 10)
    var most = [Int64](repeating: 0, count: 10)
    for seed in 0..<200 {
      var random = SeededRandom(seed: UInt64(seed))
      var policy = ReconnectPolicy()
      for attempt in 0..<10 {
        let delay = try #require(policy.delay(after: failure(), random: &random))
        (least[attempt], most[attempt]) = (min(least[attempt], delay), max(most[attempt], delay))
      }
    }
    for attempt in 0..<10 {
      let whole = min(30 * second, (second / 2) << Int64(attempt))
      #expect(least[attempt] >= whole / 2 && least[attempt] < whole * 6 / 10, "\(attempt)")
      #expect(most[attempt] <= whole && most[attempt] > whole * 9 / 10, "\(attempt)")
    }
  }

  @Test func whatIsFinalIsNotTriedAgain() {
    var (policy, random) = (ReconnectPolicy(), SeededRandom(seed: 1))
    #expect(policy.delay(after: failure(isFinal: true), random: &random) == nil)
    policy.most = 3
    #expect(policy.delay(after: failure(), random: &random) != nil && policy.delay(after: failure(), random: &random) != nil)
    #expect(policy.delay(after: failure(), random: &random) == nil)
  }

  @Test func theServerMayAskForMore() throws {
    var all: Set<Int64> = []
    for seed in 0..<100 {
      var (policy, random) = (ReconnectPolicy(), SeededRandom(seed: UInt64(seed)))
      let delay = try #require(policy.delay(after: failure(retryAfter: 100 * second), random: &random))
      #expect((100 * second...110 * second).contains(delay))
      all.insert(delay)
      let own = try #require(policy.delay(after: failure(retryAfter: 0), random: &random))
      #expect((second / 2...second).contains(own))
    }
    // Not all of them come at once.
    #expect(all.count > 90)
  }

  @Test func aSessionThatLastsBeginsAnew() throws {
    var (policy, random) = (ReconnectPolicy(), SeededRandom(seed: 1))
    for _ in 0..<100 { _ = policy.delay(after: failure(), random: &random) }
    policy.lasted(29 * second)
    #expect(try #require(policy.delay(after: failure(), random: &random)) >= 15 * second)
    policy.lasted(30 * second)
    #expect(try #require(policy.delay(after: failure(), random: &random)) <= second / 2 && policy.failures == 1)
    // No time is too large.
    policy.first = .max
    policy.longest = .max
    for _ in 0..<70 { #expect(policy.delay(after: failure(), random: &random) != nil) }
  }
}
