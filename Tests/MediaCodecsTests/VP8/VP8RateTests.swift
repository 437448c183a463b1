import MediaCore
import Testing

@testable import MediaCodecs

/// Rate control, on the real clip made smaller.
@Suite struct VP8RateTests {
  /// The clip's pictures as 640x360 NV12, forwards and backwards so that there is no cut.
  private func pictures() throws -> [GuardedFrame] {
    let decoder = try VP8Decoder()
    let scratch = ConversionScratch()
    let forwards = try IVFClip("bunny-720p25.ivf").frames.map { bytes in
      let frame = GuardedFrame(.nv12, 640, 360)
      let picture = try #require(try decoder.decode(bytes))
      try VideoConverter.convert(picture, color: ColorSpace(), into: frame.frame, scratch: scratch)
      return frame
    }
    return forwards + forwards.reversed()
  }

  /// Bits a second over the frames from `first` on.
  private func rate(_ sizes: [Int], from first: Int, fps: Int) -> Double {
    Double(sizes[first...].reduce(0, +)) * 8 * Double(fps) / Double(sizes.count - first)
  }

  @Test func aChangeOfBitrateTakesEffect() throws {
    let pictures = try pictures()
    let encoder = try VP8Encoder(
      VideoEncoderSettings(width: 640, height: 360, frameRate: FrameRate(25), targetBitrate: 400_000, dropThreshold: 0))
    var time = 0
    for bitrate in [400_000, 900_000, 250_000] as [UInt64] {
      try encoder.setBitrate(bitrate)
      var sizes: [Int] = []
      for picture in pictures {
        sizes.append(try encoder.mustEncode(picture, at: time, fps: 25).bytes.count)
        time += 1
      }
      // Two seconds to settle.
      let measured = rate(sizes, from: 50, fps: 25)
      #expect(abs(measured / Double(bitrate) - 1) < 0.2, "\(bitrate) wanted, \(measured) came")
    }
  }

  @Test func aChangeOfFrameRateKeepsTheBitrate() throws {
    let pictures = try pictures()
    let encoder = try VP8Encoder(
      VideoEncoderSettings(width: 640, height: 360, frameRate: FrameRate(25), targetBitrate: 400_000, dropThreshold: 0))
    for picture in pictures.prefix(50).enumerated() { _ = try encoder.encode(picture.element, at: picture.offset, fps: 25) }
    try encoder.setFrameRate(FrameRate(10))
    var sizes: [Int] = []
    for index in 0..<100 {
      sizes.append(try encoder.mustEncode(pictures[50 + index], at: 20 + index, fps: 10).bytes.count)
    }
    let measured = rate(sizes, from: 20, fps: 10)
    #expect(abs(measured / 400_000 - 1) < 0.2, "\(measured) came")
  }

  @Test func framesAreLeftOutWhenTheRateIsFarTooLow() throws {
    let encoder = try VP8Encoder(VideoEncoderSettings(width: 640, height: 360, frameRate: FrameRate(25), targetBitrate: 25_000))
    let decoder = try VP8Decoder()
    var left = 0
    for (index, picture) in try pictures().prefix(132).enumerated() {
      if let packet = try encoder.encode(picture, at: index, fps: 25) {
        #expect(try decoder.decode(packet.bytes)?.isCorrupt == false)
      } else {
        left += 1
      }
    }
    #expect(left > 10 && left < 132, "\(left) of 132 left out")
  }

  @Test func bitratesOutOfRangeAreRefused() throws {
    let encoder = try VP8Encoder(VP8EncoderTests.settings(64, 36))
    for bitrate in [0, 999, 2_000_000_001, UInt64.max] {
      #expect(throws: MediaError.self) { try encoder.setBitrate(bitrate) }
    }
    try encoder.setBitrate(2_000_000_000)
    try encoder.setFrameRate(FrameRate(0, 0))
  }
}
