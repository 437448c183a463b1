import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct AudioCodecSettingsTests {
  @Test func settingsOutOfRangeAreNamed() {
    func refusal(_ change: (inout AudioEncoderSettings) -> Void) -> MediaError? {
      var settings = AudioEncoderSettings()
      change(&settings)
      do {
        _ = try OpusEncoder(settings)
        return nil
      } catch { return error }
    }
    #expect(refusal { _ in } == nil)
    #expect(refusal { $0.sampleRate = 44100 }?.text.contains("44100; accepted: 8000") == true)
    #expect(refusal { $0.channels = 3 }?.status == .range)
    #expect(refusal { $0.channels = 0 }?.status == .range)
    #expect(refusal { $0.bitrate = 5999 }?.text.contains("5999; accepted: 6000..510000") == true)
    #expect(refusal { $0.bitrate = .max }?.status == .range)
    #expect(refusal { $0.complexity = 11 }?.status == .range)
    #expect(refusal { $0.complexity = -1 }?.status == .range)
    #expect(refusal { $0.expectedLoss = 101 }?.text.contains("101; accepted: 0..100") == true)
    for channels in [0, 3] { #expect(throws: MediaError.self) { try OpusDecoder(channels: channels) } }
  }

  @Test func theyPassThroughThePluginsTable() throws {
    let settings = AudioEncoderSettings(
      sampleRate: 1, channels: 2, application: .lowDelay, bitrate: 3, complexity: 4, fec: true, expectedLoss: 5, dtx: true)
    #expect(try AudioEncoderSettings(settings.foreign) == settings)
    var wrong = settings.foreign
    wrong.application = 3
    let error = try #require(throws: MediaError.self) { try AudioEncoderSettings(wrong) }
    #expect(error.status == .range && error.text.contains("application is 3"))
  }
}
