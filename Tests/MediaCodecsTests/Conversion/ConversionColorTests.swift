import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct ConversionColorTests {
  private func format(_ pixel: PixelFormat, _ matrix: UInt32 = 2, full: Bool = false) -> VideoFormat {
    VideoFormat(pixel, width: 8, height: 8, color: ColorSpace(primaries: 1, transfer: 1, matrix: matrix, fullRange: full))
  }

  private func accepts(_ from: VideoFormat, _ wanted: VideoFormat) -> Bool {
    do {
      try VideoConverter.check(from: from, wanted: wanted)
      return true
    } catch {
      #expect(error.status == .unsupported && error.text.contains("accepted"))
      return false
    }
  }

  @Test func whatComesOut() {
    let bt709 = format(.nv12, 1, full: true)
    #expect(VideoConverter.resultColor(from: bt709, to: .i420) == bt709.color)
    #expect(VideoConverter.resultColor(from: bt709, to: .gray8) == bt709.color)
    #expect(VideoConverter.resultColor(from: bt709, to: .rgba).matrix == 2)
    let rgb = format(.rgba, 1, full: true)
    #expect(VideoConverter.resultColor(from: rgb, to: .nv12).matrix == 6)
    #expect(!VideoConverter.resultColor(from: rgb, to: .nv12).fullRange)
    #expect(VideoConverter.resultColor(from: rgb, to: .gray8).fullRange)
    #expect(VideoConverter.resultColor(from: rgb, to: .bgr24) == rgb.color)
  }

  @Test func whatMayBeWanted() {
    #expect(accepts(format(.nv12, 1), format(.i420)))
    #expect(accepts(format(.nv12, 1), format(.i420, 1)))
    #expect(!accepts(format(.nv12, 1), format(.i420, 6)))
    #expect(accepts(format(.nv12), format(.i420, 6)))
    #expect(accepts(format(.nv12, 5), format(.i420, 6)))
    #expect(!accepts(format(.nv12), format(.i420, full: true)))
    #expect(accepts(format(.nv12, full: true), format(.i420)))
    #expect(accepts(format(.rgba), format(.i420, 6)))
    #expect(!accepts(format(.rgba), format(.i420, 1)))
    #expect(!accepts(format(.rgba), format(.nv12, full: true)))
    #expect(accepts(format(.rgba), format(.gray8, full: true)))
    #expect(accepts(format(.rgba, 1, full: true), format(.bgra, 9)))
    #expect(accepts(format(.nv12, 9, full: true), format(.bgra)))
    #expect(!accepts(format(.nv12, 8), format(.bgra)))
    #expect(accepts(format(.nv12, 8), format(.i420)))
  }

  @Test func convertRefusesWhatCheckRefuses() {
    let source = GuardedFrame(.rgba, 4, 4)
    let target = GuardedFrame(.nv12, 4, 4, color: ColorSpace(primaries: 2, transfer: 2, matrix: 1, fullRange: false))
    #expect(throws: MediaError.self) { try VideoConverter.convert(source.frame, into: target.frame) }
    #expect(target.pixels(0).allSatisfy { $0 == GuardedFrame.canary })
  }
}
