import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct VideoCodecTests {
  @Test func namedByFourcc() throws {
    let codec = try VideoCodec.named(0x3038_5056)
    #expect(codec.name == "VP8" && codec.inputFormats.contains(.nv12))
    let error = try #require(throws: MediaError.self) { try VideoCodec.named(0x3039_5056, argument: "options.codec") }
    #expect(error.status == .unsupported && error.text.contains("options.codec is VP90") && error.text.contains("VP8"))
  }

  @Test func throughTheTableFromPictureToPicture() throws {
    let codec = try VideoCodec.named(0x3038_5056)
    let encoder = try codec.makeEncoder(
      VideoEncoderSettings(width: 64, height: 36, frameRate: FrameRate(30), targetBitrate: 500_000))
    let decoder = try codec.makeDecoder(VideoDecoderSettings())
    let frame = GuardedFrame(.nv12, 64, 36)
    MovingPicture.draw(frame, at: 0)
    let packet = try encoder.mustEncode(frame, at: 0)
    let header = try packet.bytes.withUnsafeBytes { try codec.parseHeader($0) }
    #expect(header == EncodedHeader(isKeyFrame: true, isShown: true, width: 64, height: 36))
    let picture = try #require(try decoder.decode(packet.bytes))
    #expect(try MovingPicture.psnr(frame, picture) > 30)
  }

  @Test func settingsOutOfRangeAreNamed() {
    let good = VideoEncoderSettings(width: 64, height: 36, frameRate: FrameRate(30), targetBitrate: 500_000)
    func refusal(_ change: (inout VideoEncoderSettings) -> Void) -> MediaError? {
      var settings = good
      change(&settings)
      do {
        _ = try VP8Encoder(settings)
        return nil
      } catch { return error }
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.width = 16384 }?.text.contains("16384x36") == true)
    #expect(refusal { $0.height = 0 }?.status == .range)
    #expect(refusal { $0.threads = 0 }?.status == .range)
    #expect(refusal { $0.targetBitrate = 999 }?.status == .range)
    #expect(refusal { $0.targetBitrate = .max }?.status == .range)
    #expect(refusal { $0.dropThreshold = 101 }?.status == .range)
    #expect(refusal { $0.frameRate = FrameRate(0, 1) } == nil)
    #expect(refusal { $0.frameRate = FrameRate(.max, 1) } == nil)
    #expect(throws: MediaError.self) { try VP8Decoder(VideoDecoderSettings(threads: 0)) }
  }
}
