import Testing

@testable import MediaCore

@Suite struct VideoLimitsTests {
  private func status(_ width: UInt32, _ height: UInt32, _ rate: FrameRate, _ limits: VideoLimits, _ kind: VideoKind = .virtual) -> Status?
  {
    failure { try limits.check(VideoFormat(.i420, width: width, height: height, frameRate: rate), of: kind, argument: "format") }?.status
  }

  @Test func everyPresetIsAcceptedUpToItsRate() {
    #expect(VideoLimits.conference.list(of: .virtual).count == 12)
    for limit in VideoLimits.conference.list(of: .virtual) {
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate), .conference) == nil)
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate * 1001, 1000), .conference) == .limit)
      #expect(status(limit.width, limit.height, FrameRate(limit.frameRate * 1000, 1001), .conference) == nil)
      #expect(status(limit.width + 1, limit.height, FrameRate(15), .conference) == .limit)
    }
  }

  @Test func theRatesAreThoseOfTheHeader() {
    for limit in VideoLimits.conference.list(of: .virtual) {
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
    #expect(status(640, 480, rate, .conference) == .range)
    #expect(status(640, 480, rate, .extended) == .range)
  }

  @Test func noRateOverflowsTheComparison() {
    #expect(status(640, 480, FrameRate(.max, .max), .conference) == nil)
    #expect(status(640, 480, FrameRate(.max, 1), .conference) == .limit)
  }

  @Test func theTextNamesTheLimit() {
    let size = failure {
      try VideoLimits.conference.check(VideoFormat(.i420, width: 641, height: 480, frameRate: FrameRate(30)), of: .virtual, argument: "it")
    }
    #expect(size?.text.contains("it is 641x480") == true)
    #expect(size?.text.contains("640x480") == true)
    let rate = failure {
      try VideoLimits.conference.check(VideoFormat(.i420, width: 320, height: 180, frameRate: FrameRate(16)), of: .virtual, argument: "it")
    }
    #expect(rate?.text.contains("15") == true)
  }

  @Test(arguments: [(16, 16), (1920, 1080), (1080, 1920), (1366, 768), (1000, 1000), (18, 1920)] as [(UInt32, UInt32)])
  func aScreenMayHaveAnyEvenSize(width: UInt32, height: UInt32) {
    #expect(status(width, height, FrameRate(30), .conference, .screenShare) == nil)
    #expect(status(width, height, FrameRate(31), .conference, .screenShare) == .limit)
    #expect(status(width, height, FrameRate(60), .extended, .screenShare) == nil)
  }

  @Test(
    arguments: [(1367, 768), (1366, 769), (14, 16), (16, 14), (1922, 1080), (1920, 1082), (1080, 1922), (1082, 1920)] as [(UInt32, UInt32)])
  func aScreenBeyondConferenceLimits(width: UInt32, height: UInt32) {
    #expect(status(width, height, FrameRate(30), .conference, .screenShare) == .limit)
    #expect(status(width, height, FrameRate(60), .extended, .screenShare) == nil)
  }

  @Test func aScreenBeyondExtendedLimits() {
    #expect(status(3840, 2160, FrameRate(60), .extended, .screenShare) == nil)
    #expect(status(2160, 3840, FrameRate(60), .extended, .screenShare) == nil)
    #expect(status(1, 1, FrameRate(60), .extended, .screenShare) == nil)
    #expect(status(2162, 3840, FrameRate(60), .extended, .screenShare) == .limit)
    #expect(status(3841, 2160, FrameRate(60), .extended, .screenShare) == .limit)
    #expect(status(640, 480, FrameRate(61), .extended, .screenShare) == .limit)
  }

  @Test func theTextNamesTheLimitOfAScreen() {
    let large = failure {
      try VideoLimits.conference.check(
        VideoFormat(.i420, width: 2560, height: 1440, frameRate: FrameRate(30)), of: .screenShare, argument: "it")
    }
    #expect(large?.text.contains("it is 2560x1440") == true)
    #expect(large?.text.contains("up to 1920x1080 or 1080x1920") == true)
    let odd = failure {
      try VideoLimits.conference.check(
        VideoFormat(.i420, width: 641, height: 480, frameRate: FrameRate(30)), of: .screenShare, argument: "it")
    }
    #expect(odd?.text.contains("even") == true)
    let fast = failure {
      try VideoLimits.conference.check(
        VideoFormat(.i420, width: 640, height: 480, frameRate: FrameRate(31)), of: .screenShare, argument: "it")
    }
    #expect(fast?.text.contains("at most 30") == true)
  }
}
