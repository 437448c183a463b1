import CMediaSDK
import MediaCore
import MediaPlugins

/// What a description says of a class's codecs.
public enum CodecDescription {
  private static let most: UInt32 = 64

  public static func write(_ descriptor: ClassDescriptor, to writer: inout WireWriter) {
    if let encoder = descriptor.videoEncoder {
      writer.put(encoder.flags)
      writer.put(encoder.codec)
      writer.put(encoder.dimension_max)
      writer.put(UInt32(encoder.set_bytes_max == nil ? 0 : 1))
      writer.put(UInt32(descriptor.pixelFormats.count))
      for format in descriptor.pixelFormats { writer.put(format.rawValue) }
    }
    if let decoder = descriptor.videoDecoder {
      writer.put(decoder.flags)
      writer.put(decoder.codec)
    }
    if let encoder = descriptor.audioEncoder {
      writer.put(encoder.flags)
      writer.put(encoder.codec)
      writer.put(UInt32(encoder.lookahead == nil ? 0 : 1))
      writer.put(UInt32(descriptor.sampleRates.count))
      for rate in descriptor.sampleRates { writer.put(rate) }
    }
    if let decoder = descriptor.audioDecoder {
      writer.put(decoder.flags)
      writer.put(decoder.codec)
      writer.put(UInt32(decoder.recover == nil ? 0 : 1))
    }
  }

  /// Into the tables of the kinds that the class is of.
  public static func read(_ reader: inout WireReader, into table: inout msdk_class) throws(MediaError) {
    if table.kinds & UInt32(MSDK_KIND_VIDEO_ENCODER) != 0 { table.video_encoder = kept(try videoEncoder(&reader)) }
    if table.kinds & UInt32(MSDK_KIND_VIDEO_DECODER) != 0 { table.video_decoder = kept(try videoDecoder(&reader)) }
    if table.kinds & UInt32(MSDK_KIND_AUDIO_ENCODER) != 0 { table.audio_encoder = kept(try audioEncoder(&reader)) }
    if table.kinds & UInt32(MSDK_KIND_AUDIO_DECODER) != 0 { table.audio_decoder = kept(try audioDecoder(&reader)) }
  }

  // What is there is a twin's to replace (`ProxyTables`).
  private static func videoEncoder(_ reader: inout WireReader) throws(MediaError) -> msdk_video_encoder {
    var table = msdk_video_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_encoder>.size)
    (table.flags, table.codec, table.dimension_max) = (try reader.get(), try reader.get(), try reader.get())
    if try reader.get(UInt32.self) == 1 { table.set_bytes_max = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) } }
    let formats = try numbers(&reader)
    (table.pixel_formats, table.pixel_format_count) = (UnsafePointer(KeptMemory.copy(formats)), UInt32(formats.count))
    table.open_encoder = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.close_encoder = { _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.set_rate = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.encode = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return table
  }

  private static func videoDecoder(_ reader: inout WireReader) throws(MediaError) -> msdk_video_decoder {
    var table = msdk_video_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_decoder>.size)
    (table.flags, table.codec) = (try reader.get(), try reader.get())
    table.open_decoder = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.close_decoder = { _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.decode = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return table
  }

  private static func audioEncoder(_ reader: inout WireReader) throws(MediaError) -> msdk_audio_encoder {
    var table = msdk_audio_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_encoder>.size)
    (table.flags, table.codec) = (try reader.get(), try reader.get())
    if try reader.get(UInt32.self) == 1 { table.lookahead = { _ in 0 } }
    let rates = try numbers(&reader)
    (table.sample_rates, table.sample_rate_count) = (UnsafePointer(KeptMemory.copy(rates)), UInt32(rates.count))
    table.open_encoder = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.close_encoder = { _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.set_rate = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.encode = { _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return table
  }

  private static func audioDecoder(_ reader: inout WireReader) throws(MediaError) -> msdk_audio_decoder {
    var table = msdk_audio_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_audio_decoder>.size)
    (table.flags, table.codec) = (try reader.get(), try reader.get())
    if try reader.get(UInt32.self) == 1 { table.recover = { _, _, _, _, _ in 0 } }
    table.open_decoder = { _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.close_decoder = { _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.decode = { _, _, _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.conceal = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    table.parse_header = { _, _, _ in msdk_result(MSDK_E_UNSUPPORTED) }
    return table
  }

  private static func numbers(_ reader: inout WireReader) throws(MediaError) -> [UInt32] {
    let count = try reader.get(UInt32.self)
    guard count > 0, count <= most else { throw MediaError(.corrupt, "a codec's list in a module's description has \(count) entries") }
    var numbers: [UInt32] = []
    for _ in 0..<count { numbers.append(try reader.get()) }
    return numbers
  }

  private static func kept<T>(_ table: T) -> UnsafePointer<T> {
    UnsafePointer(KeptMemory.copy([table]))
  }
}
