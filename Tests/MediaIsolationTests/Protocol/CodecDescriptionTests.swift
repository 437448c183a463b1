import CMediaSDK
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaPlugins

@Suite struct CodecDescriptionTests {
  private func table(_ kinds: UInt32, _ bytes: [UInt8]) throws(MediaError) -> msdk_class {
    var table = msdk_class()
    table.kinds = kinds
    var failure: MediaError?
    bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      do throws(MediaError) { try CodecDescription.read(&reader, into: &table) } catch { failure = error }
      if failure == nil, !reader.isAtEnd { failure = MediaError(.fail, "something is left") }
    }
    if let failure { throw failure }
    return table
  }

  /// The library's own codecs, as a process would tell of them.
  @Test func whatIsWrittenIsRead() throws {
    let classes = try #require(BuiltInModule.loaded?.classes)
    for descriptor in classes {
      var writer = WireWriter()
      CodecDescription.write(descriptor, to: &writer)
      let read = try table(descriptor.kinds, writer.bytes)
      #expect((read.video_encoder == nil) == (descriptor.videoEncoder == nil))
      #expect(read.video_encoder?.pointee.codec == descriptor.videoEncoder?.codec)
      #expect(read.video_encoder?.pointee.dimension_max == descriptor.videoEncoder?.dimension_max)
      #expect((read.video_encoder?.pointee.set_bytes_max == nil) == (descriptor.videoEncoder?.set_bytes_max == nil))
      #expect(read.video_decoder?.pointee.codec == descriptor.videoDecoder?.codec)
      #expect(read.audio_encoder?.pointee.codec == descriptor.audioEncoder?.codec)
      #expect((read.audio_encoder?.pointee.lookahead == nil) == (descriptor.audioEncoder?.lookahead == nil))
      #expect((read.audio_decoder?.pointee.recover == nil) == (descriptor.audioDecoder?.recover == nil))
      if let encoder = descriptor.videoEncoder {
        let formats = try PluginTable.pixelFormats(of: read.video_encoder?.pointee, "read")
        #expect(try formats == PluginTable.pixelFormats(of: encoder, "written"))
      }
      #expect(try PluginTable.sampleRates(of: read.audio_encoder?.pointee, "read") == descriptor.sampleRates)
    }
  }

  @Test func whatEndsEarlyIsRefused() throws {
    for descriptor in try #require(BuiltInModule.loaded?.classes) {
      var writer = WireWriter()
      CodecDescription.write(descriptor, to: &writer)
      for count in 0..<writer.bytes.count {
        #expect(failure { _ = try table(descriptor.kinds, Array(writer.bytes.prefix(count))) }?.status == .corrupt)
      }
    }
  }

  @Test func listsOfNothingAndWithoutEndAreRefused() {
    for count in [0, 65, UInt32.max] {
      var writer = WireWriter()
      for number in [0, 0x3156_4C46, 0, 0, count] as [UInt32] { writer.put(number) }
      let bytes = writer.bytes
      #expect(failure { _ = try table(UInt32(MSDK_KIND_VIDEO_ENCODER), bytes) }?.text.contains("\(count) entries") == true)
    }
  }
}
