import CMediaSDK
import MediaCodecs
import MediaCore

/// Video or audio: where the tables of a class say what it encodes and decodes.
public protocol CodecMedium: Sendable {
  /// The fourcc of what the class encodes; nil when it does not encode this medium.
  static func encoded(by descriptor: ClassDescriptor) -> UInt32?
  /// The fourcc of what the class decodes; nil when it does not decode this medium.
  static func decoded(by descriptor: ClassDescriptor) -> UInt32?
}

/// The encoders and decoders of video.
public enum VideoCodecs: CodecMedium {
  /// Of the class's table for encoders of video.
  public static func encoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.videoEncoder?.codec }
  /// Of the class's table for decoders of video.
  public static func decoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.videoDecoder?.codec }
}

/// The encoders and decoders of audio.
public enum AudioCodecs: CodecMedium {
  /// Of the class's table for encoders of audio.
  public static func encoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.audioEncoder?.codec }
  /// Of the class's table for decoders of audio.
  public static func decoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.audioDecoder?.codec }
}

/// A codec as the classes of an engine have it: who encodes it and who decodes it, which may be two.
public struct CodecEntry<Medium: CodecMedium>: Sendable {
  /// MSDK_CODEC_*, or the plugin's own.
  public let fourcc: UInt32
  /// nil: nobody encodes it here.
  public fileprivate(set) var encoder: ClassDescriptor?
  /// nil: nobody decodes it here.
  public fileprivate(set) var decoder: ClassDescriptor?
  let host: CodecHost

  /// The name of the class that encodes it, or else decodes it; its id if it has no name.
  public var name: String { (encoder ?? decoder).map { $0.name.isEmpty ? $0.id : $0.name } ?? "" }

  fileprivate func required(_ descriptor: ClassDescriptor?, _ lack: String) throws(MediaError) -> ClassDescriptor {
    guard let descriptor else { throw MediaError(.unsupported, "\(name) \(lack)") }
    return descriptor
  }
}

/// A codec of video.
public typealias VideoCodecEntry = CodecEntry<VideoCodecs>
/// A codec of audio.
public typealias AudioCodecEntry = CodecEntry<AudioCodecs>

extension CodecEntry<VideoCodecs> {
  /// What an encoder takes, the best first.
  public var inputFormats: [PixelFormat] { encoder?.pixelFormats ?? [] }
  /// The longest side that the encoder takes, in pixels; 0 without an encoder.
  public var maximumDimension: UInt32 { encoder?.maximumDimension ?? 0 }

  /// What frames of a format are when the encoder is given them.
  public func input(for format: VideoFormat) -> VideoFormat {
    var input = format
    input.pixelFormat = FrameNormalizer.target(for: format.pixelFormat, among: inputFormats)
    input.color = VideoConverter.resultColor(from: format, to: input.pixelFormat)
    return input
  }

  /// A new instance, for one stream. `.unsupported` without an encoder, else what the class refuses. `events` gets what the plugin reports.
  public func makeEncoder(
    _ settings: VideoEncoderSettings, events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginVideoEncoder {
    try PluginVideoEncoder(required(encoder, "cannot be encoded here"), settings, host, events: events)
  }

  /// A new instance, for one stream. `.unsupported` without a decoder, else what the class refuses. `events` gets what the plugin reports.
  public func makeDecoder(
    _ settings: VideoDecoderSettings = VideoDecoderSettings(), events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginVideoDecoder {
    try PluginVideoDecoder(required(decoder, "cannot be decoded here"), settings, host, events: events)
  }

  /// Reads the header of an encoded frame, without decoding. `.unsupported` without a decoder, `.corrupt` for a size that no frame has;
  /// else what the class says of the bytes, which may be anything.
  public func parseHeader(_ data: UnsafeRawBufferPointer) throws(MediaError) -> EncodedHeader {
    try required(decoder, "has no decoder here, so its headers cannot be parsed").parseVideo(data)
  }
}

extension CodecEntry<AudioCodecs> {
  /// The rate of an encoder for a stream's sound: the stream's own where the encoder takes it, else the highest that it takes.
  public func encoderRate(for sampleRate: UInt32) -> UInt32 {
    let rates = encoder?.sampleRates ?? []
    return rates.contains(sampleRate) ? sampleRate : rates.max() ?? 48_000
  }

  /// A new instance, for one stream. `.unsupported` without an encoder, else what the class refuses. `events` gets what the plugin reports.
  public func makeEncoder(
    _ settings: AudioEncoderSettings, events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginAudioEncoder {
    try PluginAudioEncoder(required(encoder, "cannot be encoded here"), settings, host, events: events)
  }

  /// A new instance, for one stream, which decodes to that many channels. `.unsupported` without a decoder, else what the class refuses.
  public func makeDecoder(channels: Int, events: PluginInstance.EventHandler? = nil) throws(MediaError) -> PluginAudioDecoder {
    try PluginAudioDecoder(required(decoder, "cannot be decoded here"), channels: channels, host, events: events)
  }

  /// Reads the header of a packet, without decoding. `.unsupported` without a decoder, `.corrupt` unless it is of 1 to 5760 samples of one
  /// or two channels; else what the class says of the bytes, which may be anything.
  public func parse(_ data: UnsafeRawBufferPointer) throws(MediaError) -> AudioPacketHeader {
    try required(decoder, "has no decoder here, so its headers cannot be parsed").parseAudio(data)
  }

  /// What a packet says of itself, for the frame that is to carry it. Its loudness is not known.
  public func describe(_ data: UnsafeRawBufferPointer, in attributes: inout msdk_encoded_frame) throws(MediaError) {
    guard data.count <= AudioPacketHeader.largestPacket else {
      throw MediaError(.invalid, "a packet of \(data.count) bytes; accepted: 1..\(AudioPacketHeader.largestPacket)")
    }
    let header = try parse(data)
    (attributes.codec, attributes.sample_rate, attributes.channels) = (fourcc, 48_000, UInt32(header.channels))
    attributes.duration_ns = MediaTime.nanoseconds(fromUnits: Int64(header.sampleCount), rate: 48_000)
    attributes.level = AudioFrame.silentLevel
  }
}

/// The codecs among the classes of an engine. Of several classes for one fourcc the earliest encodes, and the earliest decodes: ours are first.
public struct Codecs: Sendable {
  /// In the order of their classes, one entry for each fourcc.
  public let video: [VideoCodecEntry]
  /// In the order of their classes, one entry for each fourcc.
  public let audio: [AudioCodecEntry]

  /// Those that are ours alone.
  public static let builtIn = Codecs(BuiltInModule.loaded?.classes ?? [])

  /// Of those classes, in this order; `host` is where their instances run.
  public init(_ classes: [ClassDescriptor], _ host: CodecHost = CodecHost()) {
    video = Codecs.entries(classes, host)
    audio = Codecs.entries(classes, host)
  }

  private static func entries<Medium>(_ classes: [ClassDescriptor], _ host: CodecHost) -> [CodecEntry<Medium>] {
    var entries: [CodecEntry<Medium>] = []
    func add(_ codec: UInt32?, _ fill: (inout CodecEntry<Medium>) -> Void) {
      guard let codec else { return }
      if let index = entries.firstIndex(where: { $0.fourcc == codec }) { return fill(&entries[index]) }
      var entry = CodecEntry<Medium>(fourcc: codec, host: host)
      fill(&entry)
      entries.append(entry)
    }
    for one in classes {
      add(Medium.encoded(by: one)) { $0.encoder = $0.encoder ?? one }
      add(Medium.decoded(by: one)) { $0.decoder = $0.decoder ?? one }
    }
    return entries
  }

  /// The codec of that fourcc, whether it can be encoded, decoded or both. `.unsupported` for an unknown one, with the names of the known;
  /// `argument` is what the error calls it.
  public func video(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    try Codecs.find(fourcc, argument, among: video)
  }

  /// As `video(_:argument:)`, of audio.
  public func audio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    try Codecs.find(fourcc, argument, among: audio)
  }

  /// One that can be encoded here.
  public func encodableVideo(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    try Codecs.find(fourcc, argument, among: video.filter { $0.encoder != nil })
  }

  /// One that can be encoded here; errors as of `audio(_:argument:)`.
  public func encodableAudio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    try Codecs.find(fourcc, argument, among: audio.filter { $0.encoder != nil })
  }

  /// One that can be decoded here.
  public func decoderOfVideo(_ fourcc: UInt32) -> VideoCodecEntry? { video.first { $0.fourcc == fourcc && $0.decoder != nil } }
  /// One that can be decoded here; nil: there is none.
  public func decoderOfAudio(_ fourcc: UInt32) -> AudioCodecEntry? { audio.first { $0.fourcc == fourcc && $0.decoder != nil } }

  /// What this engine decodes of video, for others to know.
  public var decodedVideo: [UInt32] { video.filter { $0.decoder != nil }.map(\.fourcc) }

  private static func find<Medium>(
    _ fourcc: UInt32, _ argument: String, among known: [CodecEntry<Medium>]
  ) throws(MediaError) -> CodecEntry<Medium> {
    if let found = known.first(where: { $0.fourcc == fourcc }) { return found }
    let accepted = known.isEmpty ? "none" : known.map(\.name).joined(separator: ", ")
    throw MediaError(.unsupported, "\(argument) is \(FourCC.text(fourcc)); accepted: \(accepted)")
  }
}

/// The codecs of all classes that any engine of this process has known: packets are described without an engine. Modules are never unloaded.
public enum KnownCodecs {
  private static let classes = Monitor<[ClassDescriptor]>(BuiltInModule.loaded?.classes ?? [])

  static func add(_ added: [ClassDescriptor]) {
    let codecs = added.filter { $0.videoDecoder != nil || $0.audioDecoder != nil }
    guard !codecs.isEmpty else { return }
    // One for an id is enough: a module that is registered with each of a thousand engines is there once.
    classes.withLock { known in
      for one in codecs where !known.contains(where: { $0.id == one.id }) { known.append(one) }
    }
  }

  /// Of this moment: a plugin that is loaded later adds its codecs.
  public static var all: Codecs { Codecs(classes.withLock { $0 }) }
}
