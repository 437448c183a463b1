import CMediaSDK
import MediaCore

/// A struct of the contract that begins with its size.
public protocol SizedStruct {
  init()
  var struct_size: UInt32 { get set }
}

extension SizedStruct {
  /// All zero but for its size.
  public static var sized: Self {
    var value = Self()
    value.struct_size = UInt32(MemoryLayout<Self>.size)
    return value
  }
}

/// What a function of a plugin's table is given or fills, as a message holds it: the bytes of the struct, by default.
public protocol WireValue: SizedStruct {
  /// Appends it to a message.
  func write(to writer: inout WireWriter)
  /// What `write(to:)` appended; `.corrupt` when the message ends before.
  init(reading reader: inout WireReader) throws(MediaError)
}

extension WireValue {
  /// The bytes of the struct.
  public func write(to writer: inout WireWriter) {
    withUnsafeBytes(of: self) { writer.append($0) }
  }

  /// The bytes of the struct; `.corrupt` when the message ends before.
  public init(reading reader: inout WireReader) throws(MediaError) {
    self.init()
    let bytes = try reader.get(count: MemoryLayout<Self>.size)
    withUnsafeMutableBytes(of: &self) { $0.copyMemory(from: bytes) }
  }

  /// A message of it alone.
  public var payload: [UInt8] {
    var writer = WireWriter()
    write(to: &writer)
    return writer.bytes
  }
}

extension msdk_video_format: WireValue {
  /// Without what has no meaning in the other process.
  public func write(to writer: inout WireWriter) { writer.put(VideoFormatHeader(self)) }
  /// `.corrupt` when the message ends before; the values are not checked.
  public init(reading reader: inout WireReader) throws(MediaError) { self = try reader.get(VideoFormatHeader.self).native }
}

extension msdk_audio_format: WireValue {
  /// Without what has no meaning in the other process.
  public func write(to writer: inout WireWriter) { writer.put(AudioFrameHeader(self)) }
  /// `.corrupt` when the message ends before; the values are not checked.
  public init(reading reader: inout WireReader) throws(MediaError) { self = try reader.get(AudioFrameHeader.self).native }
}

extension msdk_video_encoder_settings: WireValue {}
extension msdk_video_decoder_settings: WireValue {}
extension msdk_audio_encoder_settings: WireValue {}
extension msdk_encoded_header: WireValue {}
extension msdk_packet_header: WireValue {}

extension msdk_class: SizedStruct {}
extension msdk_video_producer: SizedStruct {}
extension msdk_video_renderer: SizedStruct {}
extension msdk_video_filter: SizedStruct {}
extension msdk_video_encoder: SizedStruct {}
extension msdk_video_decoder: SizedStruct {}
extension msdk_audio_producer: SizedStruct {}
extension msdk_audio_renderer: SizedStruct {}
extension msdk_audio_filter: SizedStruct {}
extension msdk_audio_encoder: SizedStruct {}
extension msdk_audio_decoder: SizedStruct {}
extension msdk_choice: SizedStruct {}
extension msdk_input: SizedStruct {}
extension msdk_external_frame: SizedStruct {}
extension msdk_encoded_frame: SizedStruct {}
