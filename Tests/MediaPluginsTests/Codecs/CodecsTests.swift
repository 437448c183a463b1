import CMediaSDK
import MediaCodecs
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct CodecsTests {
  private static let vp8 = UInt32(MSDK_CODEC_VP8)
  private static let opus = UInt32(MSDK_CODEC_OPUS)

  @Test func oursAreThere() throws {
    #expect(Codecs.builtIn.video.map(\.fourcc) == [CodecsTests.vp8])
    #expect(Codecs.builtIn.audio.map(\.fourcc) == [CodecsTests.opus])
    let codec = try Codecs.builtIn.video(CodecsTests.vp8)
    #expect(codec.name == "VP8")
    #expect(codec.inputFormats == [.nv12, .i420])
    #expect(codec.maximumDimension == 16383)
    #expect(Codecs.builtIn.decodedVideo == [CodecsTests.vp8])
  }

  @Test func whatIsNotThereNamesWhatIs() {
    for error in [
      failure { _ = try Codecs.builtIn.video(7, argument: "options.codec") },
      failure { _ = try Codecs.builtIn.encodableVideo(7, argument: "options.codec") }
    ] {
      #expect(error?.status == .unsupported)
      #expect(error?.text.contains("options.codec is 0x7") == true)
      #expect(error?.text.contains("VP8") == true)
    }
    #expect(failure { _ = try Codecs.builtIn.video(0x3039_5056) }?.text == "codec is VP90; accepted: VP8")
    #expect(failure { _ = try Codecs([]).video(7) }?.text.contains("none") == true)
    #expect(failure { _ = try Codecs.builtIn.encodableAudio(CodecsTests.vp8) }?.text.contains("Opus") == true)
  }

  @Test func theEarliestEncodesAndTheEarliestDecodes() throws {
    let ours = try #require(BuiltInModule.loaded).classes
    let registry = PluginRegistry()
    registry.addBuiltIn()
    #expect(registry.classes.map(\.id) == ["org.mediasdk.vp8", "org.mediasdk.opus"])
    #expect(registry.classes.allSatisfy { $0.module.isBuiltIn })
    // A codec that only one class decodes is no codec to send with.
    let usurper = try FakeCodec.encoder(of: CodecsTests.vp8)
    let codecs = Codecs([usurper] + ours)
    let codec = try codecs.video(CodecsTests.vp8)
    #expect(codec.encoder === usurper)
    #expect(codec.decoder === ours[0])
    #expect(try Codecs(ours + [usurper]).video(CodecsTests.vp8).encoder === ours[0])
    let alone = Codecs([usurper])
    #expect(alone.decoderOfVideo(CodecsTests.vp8) == nil)
    #expect(alone.decodedVideo.isEmpty)
    #expect(failure { _ = try alone.video(CodecsTests.vp8).makeDecoder() }?.status == .unsupported)
    #expect(
      failure { _ = try alone.video(CodecsTests.vp8).parseHeader(UnsafeRawBufferPointer(start: nil, count: 0)) }?.status == .unsupported)
  }

  @Test func aStreamsRateOrTheHighest() throws {
    let codec = try Codecs.builtIn.audio(CodecsTests.opus)
    #expect([16_000, 22_050, 24_000, 44_100, 48_000].map { codec.encoderRate(for: $0) } == [16_000, 48_000, 24_000, 48_000, 48_000])
  }

  @Test func packetsAreDescribedWithoutAnEngine() throws {
    let before = KnownCodecs.all.video.count
    let registry = PluginRegistry()
    try registry.register(FakeCodec.module(decoding: 0x3131_3131))
    try PluginRegistry().register(FakeCodec.module(decoding: 0x3131_3131))
    #expect(KnownCodecs.all.video.count == before + 1)
    #expect(KnownCodecs.all.decoderOfVideo(0x3131_3131) != nil)
  }

  @Test func aPacketDescribesItself() throws {
    let codec = try Codecs.builtIn.audio(CodecsTests.opus)
    var attributes = msdk_encoded_frame()
    try [UInt8]([0x9D, 1, 2, 3, 4]).withUnsafeBytes { try codec.describe($0, in: &attributes) }
    #expect(attributes.codec == UInt32(MSDK_CODEC_OPUS) && attributes.channels == 2 && attributes.sample_rate == 48000)
    #expect(attributes.duration_ns == 40_000_000 && attributes.level == 127)
    #expect(throws: MediaError.self) { try [UInt8]([0x9D, 1]).withUnsafeBytes { try codec.describe($0, in: &attributes) } }
    let padded = [0x9B, 0x41] + [UInt8](repeating: 255, count: 61_439)
    let error = try #require(throws: MediaError.self) {
      try padded.withUnsafeBytes { try codec.describe($0, in: &attributes) }
    }
    #expect(error.status == .invalid && error.text.contains("61441 bytes"))
  }
}
