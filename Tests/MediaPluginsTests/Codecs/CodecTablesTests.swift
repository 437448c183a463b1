import CMediaSDK
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CodecTablesTests {
  private func error(_ change: (inout msdk_video_encoder) -> Void) -> MediaError? {
    let module = FakeModule("test.codec", kinds: MSDK_KIND_VIDEO_ENCODER)
    var table = FakeCodec.encoderTable(of: 9)
    change(&table)
    module.classes[0].video_encoder = UnsafePointer(FakeModule.keep([table]))
    return failure { _ = try module.load() }
  }

  @Test func anEncodersFormatsAreThoseThatAreKnown() throws {
    let descriptor = try FakeCodec.encoder(of: 9)
    #expect(descriptor.pixelFormats == [.bgra, .nv12])
    #expect(descriptor.maximumDimension == 16_384)
    #expect(descriptor.mostEncodedFrames == 256)
    #expect(descriptor.sampleRates.isEmpty)
  }

  @Test func whatIsMissingIsRefused() {
    #expect(error { _ in } == nil)
    #expect(error { $0.encode = nil }?.text.contains("encode") == true)
    #expect(error { $0.set_rate = nil }?.status == .abi)
    #expect(error { $0.codec = 0 }?.text.contains("codec is 0") == true)
    #expect(error { $0.pixel_formats = nil }?.text.contains("has no pixel_formats") == true)
    #expect(error { $0.pixel_format_count = 17 }?.text.contains("17 pixel_formats; accepted: 1..16") == true)
    #expect(
      error { $0.pixel_formats = UnsafePointer(FakeModule.keep([UInt32](repeating: 0, count: 4))) }?.text.contains("names none") == true)
    #expect(error { $0.flags = 1 }?.text.contains("video_encoder.flags is 1; accepted: 0") == true)
    #expect(error { $0.reserved0 = 1 }?.text.contains("video_encoder.reserved0 is 1") == true)
    #expect(error { $0.struct_size = 16 }?.status == .abi)
  }

  @Test(arguments: [[], [44_100], [7999], [8000, 200_000]] as [[UInt32]]) func ratesThatMakeNoPacketsAreRefused(_ rates: [UInt32]) {
    let module = FakeModule("test.codec", kinds: MSDK_KIND_AUDIO_ENCODER)
    var table = FakeCodec.audioEncoderTable()
    table.sample_rates = UnsafePointer(FakeModule.keep(rates + [0]))
    table.sample_rate_count = UInt32(rates.count)
    module.classes[0].audio_encoder = UnsafePointer(FakeModule.keep([table]))
    #expect(failure { _ = try module.load() }?.text.contains("sample_rates") == true)
  }

  @Test func encodersOfSoundHaveMorePackets() throws {
    let module = FakeModule("test.codec", kinds: MSDK_KIND_AUDIO_ENCODER)
    module.classes[0].audio_encoder = UnsafePointer(FakeModule.keep([FakeCodec.audioEncoderTable()]))
    let descriptor = try module.descriptor()
    #expect(descriptor.sampleRates == [8000, 16_000])
    #expect(descriptor.mostEncodedFrames == 8192)
  }

  @Test func aHeaderThatCannotBeIsCorrupt() throws {
    let module = FakeModule("test.codec.decoder", kinds: MSDK_KIND_VIDEO_DECODER)
    module.classes[0].video_decoder = UnsafePointer(FakeModule.keep([FakeCodec.decoderTable(of: 9)]))
    let descriptor = try module.descriptor()
    let error = failure { _ = try [UInt8]([1]).withUnsafeBytes { bytes in _ = try descriptor.parseVideo(bytes) } }
    #expect(error?.status == .corrupt)
    #expect(error?.text.contains("20000") == true)
  }
}
