import CMediaSDK
import MediaCodecs
import MediaCore

/// Video or audio: where the tables of a class say what it encodes and decodes.
public protocol CodecMedium: Sendable {
  static func encoded(by descriptor: ClassDescriptor) -> UInt32?
  static func decoded(by descriptor: ClassDescriptor) -> UInt32?
}

public enum VideoCodecs: CodecMedium {
  public static func encoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.videoEncoder?.codec }
  public static func decoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.videoDecoder?.codec }
}

public enum AudioCodecs: CodecMedium {
  public static func encoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.audioEncoder?.codec }
  public static func decoded(by descriptor: ClassDescriptor) -> UInt32? { descriptor.audioDecoder?.codec }
}

/// A codec as the classes of an engine have it: who encodes it and who decodes it, which may be two.
public struct CodecEntry<Medium: CodecMedium>: Sendable {
  public let fourcc: UInt32
  public fileprivate(set) var encoder: ClassDescriptor?
  public fileprivate(set) var decoder: ClassDescriptor?
  let host: CodecHost

  public var name: String { (encoder ?? decoder).map { $0.name.isEmpty ? $0.id : $0.name } ?? "" }

  fileprivate func required(_ descriptor: ClassDescriptor?, _ lack: String) throws(MediaError) -> ClassDescriptor {
    guard let descriptor else { throw MediaError(.unsupported, "\(name) \(lack)") }
    return descriptor
  }
}

public typealias VideoCodecEntry = CodecEntry<VideoCodecs>
public typealias AudioCodecEntry = CodecEntry<AudioCodecs>

extension CodecEntry<VideoCodecs> {
  /// What an encoder takes, the best first.
  public var inputFormats: [PixelFormat] { encoder?.pixelFormats ?? [] }
  public var maximumDimension: UInt32 { encoder?.maximumDimension ?? 0 }

  /// What frames of a format are when the encoder is given them.
  public func input(for format: VideoFormat) -> VideoFormat {
    var input = format
    input.pixelFormat = FrameNormalizer.target(for: format.pixelFormat, among: inputFormats)
    input.color = VideoConverter.resultColor(from: format, to: input.pixelFormat)
    return input
  }

  public func makeEncoder(
    _ settings: VideoEncoderSettings, events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginVideoEncoder {
    try PluginVideoEncoder(required(encoder, "cannot be encoded here"), settings, host, events: events)
  }

  public func makeDecoder(
    _ settings: VideoDecoderSettings = VideoDecoderSettings(), events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginVideoDecoder {
    try PluginVideoDecoder(required(decoder, "cannot be decoded here"), settings, host, events: events)
  }

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

  public func makeEncoder(
    _ settings: AudioEncoderSettings, events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginAudioEncoder {
    try PluginAudioEncoder(required(encoder, "cannot be encoded here"), settings, host, events: events)
  }

  public func makeDecoder(channels: Int, events: PluginInstance.EventHandler? = nil) throws(MediaError) -> PluginAudioDecoder {
    try PluginAudioDecoder(required(decoder, "cannot be decoded here"), channels: channels, host, events: events)
  }

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
  public let video: [VideoCodecEntry]
  public let audio: [AudioCodecEntry]

  /// Those that are ours alone.
  public static let builtIn = Codecs(BuiltInModule.loaded?.classes ?? [])

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

  public func video(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    try Codecs.find(fourcc, argument, among: video)
  }

  public func audio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    try Codecs.find(fourcc, argument, among: audio)
  }

  /// One that can be encoded here.
  public func encodableVideo(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    try Codecs.find(fourcc, argument, among: video.filter { $0.encoder != nil })
  }

  public func encodableAudio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    try Codecs.find(fourcc, argument, among: audio.filter { $0.encoder != nil })
  }

  /// One that can be decoded here.
  public func decoderOfVideo(_ fourcc: UInt32) -> VideoCodecEntry? { video.first { $0.fourcc == fourcc && $0.decoder != nil } }
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

  public static var all: Codecs { Codecs(classes.withLock { $0 }) }
}
