import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// What a program can make, and how it is to be sent. 0 stands for the default that outgoing_video.h gives.
public struct OutgoingVideoOptions: Sendable {
  /// What the program can make, in any order: 1 to 64; none for a screen share that takes the format of its producer.
  public var formats: [VideoFormat]
  /// Selects the limits, the permission and how a format is chosen.
  public var kind = VideoKind.virtual
  /// Each format must be within them, else `.limit` is thrown.
  public var limits = VideoLimits.conference
  /// 0: the SDK chooses, as `choosesCodec` says.
  public var codec: UInt32 = 0
  /// In order of preference, in place of `codec`.
  public var codecs: [UInt32] = []
  /// Of the encoder: time for quality.
  public var preset = EncoderPreset.realtime
  /// What happens when the encoder is late; with `.wait`, `send` waits for room.
  public var queuePolicy = QueuePolicy.dropOldest
  /// Frames that may be queued for the encoder, 1 to 16; 0: 1.
  public var queueCapacity = 0
  /// The program sends encoded frames of `codec`, no raw ones.
  public var isEncodedInput = false
  /// 1 to 8; 0: 2 for a width of 1,920 and more, else 1.
  public var encoderThreads = 0
  /// Of the encoder; its target is for the best format.
  public var bitrate = BitrateRange()
  /// The longest time between key frames, in nanoseconds; 0: 10 s, and for a screen share only on request.
  public var keyFrameInterval: Int64 = 0
  /// The most layers in which it is sent where its session's room takes several, 1 to 3; 0: the SDK chooses by the size.
  public var mostLayers = 0
  /// Frames are sent with their metadata (`FrameTrailer`).
  public var carriesMetadata = false
  /// Reports that may be queued, 1 to 4,096; if the queue is full, the oldest is dropped.
  public var reportCapacity = 64
  /// A feeder makes the frames, not the program: it is not told of senders.
  var isFed = false

  /// A virtual stream under conference limits, whose codec the SDK chooses. `Engine.makeOutgoingVideo` checks the values.
  public init(formats: [VideoFormat]) {
    self.formats = formats
  }

  /// Whether frames that a program sends faster than the format's rate are dropped. Encoded ones cannot be, and who waits for the encoder
  /// sends as fast as that goes.
  var isPaced: Bool { !isEncodedInput && queuePolicy != .wait }

  /// Raw while all members are in this process, encoded from when one is not.
  var choosesCodec: Bool { codec == 0 && codecs.isEmpty }

  /// Whether frames are encoded wherever they go.
  var isEncoded: Bool { codec != FourCC.raw && !choosesCodec }

  func check(_ known: Codecs = .builtIn) throws(MediaError) {
    guard (1...64).contains(formats.count) || formats.isEmpty && kind == .screenShare && !isEncodedInput else {
      throw MediaError(
        .range, "options.format_count is \(formats.count); accepted: 1..64, or 0 for a screen share whose producer has the format")
    }
    guard !isEncodedInput || codec != 0 && codec != FourCC.raw || !codecs.isEmpty else {
      throw MediaError(.invalid, "options.encoded_input is 1 without a codec; accepted: with options.codec, for example MSDK_CODEC_VP8")
    }
    let encoders = try self.encoders(known)
    for (index, format) in formats.enumerated() { try check(format, encoders, argument: "options.formats[\(index)]") }
    guard (0...16).contains(queueCapacity) else {
      throw MediaError(.range, "options.queue_capacity is \(queueCapacity); accepted: 1..16, or 0 for 1")
    }
    guard (0...8).contains(encoderThreads) else {
      throw MediaError(.range, "options.encoder_threads is \(encoderThreads); accepted: 1..8, or 0 for a number that the SDK chooses")
    }
    guard (0...StreamLayers.most).contains(mostLayers) else {
      throw MediaError(.range, "options.most_layers is \(mostLayers); accepted: 1..3, or 0 for a number that the SDK chooses")
    }
    guard (1...4096).contains(reportCapacity) else {
      throw MediaError(.range, "options.report_capacity is \(reportCapacity); accepted: 1..4096, or 0 for 64")
    }
    try bitrate.check()
  }

  /// What can encode for the stream, the preferred one first; none when frames pass raw wherever they go, or come encoded.
  func encoders(_ known: Codecs) throws(MediaError) -> [VideoCodecEntry] {
    guard codec == 0 || codecs.isEmpty else {
      throw MediaError(.invalid, "options has both codec and codecs (\(codecs.count)); accepted: one of them")
    }
    guard codecs.count <= 16 else { throw MediaError(.range, "options.codec_count is \(codecs.count); accepted: 0..16") }
    guard !codecs.contains(0), !codecs.contains(FourCC.raw) else {
      throw MediaError(.invalid, "options.codecs has MSDK_CODEC_AUTO or _RAW among its \(codecs.count); accepted: codecs that encode")
    }
    guard !codecs.isEmpty else {
      if codec == FourCC.raw { return [] }
      // What comes encoded must be one that can be looked into.
      guard !isEncodedInput else {
        _ = try known.video(codec, argument: "options.codec")
        return []
      }
      return try [known.encodableVideo(codec == 0 ? UInt32(MSDK_CODEC_VP8) : codec, argument: "options.codec")]
    }
    guard !isEncodedInput else {
      throw MediaError(.invalid, "options.encoded_input is 1 with codecs to choose from; accepted: with options.codec")
    }
    var found: [VideoCodecEntry] = []
    for fourcc in codecs {
      if let entry = try? known.encodableVideo(fourcc), !found.contains(where: { $0.fourcc == fourcc }) { found.append(entry) }
    }
    // None of them: the first says what there is.
    if found.isEmpty { return try [known.encodableVideo(codecs[0], argument: "options.codecs[0]")] }
    return found
  }

  /// Against the limits and the codecs.
  func check(_ format: VideoFormat, _ encoders: [VideoCodecEntry], argument: String) throws(MediaError) {
    try limits.check(format, of: kind, argument: argument)
    for codec in encoders {
      // Any pixel format is converted, but YUV of some matrices not to RGB.
      do throws(MediaError) {
        try VideoConverter.check(from: format, wanted: codec.input(for: format))
      } catch {
        throw MediaError(error.status, "\(argument) cannot be converted for \(codec.name): \(error.text)")
      }
      let most = codec.maximumDimension
      guard format.width <= most, format.height <= most else {
        throw MediaError(.limit, "\(argument) is \(format.width)x\(format.height); \(codec.name) accepts up to \(most)x\(most)")
      }
    }
  }

  /// The codec of what is published.
  func codec(of encoder: VideoCodecEntry?) -> UInt32 { encoder?.fourcc ?? (isEncodedInput ? codec : FourCC.raw) }

  /// In which it is sent over a transport. Each halving of the largest format is to leave a picture of use.
  func layers(of formats: [VideoFormat], _ encoder: VideoCodecEntry?, over features: TransportFeatures) -> StreamLayers {
    guard features.contains(.layers), kind != .screenShare, encoder?.fourcc == UInt32(MSDK_CODEC_VP8) else { return .one }
    guard mostLayers == 0 else { return StreamLayers(count: mostLayers) }
    let longer = formats.reduce(0) { max($0, $1.width, $1.height) }
    return StreamLayers(count: longer >= 960 ? 3 : longer >= 640 ? 2 : 1)
  }

  /// What receivers get of a format that is sent with that codec.
  func announced(_ format: VideoFormat, _ encoder: VideoCodecEntry?) -> StreamFormat {
    .video(encoder?.input(for: format) ?? format, kind: kind.rawValue)
  }

  func makeNegotiator(_ formats: [VideoFormat]) -> any Negotiator {
    // Frames that come encoded cannot be left out here.
    kind == .screenShare && !isEncodedInput
      ? ScreenNegotiator(formats: formats, isEncoded: isEncoded) : FormatNegotiator(formats: formats, isEncoded: isEncoded)
  }

  /// The size in which a producer's picture is shared: where the limits are even, an odd one loses its last column or row.
  func shared(_ format: VideoFormat) -> (width: UInt32, height: UInt32) {
    limits == .conference ? (format.width & ~1, format.height & ~1) : (format.width, format.height)
  }

  /// Of the formats that are declared, or else that there may be.
  var fastest: FrameRate {
    formats.map(\.frameRate).max { $0.perSecond < $1.perSecond } ?? FrameRate(limits.list(of: kind).map(\.frameRate).max() ?? 0)
  }

  /// From one key frame to the next at the latest. Of a screen that does not change each would be sent for nothing.
  var longestKeyFrameInterval: Int64 {
    keyFrameInterval != 0 ? keyFrameInterval : kind == .screenShare ? .max : 10_000_000_000
  }
}

/// The bounds of an encoder's bitrate, in bits a second; a target of 0 is left to the SDK.
public struct BitrateRange: Sendable, Equatable {
  /// 0: 0.08 bits a pixel, within `least` and `most`.
  public var target: UInt64 = 0
  /// At least 1,000.
  public var least: UInt64 = 30_000
  /// At most 100,000,000.
  public var most: UInt64 = 20_000_000

  /// 30,000 to 20,000,000 bits a second, and a target by size and rate.
  public init() {}

  func check() throws(MediaError) {
    guard (1000...100_000_000).contains(least), least <= most, most <= 100_000_000, target == 0 || (least...most).contains(target) else {
      let said = "the bitrates are min \(least), target \(target == 0 ? "0 (the SDK's choice)" : "\(target)"), max \(most)"
      throw MediaError(.range, "\(said); accepted: 1000 <= min <= target <= max <= 100000000")
    }
  }

  /// Of a target that is for all that could be made, the part for what receivers want.
  func target(_ part: Double) -> UInt64 { part < 1 ? max(least, UInt64(Double(target) * max(0, part))) : target }

  /// What the encoder of a format should make under an estimate (0: unlimited), a tenth of which is left for the rest. `times`: all layers, of which
  /// the best takes 1.
  func bitrate(for format: VideoFormat, estimate: UInt64, part: Double = 1, times layers: Double = 1) -> UInt64 {
    let best = target == 0 ? UInt64(format.pixelsPerSecond * FormatNegotiator.targetBitsPerPixel) : target(part)
    let wanted = layers == 1 ? best : UInt64(Double(best) * layers)
    let affordable = estimate == 0 ? most : min(most, estimate / 10 * 9)
    return max(least, min(wanted, affordable))
  }
}
