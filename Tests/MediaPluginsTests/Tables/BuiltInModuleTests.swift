import CMediaSDK
import Glibc
import MediaCodecs
import MediaCore
import Testing

@testable import MediaPlugins

@Suite struct BuiltInModuleTests {
  private static let vp8 = UInt32(MSDK_CODEC_VP8)
  private static let opus = UInt32(MSDK_CODEC_OPUS)

  @Test func itsTablesAreInOrder() throws {
    let loaded = try BuiltInModule.load()
    #expect(loaded.classes.map(\.id) == ["org.mediasdk.vp8", "org.mediasdk.opus"])
    #expect(loaded.classes.map(\.flags) == [2, 2])
  }

  private func picture(_ number: UInt8, width: UInt32 = 64, height: UInt32 = 48) throws -> VideoFrame {
    let frame = try VideoFrame.make(VideoFormat(.nv12, width: width, height: height))
    for plane in 0..<2 {
      let native = frame.plane(plane)
      if let data = native.data { memset(data, Int32(60 + Int(number) * 20), Int(native.size)) }
    }
    frame.native.pointee.timestamp_ns = Int64(number) * 33_000_000
    return frame
  }

  private func settings(_ width: UInt32 = 64) -> VideoEncoderSettings {
    VideoEncoderSettings(width: width, height: 48, frameRate: FrameRate(30), targetBitrate: 300_000)
  }

  @Test func picturesGoThroughTheTables() throws {
    let codec = try Codecs.builtIn.video(BuiltInModuleTests.vp8)
    let encoder = try codec.makeEncoder(settings())
    let decoder = try codec.makeDecoder()
    for number in 0..<5 as Range<UInt8> {
      let frame = try picture(number)
      defer { frame.release() }
      let encoded = try #require(try encoder.encode(frame, forceKeyFrame: number == 0 || number == 3))
      defer { encoded.release() }
      #expect(encoded.isKeyFrame == (number == 0 || number == 3))
      let header = try codec.parseHeader(encoded.bytes)
      #expect(header.isKeyFrame == encoded.isKeyFrame)
      let shown = try #require(try decoder.decode(encoded))
      #expect(shown.format.pixelFormat == .i420)
      let luma = try #require(shown.plane(0).data)
      let expected = 60 + Int(number) * 20
      #expect(abs(Int(luma[0]) - expected) < 6)
      shown.release()
    }
    try encoder.setRate(100_000, FrameRate(15))
    #expect(failure { try encoder.setRate(1, FrameRate(15)) }?.text.contains("bit rate") == true)
  }

  @Test func errorsKeepTheirWords() throws {
    let codec = try Codecs.builtIn.video(BuiltInModuleTests.vp8)
    var wrong = settings()
    wrong.dropThreshold = 101
    let error = failure { _ = try codec.makeEncoder(wrong) }
    #expect(error?.status == .range)
    #expect(error?.text.contains("drop threshold") == true)
    #expect(error?.text.contains("org.mediasdk.vp8") == true)
    let encoder = try codec.makeEncoder(settings())
    let frame = try picture(1, width: 66)
    defer { frame.release() }
    #expect(failure { _ = try encoder.encode(frame, forceKeyFrame: true) }?.status == .format)
    let bytes: [UInt8] = [0x10]
    let header = failure { _ = try bytes.withUnsafeBytes { bytes in _ = try codec.parseHeader(bytes) } }
    #expect(header?.status == .corrupt)
    #expect(header?.text.contains("frame tag") == true)
    let packet = failure {
      _ = try [UInt8]().withUnsafeBytes { bytes in _ = try Codecs.builtIn.audio(BuiltInModuleTests.opus).parse(bytes) }
    }
    #expect(packet?.text.contains("rule 1") == true)
  }

  @Test func soundGoesThroughTheTables() throws {
    let codec = try Codecs.builtIn.audio(BuiltInModuleTests.opus)
    let encoder = try codec.makeEncoder(AudioEncoderSettings(channels: 1))
    let decoder = try codec.makeDecoder(channels: 1)
    #expect((1...1000).contains(encoder.lookahead))
    try encoder.setRate(24_000, expectedLoss: 5)
    #expect(failure { try encoder.setRate(1, expectedLoss: 5) }?.status == .range)
    var output = [Float](repeating: 0, count: 5760)
    for number in 0..<10 {
      let samples = (0..<960).map { 0.4 * sinf(Float(number * 960 + $0) * 0.05) }
      let packet = try #require(try samples.withUnsafeBufferPointer { samples in try encoder.encode(samples) })
      defer { packet.release() }
      let count = try output.withUnsafeMutableBufferPointer { into in try decoder.decode(packet.bytes, into: into) }
      #expect(count == 960)
    }
    #expect(output.prefix(960).contains { abs($0) > 0.2 })
    #expect(try output.withUnsafeMutableBufferPointer { into in try decoder.conceal(sampleCount: 480, into: into) } == 480)
    let error = failure {
      _ = try output.withUnsafeMutableBufferPointer { into in try decoder.conceal(sampleCount: 481, into: into) }
    }
    #expect(error?.status == .invalid)
  }

  @Test func instancesEndWithTheirOwner() throws {
    let encoder = try Codecs.builtIn.video(BuiltInModuleTests.vp8).makeEncoder(settings())
    let instance = encoder.instance
    try instance.closeCodec(of: .audio)
    #expect(try instance.phase(of: UInt32(MSDK_KIND_VIDEO_ENCODER)) == .ready)
    #expect(try instance.phase(of: UInt32(MSDK_KIND_VIDEO_DECODER)) == .created)
    #expect(failure { try instance.callCodec(MSDK_KIND_VIDEO_DECODER, "decode") { _ in 0 } }?.text.contains("decoder of") == true)
    try instance.closeCodec(of: .video)
    #expect(try instance.phase(of: UInt32(MSDK_KIND_VIDEO_ENCODER)) == .created)
    let frame = try picture(1)
    defer { frame.release() }
    #expect(failure { _ = try encoder.encode(frame, forceKeyFrame: true) }?.status == .closed)
    #expect(failure { try encoder.setRate(1000, FrameRate(1)) }?.status == .closed)
    instance.destroy()
    #expect(failure { try instance.openCodec(UInt32(MSDK_KIND_VIDEO_ENCODER)) { _ in 0 } }?.status == .closed)
  }
}
