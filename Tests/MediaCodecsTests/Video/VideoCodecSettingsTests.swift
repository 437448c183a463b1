import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct VideoCodecSettingsTests {
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

  @Test func theyPassThroughThePluginsTable() throws {
    let settings = VideoEncoderSettings(
      width: 1, height: 2, frameRate: FrameRate(3, 4), threads: 5, preset: .quality, targetBitrate: 6, dropThreshold: 7, isScreen: true)
    #expect(try VideoEncoderSettings(settings.foreign) == settings)
    var wrong = settings.foreign
    wrong.preset = 4
    let error = try #require(throws: MediaError.self) { try VideoEncoderSettings(wrong) }
    #expect(error.status == .range && error.text.contains("preset is 4"))
  }
}
