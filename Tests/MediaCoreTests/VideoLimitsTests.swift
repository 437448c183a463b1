import Testing

@testable import MediaCore

@Suite struct VideoLimitsTests {
  private func status(_ width: UInt32, _ height: UInt32, _ rate: FrameRate, _ limits: VideoLimits) -> Status? {
    failure { try limits.check(VideoFormat(.i420, width: width, height: height, frameRate: rate), argument: "format") }?.status
  }

  @Test func everyPresetIsAcceptedUpToItsRate() {
    #expect(VideoLimits.conference.list.count == 12)
    for limit in VideoLimits.conference.list {
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate), .conference) == nil)
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate * 1001, 1000), .conference) == .limit)
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate * 1000, 1001), .conference) == nil)
      #expect(status(limit.width + 1, limit.height, FrameRate(15), .conference) == .limit)
    }
  }

  @Test func theRatesAreThoseOfTheHeader() {
    for limit in VideoLimits.conference.list {
      let isLarge = limit.width >= 640
      #expect(limit.frameRate == (isLarge ? 30 : 15), "\(limit.width)x\(limit.height)")
    }
  }

  @Test func extendedLimitsTakeAnySizeAndOddOnes() {
    #expect(status(1, 1, FrameRate(60), .extended) == nil)
    #expect(status(641, 479, FrameRate(1, 100), .extended) == nil)
    #expect(status(3840, 2160, FrameRate(60), .extended) == nil)
    #expect(status(3841, 2160, FrameRate(60), .extended) == .limit)
    #expect(status(3840, 2161, FrameRate(60), .extended) == .limit)
    #expect(status(2160, 3840, FrameRate(30), .extended) == .limit)
    #expect(status(640, 480, FrameRate(60_001, 1000), .extended) == .limit)
  }

  @Test(arguments: [FrameRate(0), FrameRate(0, 0), FrameRate(30, 0)])
  func aRateMustBeKnown(rate: FrameRate) {
    #expect(status(640, 480, rate, .conference) == .limit)
    #expect(status(640, 480, rate, .extended) == .limit)
  }

  @Test func noRateOverflowsTheComparison() {
    #expect(status(640, 480, FrameRate(.max, .max), .conference) == nil)
    #expect(status(640, 480, FrameRate(.max, 1), .conference) == .limit)
  }

  @Test func theTextNamesTheLimit() {
    let size = failure {
      try VideoLimits.conference.check(VideoFormat(.i420, width: 641, height: 480, frameRate: FrameRate(30)), argument: "it")
    }
    #expect(size?.text.contains("it is 641x480") == true)
    #expect(size?.text.contains("640x480") == true)
    let rate = failure {
      try VideoLimits.conference.check(VideoFormat(.i420, width: 320, height: 180, frameRate: FrameRate(16)), argument: "it")
    }
    #expect(rate?.text.contains("15") == true)
  }
}
