import CMediaSDK
import MediaCore
import Testing

@testable import IsolationProtocol
@testable import MediaPlugins

@Suite struct ClassTablesTests {
  private func table(_ kinds: UInt32, _ bytes: [UInt8]) throws(MediaError) -> msdk_class {
    var table = msdk_class()
    table.kinds = kinds
    var failure: MediaError?
    bytes.withUnsafeBytes { bytes in
      var reader = WireReader(bytes)
      do throws(MediaError) { try ClassTables.read(&reader, into: &table) } catch { failure = error }
      if failure == nil, !reader.isAtEnd { failure = MediaError(.fail, "something is left") }
    }
    if let failure { throw failure }
    return table
  }

  /// The library's own codecs, as a process would describe them.
  @Test func whatIsWrittenIsRead() throws {
    let classes = try #require(BuiltInModule.loaded?.classes)
    for descriptor in classes {
      var writer = WireWriter()
      ClassTables.write(descriptor, to: &writer)
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
      ClassTables.write(descriptor, to: &writer)
      for count in 0..<writer.bytes.count {
        #expect(failure { _ = try table(descriptor.kinds, Array(writer.bytes.prefix(count))) }?.status == .corrupt)
      }
    }
  }

  @Test func listsOfNothingAndWithoutEndAreRefused() throws {
    let encoder = try #require(BuiltInModule.loaded?.classes.first { $0.videoEncoder != nil })
    for count in [0, 65, UInt32.max] {
      var writer = WireWriter()
      ClassTables.write(encoder, to: &writer)
      // The list is the last of it, after its length.
      let numbers = UInt32(encoder.pixelFormats.count)
      let place = writer.bytes.count - MemoryLayout<UInt32>.size * (Int(numbers) + 1)
      let bytes = Array(writer.bytes.prefix(place)) + WireWriter.bytes(of: count) + Array(writer.bytes.suffix(4 * Int(numbers)))
      #expect(Array(writer.bytes[place..<place + 4]) == WireWriter.bytes(of: numbers))
      #expect(failure { _ = try table(UInt32(MSDK_KIND_VIDEO_ENCODER), bytes) }?.text.contains("\(count) entries") == true)
    }
  }

  /// A function of a table that has it is there, and no number is taken for one.
  @Test func functionsAreThereOrNot() throws {
    for descriptor in try #require(BuiltInModule.loaded?.classes) {
      var writer = WireWriter()
      ClassTables.write(descriptor, to: &writer)
      let read = try table(descriptor.kinds, writer.bytes)
      if let written = descriptor.videoEncoder, let read = read.video_encoder?.pointee { #expect(words(read) == words(written)) }
      if let written = descriptor.videoDecoder, let read = read.video_decoder?.pointee { #expect(words(read) == words(written)) }
      if let written = descriptor.audioEncoder, let read = read.audio_encoder?.pointee { #expect(words(read) == words(written)) }
      if let written = descriptor.audioDecoder, let read = read.audio_decoder?.pointee { #expect(words(read) == words(written)) }
      #expect(read.video_producer == nil && read.audio_filter == nil)
    }
  }

  /// Whether the words of a table after its size and flags are not 0.
  private func words<Table>(_ table: Table) -> [Bool] {
    withUnsafeBytes(of: table) { bytes in
      stride(from: 8, to: bytes.count, by: 8).map { bytes.load(fromByteOffset: $0, as: UInt.self) != 0 }
    }
  }
}
