import CMediaSDK
import MediaCodecs
import Testing

@testable import MediaCore
@testable import MediaSDK

@Suite struct OutgoingAudioOptionsTests {
  @Test func theDefaultsAreThoseOfTheHeader() throws {
    let options = OutgoingAudioOptions()
    try options.check()
    #expect(options.kind == .microphone)
    #expect(options.format == AudioFormat(.s16, sampleRate: 48_000, channels: 1, samplesPerBuffer: 960))
    #expect(options.queueMilliseconds == 500)
    #expect(options.reportCapacity == 64)
    #expect(options.encoderSettings.bitrate == 32_000)
    #expect(options.encoderSettings.complexity == 9)
    #expect(options.encoderSettings.expectedLoss == 0)
    #expect(options.packetDuration == 20)
  }

  struct Refusal: Sendable, CustomTestStringConvertible {
    let status: Status
    let words: String
    let change: @Sendable (inout OutgoingAudioOptions) -> Void
    var testDescription: String { words }

    init(_ status: Status, _ words: String, _ change: @escaping @Sendable (inout OutgoingAudioOptions) -> Void) {
      (self.status, self.words, self.change) = (status, words, change)
    }
  }

  static let refusals = [
    Refusal(.range, "options.sample_rate is 11025; accepted: 16000, 22050") { $0.sampleRate = 11_025 },
    Refusal(.range, "options.channels is 3; accepted: 1, 2") { $0.channels = 3 },
    Refusal(.range, "options.channels is 0; accepted: 1, 2") { $0.channels = 0 },
    Refusal(.range, "options.buffer_ms is 15; accepted: 10, 20") { $0.bufferMilliseconds = 15 },
    Refusal(.range, "options.buffer_ms is 110; accepted: 10, 20") { $0.bufferMilliseconds = 110 },
    Refusal(.range, "options.queue_ms is 39; accepted: buffer_ms (40)..60000") {
      $0.bufferMilliseconds = 40
      $0.queueMilliseconds = 39
    },
    Refusal(.range, "options.queue_ms is 60001; accepted: buffer_ms (20)..60000") { $0.queueMilliseconds = 60_001 },
    Refusal(.range, "options.report_capacity is 0; accepted: 1..4096") { $0.reportCapacity = 0 },
    Refusal(.range, "options.report_capacity is 4097; accepted: 1..4096") { $0.reportCapacity = 4097 },
    Refusal(.unsupported, "options.codec is") { $0.codec = UInt32(MSDK_CODEC_VP8) },
    Refusal(.invalid, "options.encoded_input is 1 without a codec") { $0.isEncodedInput = true },
    Refusal(.range, "bitrate is 5999; accepted: 6000..510000") { $0.bitrate = 5999 },
    Refusal(.range, "bitrate is 510001; accepted: 6000..510000") { $0.bitrate = 510_001 },
    Refusal(.range, "options.complexity is -1; accepted: 1..10") { $0.complexity = -1 },
    Refusal(.range, "options.complexity is 11; accepted: 1..10") { $0.complexity = 11 },
    Refusal(.range, "options.packet_ms is 30; accepted: 10, 20, 40, 60") { $0.packetMilliseconds = 30 },
    Refusal(.range, "expected_loss is 101; accepted: 0..100") { $0.expectedLoss = 101 },
    Refusal(.range, "expected_loss is -1; accepted: 0..100") { $0.expectedLoss = -1 }
  ]

  @Test(arguments: refusals)
  func whatIsRefusedIsNamed(refusal: Refusal) throws {
    var options = OutgoingAudioOptions()
    refusal.change(&options)
    let error = failure { try options.check() }
    #expect(error?.status == refusal.status)
    #expect(error?.text.contains(refusal.words) == true, "\(error?.text ?? "nothing")")
  }

  @Test func everyRateAndDurationMakesABuffer() throws {
    let call = try Call()
    for rate in AudioLimits.sampleRates {
      for milliseconds in AudioLimits.bufferMilliseconds {
        for (channels, sampleFormat) in [(1, SampleFormat.s16), (2, .f32)] as [(UInt32, SampleFormat)] {
          let options = Make.sound {
            ($0.sampleRate, $0.channels, $0.sampleFormat, $0.bufferMilliseconds) = (rate, channels, sampleFormat, milliseconds)
          }
          let stream = try call.engine.makeOutgoingAudio(options)
          let samples = Int(rate) * Int(milliseconds) / 1000
          #expect(stream.expectedBufferSize == samples * Int(channels) * sampleFormat.byteCount)
          stream.close()
        }
      }
    }
    #expect(Make.sound { ($0.sampleRate, $0.bufferMilliseconds) = (22_050, 10) }.format.samplesPerBuffer == 220)
  }

  @Test func theEncoderWorksAtTheNearestOfItsRates() {
    let rates = [16_000, 22_050, 24_000, 32_000, 44_100, 48_000] as [UInt32]
    let encoder = rates.map { rate in Make.opus { $0.sampleRate = rate }.encoderSettings.sampleRate }
    #expect(encoder == [16_000, 48_000, 24_000, 48_000, 48_000, 48_000])
  }

  @Test func defaultsOfTheEncoderFollowTheRest() {
    #expect(Make.opus { $0.channels = 2 }.encoderSettings.bitrate == 64_000)
    #expect(Make.opus { $0.bufferMilliseconds = 10 }.packetDuration == 10)
    #expect(Make.opus { $0.bufferMilliseconds = 100 }.packetDuration == 20)
    #expect(Make.opus { ($0.bufferMilliseconds, $0.packetMilliseconds) = (10, 60) }.packetDuration == 60)
    #expect(Make.opus { $0.fec = true }.encoderSettings.expectedLoss == 10)
    #expect(Make.opus { ($0.fec, $0.expectedLoss) = (true, 3) }.encoderSettings.expectedLoss == 3)
    #expect(Make.opus { ($0.fec, $0.expectedLoss) = (true, 0) }.encoderSettings.expectedLoss == 0)
  }
}
