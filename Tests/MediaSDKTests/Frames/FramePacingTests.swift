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

  @Test func aLowerRateLeavesATenthOfAnIntervalEarly() {
    var pacing = FramePacing(isHeldToFormat: false)
    let slower = FrameRate(10)
    #expect(pacing.admit(0, own: nil, slower: slower))
    #expect(!pacing.admit(89 * ms, own: nil, slower: slower))
    #expect(pacing.admit(90 * ms, own: nil, slower: slower))
    // Counted from when it was due, not from when it left.
    #expect(pacing.due(own: nil, slower: slower) == 190 * ms)
    // After a pause nothing is made up for.
    #expect(pacing.admit(1000 * ms, own: nil, slower: slower))
    #expect(pacing.due(own: nil, slower: slower) == 1090 * ms)
  }

  @Test func anotherRateBeginsAtOnce() {
    var pacing = FramePacing(isHeldToFormat: false)
    #expect(pacing.admit(0, own: nil, slower: FrameRate(1)))
    #expect(!pacing.admit(10 * ms, own: nil, slower: FrameRate(1)))
    pacing.asked = FrameRate(2)
    #expect(pacing.admit(10 * ms, own: nil, slower: FrameRate(2)))
  }

  @Test func theFormatsRateAllowsABurst() {
    var pacing = FramePacing(isHeldToFormat: true)
    let admitted = (0..<10).filter { _ in pacing.admit(5 * ms, own: own, slower: nil) }
    #expect(admitted.count == Int(TokenBucket.burst))
    #expect(pacing.due(own: own, slower: nil) > 5 * ms)
    pacing.forgetBurst()
    #expect(pacing.admit(5 * ms, own: own, slower: nil))
    // A frame that is not held to it passes all the same.
    #expect((0..<20).allSatisfy { _ in pacing.admit(5 * ms, own: nil, slower: nil) })
  }
}
