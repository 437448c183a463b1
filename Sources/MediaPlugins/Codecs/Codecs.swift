import CMediaSDK
import MediaCodecs
import MediaCore

/// Whose clock and log the instances of codecs have, and where they run.
public struct CodecHost: Sendable {
  public typealias Place = @Sendable (ClassDescriptor) throws(MediaError) -> ClassDescriptor

  let clock: @Sendable () -> Int64
  let log: @Sendable (Int32, String) -> Void
  let place: Place
  let parameters: CodecParameters?

  /// `place` gives the class that an instance is made of: itself, or a twin whose instances run elsewhere.
  public init(
    clock: @escaping @Sendable () -> Int64 = { MediaTime.monotonic() }, log: @escaping @Sendable (Int32, String) -> Void = { _, _ in },
    place: @escaping Place = { $0 }, parameters: CodecParameters? = nil
  ) {
    self.clock = clock
    self.log = log
    self.place = place
    self.parameters = parameters
  }

  /// A stream's own, which nothing else can be attached to; `events` hears what it tells.
  func makeInstance(
    _ descriptor: ClassDescriptor, _ medium: PluginInstance.Medium, _ events: PluginInstance.EventHandler?
  ) throws(MediaError) -> PluginInstance {
    let instance = try PluginInstance(place(descriptor), clock: clock, log: log, isOfStream: true)
    do throws(MediaError) {
      for (name, value) in parameters?.values(of: descriptor.id) ?? [] { try instance.setParameter(name, value) }
      _ = try instance.attach(to: "a stream", medium: medium, events: events, letGo: {})
    } catch {
      instance.destroy()
      throw error
    }
    return instance
  }
}

/// A codec of video as the classes of an engine have it: who encodes it and who decodes it, which may be two.
public struct VideoCodecEntry: Sendable {
  public let fourcc: UInt32
  public internal(set) var encoder: ClassDescriptor?
  public internal(set) var decoder: ClassDescriptor?
  let host: CodecHost

  public var name: String { (encoder ?? decoder)?.displayName ?? "" }
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
    guard let encoder else { throw MediaError(.unsupported, "\(name) cannot be encoded here") }
    return try PluginVideoEncoder(encoder, settings, host, events: events)
  }

  public func makeDecoder(
    _ settings: VideoDecoderSettings = VideoDecoderSettings(), events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginVideoDecoder {
    guard let decoder else { throw MediaError(.unsupported, "\(name) cannot be decoded here") }
    return try PluginVideoDecoder(decoder, settings, host, events: events)
  }

  public func parseHeader(_ data: UnsafeRawBufferPointer) throws(MediaError) -> EncodedHeader {
    guard let decoder else { throw MediaError(.unsupported, "\(name) has no decoder here, so its headers cannot be parsed") }
    return try decoder.parseVideo(data)
  }
}

/// The same of sound.
public struct AudioCodecEntry: Sendable {
  public let fourcc: UInt32
  public internal(set) var encoder: ClassDescriptor?
  public internal(set) var decoder: ClassDescriptor?
  let host: CodecHost

  public var name: String { (encoder ?? decoder)?.displayName ?? "" }

  public func makeEncoder(
    _ settings: AudioEncoderSettings, events: PluginInstance.EventHandler? = nil
  ) throws(MediaError) -> PluginAudioEncoder {
    guard let encoder else { throw MediaError(.unsupported, "\(name) cannot be encoded here") }
    return try PluginAudioEncoder(encoder, settings, host, events: events)
  }

  public func makeDecoder(channels: Int, events: PluginInstance.EventHandler? = nil) throws(MediaError) -> PluginAudioDecoder {
    guard let decoder else { throw MediaError(.unsupported, "\(name) cannot be decoded here") }
    return try PluginAudioDecoder(decoder, channels: channels, host, events: events)
  }

  public func parse(_ data: UnsafeRawBufferPointer) throws(MediaError) -> AudioPacketHeader {
    guard let decoder else { throw MediaError(.unsupported, "\(name) has no decoder here, so its headers cannot be parsed") }
    return try decoder.parseAudio(data)
  }

  /// The rate of an encoder for a stream's sound: the stream's own where the encoder takes it, else the highest that it takes.
  public func encoderRate(for sampleRate: UInt32) -> UInt32 {
    let rates = encoder?.sampleRates ?? []
    return rates.contains(sampleRate) ? sampleRate : rates.max() ?? 48_000
  }

  /// What a packet says of itself, for the frame that is to carry it. Its loudness is not known.
  public func describe(_ data: UnsafeRawBufferPointer, in attributes: inout msdk_encoded_frame) throws(MediaError) {
    try AudioCodec.checkSize(data)
    try parse(data).describe(fourcc, in: &attributes)
  }
}

/// The codecs among the classes of an engine. Of several classes for one fourcc the earliest encodes, and the earliest decodes: ours are first.
public struct Codecs: Sendable {
  public let video: [VideoCodecEntry]
  public let audio: [AudioCodecEntry]

  /// Those that are ours alone.
  public static let builtIn = Codecs(BuiltInModule.loaded?.classes ?? [])

  public init(_ classes: [ClassDescriptor], _ host: CodecHost = CodecHost()) {
    var video: [VideoCodecEntry] = []
    var audio: [AudioCodecEntry] = []
    for one in classes {
      for (codec, encodes) in [(one.videoEncoder?.codec, true), (one.videoDecoder?.codec, false)] {
        guard let codec else { continue }
        let index = video.firstIndex { $0.fourcc == codec } ?? video.count
        if index == video.count { video.append(VideoCodecEntry(fourcc: codec, host: host)) }
        if encodes { video[index].encoder = video[index].encoder ?? one } else { video[index].decoder = video[index].decoder ?? one }
      }
      for (codec, encodes) in [(one.audioEncoder?.codec, true), (one.audioDecoder?.codec, false)] {
        guard let codec else { continue }
        let index = audio.firstIndex { $0.fourcc == codec } ?? audio.count
        if index == audio.count { audio.append(AudioCodecEntry(fourcc: codec, host: host)) }
        if encodes { audio[index].encoder = audio[index].encoder ?? one } else { audio[index].decoder = audio[index].decoder ?? one }
      }
    }
    self.video = video
    self.audio = audio
  }

  public func video(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    guard let found = video.first(where: { $0.fourcc == fourcc }) else {
      throw Codecs.unknown(fourcc, argument, video.map { ($0.fourcc, $0.name) })
    }
    return found
  }

  /// One that can be encoded here.
  public func encodableVideo(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> VideoCodecEntry {
    guard let found = video.first(where: { $0.fourcc == fourcc && $0.encoder != nil }) else {
      throw Codecs.unknown(fourcc, argument, video.filter { $0.encoder != nil }.map { ($0.fourcc, $0.name) })
    }
    return found
  }

  public func audio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    guard let found = audio.first(where: { $0.fourcc == fourcc }) else {
      throw Codecs.unknown(fourcc, argument, audio.map { ($0.fourcc, $0.name) })
    }
    return found
  }

  public func encodableAudio(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodecEntry {
    guard let found = audio.first(where: { $0.fourcc == fourcc && $0.encoder != nil }) else {
      throw Codecs.unknown(fourcc, argument, audio.filter { $0.encoder != nil }.map { ($0.fourcc, $0.name) })
    }
    return found
  }

  /// One that can be decoded here.
  public func decoderOfVideo(_ fourcc: UInt32) -> VideoCodecEntry? { video.first { $0.fourcc == fourcc && $0.decoder != nil } }
  public func decoderOfAudio(_ fourcc: UInt32) -> AudioCodecEntry? { audio.first { $0.fourcc == fourcc && $0.decoder != nil } }

  /// What this engine decodes of video, for others to know.
  public var decodedVideo: [UInt32] { video.filter { $0.decoder != nil }.map(\.fourcc) }

  private static func unknown(_ fourcc: UInt32, _ argument: String, _ known: [(UInt32, String)]) -> MediaError {
    let accepted = known.map(\.1).joined(separator: ", ")
    return MediaError(.unsupported, "\(argument) is \(FourCC.text(fourcc)); accepted: \(accepted.isEmpty ? "none" : accepted)")
  }
}

extension ClassDescriptor {
  fileprivate var displayName: String { name.isEmpty ? id : name }
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
