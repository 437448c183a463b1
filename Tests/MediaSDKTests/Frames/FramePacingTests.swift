import MediaCore
import Testing

@testable import MediaSDK

@Suite struct FramePacingTests {
  private let own = FrameRate(30)
  private let ms: Int64 = 1_000_000

  @Test func theSlowestRateCountsWhereItIsBelowTheFormats() {
    var pacing = FramePacing(isHeldToFormat: true)
    #expect(pacing.slower(than: own, afforded: nil) == nil)
    #expect(pacing.slower(than: own, afforded: FrameRate(10)) == FrameRate(10))
    pacing.asked = FrameRate(15)
    #expect(pacing.slower(than: own, afforded: nil) == FrameRate(15))
    #expect(pacing.slower(than: own, afforded: FrameRate(10)) == FrameRate(10))
    #expect(pacing.slower(than: own, afforded: FrameRate(20)) == FrameRate(15))
    #expect(pacing.slower(than: FrameRate(15), afforded: FrameRate(20)) == nil)
    #expect(pacing.slower(than: nil, afforded: nil) == FrameRate(15))
  }

  /// At which of those milliseconds a frame leaves.
  private func left(_ pacing: inout FramePacing, _ times: [Int64], own: FrameRate? = nil, slower: FrameRate? = nil) -> [Int64] {
    var left: [Int64] = []
    for time in times where pacing.admit(time * ms, own: own, slower: slower) { left.append(time) }
    return left
  }

  @Test func aLowerRateLeavesATenthOfAnIntervalEarly() {
    var pacing = FramePacing(isHeldToFormat: false)
    let slower = FrameRate(10)
    let early = left(&pacing, [0, 89, 90], slower: slower)
    #expect(early == [0, 90])
    // Counted from when it was due, not from when it left.
    #expect(pacing.due(own: nil, slower: slower) == 190 * ms)
    // After a pause nothing is made up for.
    let late = left(&pacing, [1000, 1001], slower: slower)
    #expect(late == [1000])
    #expect(pacing.due(own: nil, slower: slower) == 1090 * ms)
  }

  @Test func anotherRateBeginsAtOnce() {
    var pacing = FramePacing(isHeldToFormat: false)
    let before = left(&pacing, [0, 10], slower: FrameRate(1))
    pacing.asked = FrameRate(2)
    let after = left(&pacing, [11, 12], slower: FrameRate(2))
    #expect(before == [0] && after == [11])
  }

  @Test func theFormatsRateAllowsABurst() {
    var pacing = FramePacing(isHeldToFormat: true)
    let burst = left(&pacing, Array(repeating: 5, count: 10), own: own)
    #expect(burst.count == Int(TokenBucket.burst))
    #expect(pacing.due(own: own, slower: nil) > 5 * ms)
    // A frame that is not held to it passes all the same.
    let free = left(&pacing, Array(repeating: 5, count: 20))
    #expect(free.count == 20)
    pacing.forgetBurst()
    let again = left(&pacing, [5], own: own)
    #expect(again == [5])
  }
}
