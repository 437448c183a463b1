import CMediaSDK
import MediaCore
import Testing

@testable import MediaSDK

@Suite struct OutgoingVideoOptionsTests {
  private func error(_ options: OutgoingVideoOptions, _ change: (inout OutgoingVideoOptions) -> Void) -> MediaError? {
    var options = options
    change(&options)
    return failure { try options.check() }
  }

  @Test func oneBadFormatRefusesTheWhole() {
    let options = Make.raw(Make.format(), Make.format(641, 360, 30))
    let error = error(options) { _ in }
    #expect(error?.status == .limit)
    #expect(error?.text.contains("formats[1]") == true)
    #expect(self.error(options) { $0.limits = .extended } == nil)
  }

  @Test func theListHasABound() {
    #expect(error(Make.raw()) { $0.formats = [] }?.status == .range)
    #expect(error(Make.raw()) { $0.formats = Array(repeating: Make.format(), count: 65) }?.status == .range)
    #expect(error(Make.raw()) { $0.formats = Array(repeating: Make.format(), count: 64) } == nil)
  }

  @Test func anyPixelFormatIsTaken() {
    for pixelFormat in PixelFormat.allCases {
      #expect(error(Make.vp8(Make.format(320, 180, 15, pixelFormat))) { _ in } == nil)
      #expect(error(Make.raw(Make.format(320, 180, 15, pixelFormat))) { _ in } == nil)
    }
    #expect(error(Make.raw()) { $0.codec = 0x1234 }?.status == .unsupported)
    #expect(error(Make.raw()) { $0.isEncodedInput = true }?.status == .invalid)
    #expect(error(Make.vp8()) { $0.isEncodedInput = true } == nil)
  }

  @Test func numbersHaveBounds() {
    #expect(error(Make.raw()) { $0.queueCapacity = 17 }?.status == .range)
    #expect(error(Make.raw()) { $0.queueCapacity = -1 }?.status == .range)
    #expect(error(Make.raw()) { $0.encoderThreads = 9 }?.status == .range)
    #expect(error(Make.raw()) { $0.reportCapacity = 0 }?.status == .range)
    #expect(error(Make.raw()) { $0.reportCapacity = 4097 }?.status == .range)
  }

  @Test func bitratesAreInOrder() {
    func range(_ target: UInt64, _ least: UInt64, _ most: UInt64) -> Status? {
      error(Make.vp8()) { ($0.bitrate.target, $0.bitrate.least, $0.bitrate.most) = (target, least, most) }?.status
    }
    #expect(range(0, 1000, 1000) == nil)
    #expect(range(5000, 1000, 10_000) == nil)
    #expect(range(5000, 999, 10_000) == .range)
    #expect(range(999, 1000, 10_000) == .range)
    #expect(range(10_001, 1000, 10_000) == .range)
    #expect(range(0, 1000, 100_000_001) == .range)
    #expect(range(0, 2000, 1000) == .range)
    #expect(range(.max, 1000, .max) == .range)
  }

  @Test func theEncodersBitrateStaysUnderTheEstimate() {
    var range = BitrateRange()
    let format = Make.format(1280, 720, 30)
    // 0.08 bits a pixel.
    #expect(range.bitrate(for: format, estimate: 0) == 2_211_840)
    #expect(range.bitrate(for: format, estimate: 1_000_000) == 900_000)
    #expect(range.bitrate(for: format, estimate: 1) == 30_000)
    #expect(range.bitrate(for: format, estimate: .max) == 2_211_840)
    (range.target, range.most) = (500_000, 600_000)
    #expect(range.bitrate(for: format, estimate: 0) == 500_000)
    range.target = 0
    #expect(range.bitrate(for: format, estimate: 0) == 600_000)
  }
}

@Suite struct IncomingVideoOptionsTests {
  private func status(_ change: (inout IncomingVideoOptions) -> Void) -> Status? {
    failure { try Make.incoming(change).check() }?.status
  }

  @Test func whatCannotBeIsRefused() {
    #expect(status { _ in } == nil)
    #expect(status { $0.width = 5 } == .range)
    #expect(status { ($0.width, $0.height) = (5, 16_385) } == .range)
    #expect(status { ($0.width, $0.height) = (5, 3) } == nil)
    #expect(status { $0.queuePolicy = .wait } == .unsupported)
    #expect(status { $0.queueCapacity = 65 } == .range)
    #expect(status { $0.queueCapacity = -1 } == .range)
    #expect(status { ($0.encodedQueueCapacity, $0.output) = (1024, .encoded) } == nil)
    #expect(status { ($0.encodedQueueCapacity, $0.output) = (1025, .both) } == .range)
    #expect(status { $0.encodedQueueCapacity = -1 } == .range)
  }

  @Test func whatIsNotAskedForStays() {
    let format = Make.format(640, 360, 30, .nv12)
    #expect(IncomingVideoOptions().wanted(from: format) == format)
    let wanted = Make.incoming {
      $0.pixelFormat = .rgba
      ($0.width, $0.height) = (3, 2)
    }.wanted(from: format)
    #expect(wanted.pixelFormat == .rgba && wanted.width == 3 && wanted.height == 2)
    #expect(wanted.frameRate == format.frameRate)
  }
}
