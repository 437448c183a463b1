import CMediaSDK
import MediaCore
import MediaPlugins

/// The tables of a class, side by side, and what a module's description has of them: which functions are there, and the numbers. A new kind of
/// instance is a member here.
package struct ClassTables {
  package var videoProducer = msdk_video_producer.sized
  package var videoRenderer = msdk_video_renderer.sized
  package var videoFilter = msdk_video_filter.sized
  package var videoEncoder = msdk_video_encoder.sized
  package var videoDecoder = msdk_video_decoder.sized
  package var audioProducer = msdk_audio_producer.sized
  package var audioRenderer = msdk_audio_renderer.sized
  package var audioFilter = msdk_audio_filter.sized
  package var audioEncoder = msdk_audio_encoder.sized
  package var audioDecoder = msdk_audio_decoder.sized

  package init() {}

  package init(of descriptor: ClassDescriptor) {
    if let table = descriptor.producer { videoProducer = table }
    if let table = descriptor.renderer { videoRenderer = table }
    if let table = descriptor.videoFilter { videoFilter = table }
    if let table = descriptor.videoEncoder { videoEncoder = table }
    if let table = descriptor.videoDecoder { videoDecoder = table }
    if let table = descriptor.audioProducer { audioProducer = table }
    if let table = descriptor.audioRenderer { audioRenderer = table }
    if let table = descriptor.audioFilter { audioFilter = table }
    if let table = descriptor.audioEncoder { audioEncoder = table }
    if let table = descriptor.audioDecoder { audioDecoder = table }
  }

  /// Has the class's table point at those of its kinds, which are kept there.
  package static func place(_ tables: UnsafePointer<ClassTables>, in table: inout msdk_class) {
    let kinds = table.kinds
    @inline(__always) func own<Table>(_ kind: Int, _ path: KeyPath<ClassTables, Table>) -> UnsafePointer<Table>? {
      kinds & UInt32(kind) == 0 ? nil : tables.pointer(to: path)
    }
    table.video_producer = own(MSDK_KIND_VIDEO_PRODUCER, \.videoProducer)
    table.video_renderer = own(MSDK_KIND_VIDEO_RENDERER, \.videoRenderer)
    table.video_filter = own(MSDK_KIND_VIDEO_FILTER, \.videoFilter)
    table.video_encoder = own(MSDK_KIND_VIDEO_ENCODER, \.videoEncoder)
    table.video_decoder = own(MSDK_KIND_VIDEO_DECODER, \.videoDecoder)
    table.audio_producer = own(MSDK_KIND_AUDIO_PRODUCER, \.audioProducer)
    table.audio_renderer = own(MSDK_KIND_AUDIO_RENDERER, \.audioRenderer)
    table.audio_filter = own(MSDK_KIND_AUDIO_FILTER, \.audioFilter)
    table.audio_encoder = own(MSDK_KIND_AUDIO_ENCODER, \.audioEncoder)
    table.audio_decoder = own(MSDK_KIND_AUDIO_DECODER, \.audioDecoder)
  }

  // MARK: Description

  private typealias Layout = MemoryLayout<ClassTables>

  /// What passes, apart from functions and lists: offsets of 32 bits each.
  private static let numbers: [Int] = [
    Layout.offset(of: \.videoProducer.flags), Layout.offset(of: \.videoProducer.codec), Layout.offset(of: \.videoRenderer.flags),
    Layout.offset(of: \.videoFilter.flags), Layout.offset(of: \.videoEncoder.flags), Layout.offset(of: \.videoEncoder.codec),
    Layout.offset(of: \.videoEncoder.dimension_max), Layout.offset(of: \.videoDecoder.flags), Layout.offset(of: \.videoDecoder.codec),
    Layout.offset(of: \.audioProducer.flags), Layout.offset(of: \.audioRenderer.flags), Layout.offset(of: \.audioFilter.flags),
    Layout.offset(of: \.audioEncoder.flags), Layout.offset(of: \.audioEncoder.codec), Layout.offset(of: \.audioDecoder.flags),
    Layout.offset(of: \.audioDecoder.codec)
  ].compactMap { $0 }

  /// What is no function, besides.
  private static let lists: [Int] = [
    Layout.offset(of: \.videoEncoder.pixel_formats), Layout.offset(of: \.videoEncoder.pixel_format_count),
    Layout.offset(of: \.audioEncoder.sample_rates), Layout.offset(of: \.audioEncoder.sample_rate_count)
  ].compactMap { $0 }

  /// Offsets of the functions: of all words that hold no numbers.
  private static let functions: [Int] = {
    let word = MemoryLayout<UInt>.size
    let others = Set((numbers + lists).map { $0 / word })
    return (0..<MemoryLayout<ClassTables>.size / word).filter { !others.contains($0) }.map { $0 * word }
  }()

  /// In place of each function that is there. Nobody calls it: the twin of a class replaces it (`ProxyTables`).
  private static let stub: @convention(c) () -> msdk_result = { msdk_result(MSDK_E_UNSUPPORTED) }
  private static let most: UInt32 = 64

  package static func write(_ descriptor: ClassDescriptor, to writer: inout WireWriter) {
    withUnsafeBytes(of: ClassTables(of: descriptor)) { bytes in
      for offset in numbers { writer.put(bytes.load(fromByteOffset: offset, as: UInt32.self)) }
      for offset in functions { writer.put(UInt8(bytes.load(fromByteOffset: offset, as: UInt.self) == 0 ? 0 : 1)) }
    }
    if descriptor.videoEncoder != nil { write(descriptor.pixelFormats.map(\.rawValue), to: &writer) }
    if descriptor.audioEncoder != nil { write(descriptor.sampleRates, to: &writer) }
  }

  private static func write(_ list: [UInt32], to writer: inout WireWriter) {
    writer.put(UInt32(list.count))
    for number in list { writer.put(number) }
  }

  /// Into the table of a class whose kinds are known already.
  package static func read(_ reader: inout WireReader, into table: inout msdk_class) throws(MediaError) {
    let tables = KeptMemory.copy([ClassTables()])
    let bytes = UnsafeMutableRawPointer(tables)
    for offset in numbers { bytes.storeBytes(of: try reader.get(), toByteOffset: offset, as: UInt32.self) }
    for offset in functions where try reader.get(UInt8.self) == 1 {
      bytes.storeBytes(of: UInt(bitPattern: unsafeBitCast(stub, to: Int.self)), toByteOffset: offset, as: UInt.self)
    }
    if table.kinds & UInt32(MSDK_KIND_VIDEO_ENCODER) != 0 {
      (tables.pointee.videoEncoder.pixel_formats, tables.pointee.videoEncoder.pixel_format_count) = try list(&reader)
    }
    if table.kinds & UInt32(MSDK_KIND_AUDIO_ENCODER) != 0 {
      (tables.pointee.audioEncoder.sample_rates, tables.pointee.audioEncoder.sample_rate_count) = try list(&reader)
    }
    place(UnsafePointer(tables), in: &table)
  }

  private static func list(_ reader: inout WireReader) throws(MediaError) -> (UnsafePointer<UInt32>, UInt32) {
    let count = try reader.get(UInt32.self)
    guard count > 0, count <= most else { throw MediaError(.corrupt, "a codec's list in a module's description has \(count) entries") }
    var numbers: [UInt32] = []
    for _ in 0..<count { numbers.append(try reader.get()) }
    return (UnsafePointer(KeptMemory.copy(numbers)), count)
  }
}
