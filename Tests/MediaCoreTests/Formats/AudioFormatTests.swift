import CMediaSDK
import MediaCore
import Testing

@Suite struct AudioFormatTests {
  private func native(_ change: (inout msdk_audio_format) -> Void) -> msdk_audio_format {
    var format = AudioFormat(.s16, sampleRate: 48_000, channels: 2).foreign
    change(&format)
    return format
  }

  @Test func comesAndGoes() throws {
    var format = AudioFormat(.f32, sampleRate: 44_100, channels: 1, samplesPerBuffer: 441)
    format.expectedDelay = 7
    #expect(try AudioFormat(checking: format.foreign, argument: "format") == format)
    #expect(format.stride == 4)
    #expect(format.description == "f32 44100 Hz mono")
  }

  @Test func refusesInWords() {
    let cases: [((inout msdk_audio_format) -> Void, Status, String)] = [
      ({ $0.sample_format = 3 }, .unsupported, "format.sample_format is 3"),
      ({ $0.sample_rate = 7999 }, .range, "format.sample_rate is 7999; accepted: 8000..192000"),
      ({ $0.sample_rate = .max }, .range, "accepted: 8000..192000"),
      ({ $0.channels = 0 }, .unsupported, "format.channels is 0; accepted: 1, 2"),
      ({ $0.channels = 3 }, .unsupported, "format.channels is 3"),
      ({ $0.planar = 1 }, .unsupported, "format.planar is 1"),
      ({ $0.frames_per_buffer = 192_001 }, .range, "format.frames_per_buffer is 192001")
    ]
    for (change, status, text) in cases {
      let error = failure { _ = try AudioFormat(checking: native(change), argument: "format") }
      #expect(error?.status == status)
      #expect(error?.text.contains(text) == true, "\(error?.text ?? "accepted")")
    }
  }

  /// The rule of outgoing_audio.h: whole but for 22,050 Hz with an odd multiple of 10 ms.
  @Test func buffersAreRoundedDown() {
    #expect(AudioLimits.samples(sampleRate: 22_050, milliseconds: 10) == 220)
    #expect(AudioLimits.samples(sampleRate: 22_050, milliseconds: 20) == 441)
    for rate in AudioLimits.sampleRates {
      for duration in AudioLimits.bufferMilliseconds {
        let isWhole = rate * duration % 1000 == 0
        #expect(isWhole || rate == 22_050 && duration / 10 % 2 == 1)
        #expect(AudioLimits.samples(sampleRate: rate, milliseconds: duration) == rate * duration / 1000)
      }
    }
  }

  @Test func durationsAreToTheNanosecond() {
    #expect(AudioFormat(.s16, sampleRate: 22_050, channels: 1).duration(ofSamples: 220) == 9_977_324)
    #expect(AudioFormat(.s16, sampleRate: 48_000, channels: 1).duration(ofSamples: 960) == 20_000_000)
  }

  @Test func gainsAreBounded() {
    #expect(failure { try AudioLimits.checkGain(-0.1) }?.status == .range)
    #expect(failure { try AudioLimits.checkGain(8.1) }?.status == .range)
    #expect(failure { try AudioLimits.checkGain(.nan) }?.status == .range)
    #expect(failure { try AudioLimits.checkGain(8) } == nil)
  }
}
