import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct AudioCodecTests {
  @Test func namedByFourcc() throws {
    let codec = try AudioCodec.named(UInt32(MSDK_CODEC_OPUS))
    #expect(codec.name == "Opus" && AudioCodec.all.count == 1)
    let error = try #require(throws: MediaError.self) { try AudioCodec.named(7, argument: "options.codec") }
    #expect(error.status == .unsupported && error.text == "options.codec is 0x7; accepted: Opus")
  }

  @Test func throughTheTableFromSoundToSound() throws {
    let codec = try AudioCodec.named(UInt32(MSDK_CODEC_OPUS))
    let encoder = try codec.makeEncoder(AudioEncoderSettings(channels: 2))
    let decoder = try codec.makeDecoder(2)
    var speech = SpeechSource(rate: 48000, channels: 2)
    let packet = try #require(try encoder.packet(speech.next(960)))
    let header = try packet.withUnsafeBytes { try codec.parse($0) }
    #expect(header.sampleCount == 960)
    #expect(try decoder.samples(packet, channels: 2).count == 1920)
  }

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

  @Test func aPacketDescribesItself() throws {
    var attributes = msdk_encoded_frame()
    try [UInt8]([0x9D, 1, 2, 3, 4]).withUnsafeBytes { try AudioCodec.opus.describe($0, in: &attributes) }
    #expect(attributes.codec == UInt32(MSDK_CODEC_OPUS) && attributes.channels == 2 && attributes.sample_rate == 48000)
    #expect(attributes.duration_ns == 40_000_000 && attributes.level == 127)
    #expect(throws: MediaError.self) { try [UInt8]([0x9D, 1]).withUnsafeBytes { try AudioCodec.opus.describe($0, in: &attributes) } }
    let padded = [0x9B, 0x41] + [UInt8](repeating: 255, count: 61_439)
    let error = try #require(throws: MediaError.self) {
      try padded.withUnsafeBytes { try AudioCodec.opus.describe($0, in: &attributes) }
    }
    #expect(error.status == .invalid && error.text.contains("61441 bytes"))
  }
}
