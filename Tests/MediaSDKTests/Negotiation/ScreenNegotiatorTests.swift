import MediaCore
import Testing

@testable import MediaSDK

@Suite struct ScreenNegotiatorTests {
  private let large = Make.format(1920, 1080, 30)
  private let slow = Make.format(1920, 1080, 5)
  private let small = Make.format(960, 540, 30)
  /// What one frame a second of the large size needs: 0.03 bits a pixel.
  private let frame: UInt64 = 62_208

  private func negotiator(_ formats: VideoFormat..., isEncoded: Bool = true) -> ScreenNegotiator {
    ScreenNegotiator(formats: formats.isEmpty ? [small, large] : formats, isEncoded: isEncoded)
  }

  @Test func withoutALimitTheLargestAndFastest() {
    var negotiator = negotiator(small, slow, large)
    let changed = negotiator.update(estimate: 0, now: 0)
    #expect(changed)
    #expect(negotiator.current == large)
    #expect(negotiator.pace == nil)
  }

  @Test(arguments: [(31, nil), (30, nil), (29, 29), (12, 12), (2, 2), (1, 1)] as [(UInt64, UInt32?)])
  func theRateGivesWayAndTheSizeStays(affordable: UInt64, pace: UInt32?) {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: frame * affordable, now: 0)
    #expect(negotiator.current == large)
    #expect(negotiator.pace?.perSecond == pace.map { Double($0) })
  }

  @Test func onlyTenSecondsBelowOneFrameASecondTheSizeGivesWay() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 0, now: 0)
    let paced = negotiator.update(estimate: frame, now: 1)
    #expect(!paced)
    #expect(negotiator.pace == FrameRate(10, 10))
    #expect(negotiator.nextCheck == nil)
    let early = negotiator.update(estimate: frame - 1, now: second)
    #expect(!early)
    #expect(negotiator.pace == FrameRate(10, 10))
    #expect(negotiator.nextCheck == 11 * second)
    let changed = negotiator.update(estimate: frame / 2, now: 11 * second)
    #expect(changed)
    #expect(negotiator.current == small)
    // A quarter of the pixels: four times the frames that were affordable at best meanwhile.
    #expect(negotiator.pace == FrameRate(40, 10))
    #expect(negotiator.nextCheck == nil)
  }

  @Test func anEstimateThatIsLowForAMomentLeavesTheSize() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 0, now: 0)
    for time in [Int64(1), 12, 23] {
      let low = negotiator.update(estimate: 100, now: time * second)
      let again = negotiator.update(estimate: frame * 3, now: time * second + 9 * second)
      #expect(!low && !again)
      #expect(negotiator.current == large)
      #expect(negotiator.pace == FrameRate(30, 10))
      #expect(negotiator.nextCheck == nil)
    }
  }

  @Test func aDeclaredSlowerFormatOfTheSizeIsTakenMeanwhile() {
    var negotiator = negotiator(slow, large, small)
    _ = negotiator.update(estimate: 0, now: 0)
    let slowed = negotiator.update(estimate: 100, now: second)
    #expect(slowed)
    #expect(negotiator.current == slow)
    #expect(negotiator.nextCheck == 11 * second)
  }

  @Test func whenNothingFitsTheSmallestAtOneASecond() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: 100, now: 0)
    #expect(negotiator.current == small)
    #expect(negotiator.pace == FrameRate(10, 10))
  }

  @Test func aDeclaredSlowerFormatIsTaken() {
    var negotiator = negotiator(slow, large, small)
    _ = negotiator.update(estimate: 0, now: 0)
    let stays = negotiator.update(estimate: frame * 6, now: 1)
    #expect(!stays)
    #expect(negotiator.pace == FrameRate(60, 10))
    let changed = negotiator.update(estimate: frame * 5, now: 2)
    #expect(changed)
    #expect(negotiator.current == slow)
    #expect(negotiator.pace == nil)
    let paced = negotiator.update(estimate: frame * 3, now: 3)
    #expect(!paced)
    #expect(negotiator.current == slow)
    #expect(negotiator.pace == FrameRate(30, 10))
  }

  @Test func upAfterFiveSecondsWithAQuarterToSpare() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: frame / 2, now: 0)
    #expect(negotiator.current == small)
    // Affordable, but without anything to spare.
    let tight = negotiator.update(estimate: frame * 6 / 5, now: second)
    #expect(!tight)
    #expect(negotiator.nextCheck == nil)
    #expect(negotiator.pace == FrameRate(48, 10))
    let early = negotiator.update(estimate: frame * 2, now: 2 * second)
    #expect(!early)
    #expect(negotiator.nextCheck == 7 * second)
    let changed = negotiator.update(estimate: frame * 2, now: 7 * second)
    #expect(changed)
    #expect(negotiator.current == large)
    #expect(negotiator.pace == FrameRate(20, 10))
  }

  @Test func aRiseThatFailsBeginsAnew() {
    var negotiator = negotiator()
    _ = negotiator.update(estimate: frame / 2, now: 0)
    _ = negotiator.update(estimate: frame * 2, now: second)
    _ = negotiator.update(estimate: frame, now: 2 * second)
    #expect(negotiator.nextCheck == nil)
    _ = negotiator.update(estimate: frame * 2, now: 3 * second)
    let early = negotiator.update(estimate: frame * 2, now: 7 * second)
    #expect(!early)
    #expect(negotiator.nextCheck == 8 * second)
  }

  @Test func withoutACodecAllBytesCount() {
    var negotiator = negotiator(isEncoded: false)
    _ = negotiator.update(estimate: 1920 * 1080 * 12 * 7, now: 0)
    #expect(negotiator.current == large)
    #expect(negotiator.pace == FrameRate(70, 10))
  }

  @Test func whateverTheOrderOfTheList() {
    var one = negotiator(small, large, slow)
    var other = negotiator(slow, small, large)
    for (time, estimate) in [0, frame * 40, frame * 10, frame * 4, frame, frame / 2, 10].enumerated() {
      _ = one.update(estimate: estimate, now: Int64(time) * 10 * second)
      _ = other.update(estimate: estimate, now: Int64(time) * 10 * second)
      #expect(one.current == other.current)
      #expect(one.pace == other.pace)
    }
  }

  @Test func aRateBelowOneIsKept() {
    var negotiator = negotiator(VideoFormat(.i420, width: 1920, height: 1080, frameRate: FrameRate(1, 2)))
    _ = negotiator.update(estimate: 1, now: 0)
    #expect(negotiator.pace == nil)
  }

  @Test func noFormatsNoChoice() {
    var negotiator = ScreenNegotiator(formats: [], isEncoded: true)
    let changed = negotiator.update(estimate: 0, now: 0)
    #expect(!changed)
    #expect(negotiator.current == nil && negotiator.pace == nil)
  }
}
