import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct FrameRateTests {
  @Test func dueTimesDoNotDrift() {
    let rate = FrameRate(30_000, 1001)
    // A day of frames: the last is due where the fraction says, while adding intervals up would be 0.8 ms off.
    let frames: UInt64 = 24 * 3600 * 30
    let exact = Int64(frames * 1001 * 1_000_000_000 / 30_000)
    #expect(rate.dueTime(ofFrame: frames, from: 0) == exact)
    #expect(rate.dueTime(ofFrame: frames, from: 12_345) == exact + 12_345)
    #expect(Int64(frames) * (rate.interval ?? 0) < exact)
  }

  @Test func everyTurnOfTheDenominatorIsExact() {
    let rate = FrameRate(3)
    #expect(
      (0..<7).map { rate.dueTime(ofFrame: $0, from: 0) } == [
        0, 333_333_333, 666_666_666, 1_000_000_000, 1_333_333_333, 1_666_666_666, 2_000_000_000
      ])
  }

  @Test func dueTimesNeverGoBack() {
    let rate = FrameRate(1, .max)
    var last = Int64.min
    for index in [0, 1, 2, 3, 4, 1 << 32, 1 << 62, UInt64.max] as [UInt64] {
      let due = rate.dueTime(ofFrame: index, from: 1_000_000_000)
      #expect(due >= last, "frame \(index)")
      last = due
    }
    #expect(last == .max)
    #expect(FrameRate(30).dueTime(ofFrame: 1, from: .max) == .max)
    #expect(FrameRate(.max, 1).dueTime(ofFrame: .max, from: 0) > 0)
  }

  @Test func anUnknownRateHasNoInterval() {
    for rate in [FrameRate(0), FrameRate(0, 0), FrameRate(1, 0)] {
      #expect(!rate.isKnown)
      #expect(rate.interval == nil)
      #expect(rate.perSecond == 0)
      #expect(rate.dueTime(ofFrame: 9, from: 7) == 7)
    }
  }

  @Test func anIntervalIsAtLeastANanosecond() {
    #expect(FrameRate(25).interval == 40_000_000)
    #expect(FrameRate(.max).interval == 1)
    #expect(FrameRate(1, .max).interval == 4_294_967_295_000_000_000)
  }
}

@Suite struct VideoFormatTests {
  private func foreign(_ change: (inout msdk_video_format) -> Void = { _ in }) -> msdk_video_format {
    var format = VideoFormat(.nv12, width: 641, height: 481, frameRate: FrameRate(30_000, 1001)).foreign
    change(&format)
    return format
  }

  private func status(_ change: (inout msdk_video_format) -> Void) -> Status? {
    failure { _ = try VideoFormat(checking: foreign(change), argument: "format") }?.status
  }

  @Test func survivesTheForeignShape() throws {
    let color = ColorSpace(primaries: 1, transfer: 2, matrix: 9, fullRange: true)
    let format = VideoFormat(.bgr24, width: 3, height: 5, frameRate: FrameRate(25, 2), color: color, contentHint: 3, expectedDelay: 40)
    #expect(try VideoFormat(checking: format.foreign, argument: "format") == format)
    #expect(format.foreign.expected_delay_ns == 40)
    let frame = try VideoFrame.make(format)
    defer { frame.release() }
    #expect(frame.format == format)
  }

  @Test func theMatrixOfRGBIsIdentityAndThatOfYUVNever() throws {
    #expect(VideoFormat(.bgra, width: 4, height: 4).foreign.color_matrix == UInt32(MSDK_MATRIX_IDENTITY))
    #expect(VideoFormat(.nv12, width: 4, height: 4).foreign.color_matrix == UInt32(MSDK_COLOR_UNSPECIFIED))
    let read = try VideoFormat(checking: foreign { ($0.pixel_format, $0.color_matrix) = (UInt32(MSDK_PIXEL_I420), 0) }, argument: "format")
    #expect(read.foreign.color_matrix == UInt32(MSDK_COLOR_UNSPECIFIED))
    let frame = try VideoFrame.make(VideoFormat(.rgb24, width: 4, height: 4))
    defer { frame.release() }
    #expect(frame.native.pointee.format.pointee.color_matrix == UInt32(MSDK_MATRIX_IDENTITY))
  }

  @Test func whatCannotBeIsRefused() {
    #expect(status { $0.pixel_format = 0x2020_2020 } == .unsupported)
    #expect(status { $0.width = 0 } == .range)
    #expect(status { $0.height = 16_385 } == .range)
    #expect(status { $0.width = .max } == .range)
    #expect(status { $0.reserved0 = 1 } == .unsupported)
    #expect(status { $0.color_full_range = 2 } == .unsupported)
    #expect(status { $0.fps_den = 0 } == .range)
  }

  @Test func whatIsLeftOutIsAccepted() {
    #expect(status { ($0.fps_num, $0.fps_den) = (0, 0) } == nil)
    #expect(status { ($0.width, $0.height) = (16_384, 16_384) } == nil)
  }

  @Test func theRawBitrateCountsEveryByte() {
    let format = VideoFormat(.i420, width: 3, height: 3, frameRate: FrameRate(10))
    // 9 of luma and twice 2x2 of chroma, odd sizes rounded up.
    #expect(format.rawBitrate == Double((9 + 4 + 4) * 8 * 10))
    #expect(VideoFormat(.rgba, width: 2, height: 2, frameRate: FrameRate(1)).rawBitrate == 128)
    #expect(VideoFormat(.rgba, width: 2, height: 2).rawBitrate == 0)
  }
}
