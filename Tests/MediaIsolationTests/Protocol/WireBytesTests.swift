import CMediaSDK
import MediaCore
import MediaPlugins
import Testing

@testable import IsolationProtocol

@Suite struct WireBytesTests {
  /// What a format of sound says crosses whole.
  @Test func formatsOfSound() {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    (format.sample_format, format.sample_rate, format.channels) = (2, 44_100, 2)
    (format.planar, format.frames_per_buffer, format.expected_delay_ns) = (1, 441, 40)
    let back = AudioFrameHeader(format).native
    #expect((back.sample_format, back.sample_rate, back.channels) == (2, 44_100, 2))
    #expect((back.planar, back.frames_per_buffer, back.expected_delay_ns) == (1, 441, 40))
  }

  private func reader(of writer: WireWriter, _ body: (inout WireReader) throws -> Void) throws {
    try writer.bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      try body(&reader)
    }
  }

  @Test func whatIsWrittenIsReadBack() throws {
    let values: [ParameterValue] = [
      .bool(true), .i32(-7), .i64(.min), .u32(.max), .u64(.max), .f64(-0.5), .string("grün"), .string(""), .bytes([0, 255, 3]), .bytes([])
    ]
    var writer = WireWriter()
    for value in values { writer.put(value: value) }
    writer.put(text: "end")
    try reader(of: writer) { reader in
      for value in values {
        let read = try reader.getValue()
        #expect(read == value)
      }
      let text = try reader.getText()
      #expect(text == "end")
      #expect(reader.isAtEnd)
    }
  }

  @Test func formatsSurvive() {
    var format = VideoFormat(.nv12, width: 1921, height: 1079, frameRate: FrameRate(30_000, 1001)).foreign
    format.color_matrix = 1
    format.color_full_range = 1
    format.expected_delay_ns = 12
    let back = VideoFormatHeader(format).native
    #expect(back.width == 1921 && back.height == 1079 && back.fps_den == 1001 && back.color_matrix == 1 && back.expected_delay_ns == 12)
    var sound = AudioFormat(.f32, sampleRate: 44_100, channels: 2).foreign
    sound.frames_per_buffer = 441
    #expect(AudioFrameHeader(sound).native.frames_per_buffer == 441)
  }

  @Test func whatEndsEarlyIsRefused() throws {
    var writer = WireWriter()
    writer.put(UInt32(9))
    try reader(of: writer) { reader in #expect(failure { _ = try reader.getBytes() }?.status == .corrupt) }
    try reader(of: writer) { reader in #expect(failure { _ = try reader.get(UInt64.self) }?.status == .corrupt) }
    var odd = WireWriter()
    odd.put(UInt32(77))
    try reader(of: odd) { reader in #expect(failure { _ = try reader.getValue() }?.text == "a value has the type 77") }
  }

  @Test func textsAreRepaired() throws {
    var writer = WireWriter()
    let bytes: [UInt8] = [65, 0, 255, 66]
    bytes.withUnsafeBytes { writer.put(bytes: $0) }
    try reader(of: writer) { reader in
      let text = try reader.getText()
      #expect(text == "A\u{FFFD}B")
    }
  }

  @Test func noiseIsReadWithoutHarm() {
    var random = SeededRandom(seed: 5)
    for _ in 0..<20_000 {
      let bytes = (0..<Int(random.next() % 64)).map { _ in UInt8(truncatingIfNeeded: random.next() >> 24) }
      bytes.withUnsafeBytes { bytes in
        var reader = WireReader(bytes)
        while true {
          let isOver =
            failure {
              switch random.next() >> 33 & 3 {
              case 0: _ = try reader.getValue()
              case 1: _ = try reader.getText()
              case 2: _ = try reader.get(VideoFrameHeader.self)
              default: _ = try reader.get(UInt32.self)
              }
            } != nil
          if isOver { break }
        }
      }
    }
  }
}
