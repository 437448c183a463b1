import CMediaSDK
import MediaCore
import Testing

@testable import IsolationProtocol

@Suite struct WireValueTests {
  private func read<Value: WireValue>(_ bytes: [UInt8], as type: Value.Type = Value.self) throws -> Value {
    try bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      let value = try Value(reading: &reader)
      #expect(reader.isAtEnd)
      return value
    }
  }

  @Test func formatsAreReadAsTheyWere() throws {
    var video = VideoFormat(.nv12, width: 640, height: 360).foreign
    (video.fps_num, video.fps_den, video.color_matrix, video.expected_delay_ns) = (30_000, 1_001, 6, 5)
    let back = try read(video.payload, as: msdk_video_format.self)
    #expect(back.struct_size == UInt32(MemoryLayout<msdk_video_format>.size))
    #expect(back.pixel_format == video.pixel_format && back.width == 640 && back.height == 360)
    #expect(back.fps_num == 30_000 && back.fps_den == 1_001 && back.color_matrix == 6 && back.expected_delay_ns == 5)
    var audio = msdk_audio_format.sized
    (audio.sample_format, audio.sample_rate, audio.channels) = (1, 48_000, 2)
    (audio.frames_per_buffer, audio.expected_delay_ns) = (480, 7)
    let heard = try read(audio.payload, as: msdk_audio_format.self)
    #expect(heard.struct_size == audio.struct_size && heard.sample_format == 1 && heard.sample_rate == 48_000 && heard.channels == 2)
    #expect(heard.frames_per_buffer == 480 && heard.expected_delay_ns == 7)
  }

  /// By default the bytes of the struct, its size among them.
  @Test func structsAreReadAsTheyWere() throws {
    var settings = msdk_video_encoder_settings.sized
    (settings.target_bitrate, settings.fps_num, settings.fps_den) = (1 << 40, 25, 1)
    #expect(settings.payload == withUnsafeBytes(of: settings) { [UInt8]($0) })
    let back = try read(settings.payload, as: msdk_video_encoder_settings.self)
    #expect(back.payload == settings.payload)
  }

  @Test func whatEndsEarlyIsRefused() {
    let (format, settings) = (msdk_video_format.sized.payload, msdk_audio_encoder_settings.sized.payload)
    for count in 0..<format.count {
      #expect(failure { _ = try read(Array(format.prefix(count)), as: msdk_video_format.self) }?.status == .corrupt)
    }
    for count in 0..<settings.count {
      #expect(failure { _ = try read(Array(settings.prefix(count)), as: msdk_audio_encoder_settings.self) }?.status == .corrupt)
    }
  }
}
