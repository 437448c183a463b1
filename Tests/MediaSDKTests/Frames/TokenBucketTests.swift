import MediaCore
import Testing

@testable import MediaSDK

@Suite struct TokenBucketTests {
  private let interval: Int64 = 33_333_333

  /// Of frames at those times, how many may go.
  private func passed(_ times: [Int64]) -> Int {
    var bucket = TokenBucket()
    return times.count { time in
      guard time >= bucket.due(interval) else { return false }
      bucket.take(time, interval)
      return true
    }
  }

  @Test func aBurstPassesAndNoMore() {
    #expect(passed(Array(repeating: 0, count: 20)) == 5)
    #expect(passed(Array(repeating: -1_000_000_000, count: 20)) == 5)
  }

  @Test func afterAPauseThereIsOneBurstAgain() {
    #expect(passed(Array(repeating: 0, count: 20) + Array(repeating: 60_000_000_000, count: 20)) == 10)
  }

  @Test func jitterCostsNothing() {
    var random = SeededRandom(seed: 3)
    let times = (0..<10_000).map { $0 * interval + Int64.random(in: -10_000_000...10_000_000, using: &random) }
    #expect(passed(times.sorted()) == 10_000)
  }

  @Test func slackIsTwoPercent() {
    #expect(passed((0..<1000).map { $0 * interval * 98 / 100 }) == 1000)
    let faster = passed((0..<10_000).map { $0 * interval * 90 / 100 })
    #expect((9180...9200).contains(faster), "\(faster)")
  }

  @Test func aBucketThatIsEmptySaysWhen() {
    var bucket = TokenBucket()
    for _ in 0..<5 { bucket.take(1_000_000_000, interval) }
    let due = bucket.due(interval)
    #expect(due > 1_000_000_000 && due <= 1_000_000_000 + interval)
  }
}
