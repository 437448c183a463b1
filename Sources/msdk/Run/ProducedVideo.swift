import MediaCodecs
import MediaCore
import MediaPlugins
import MediaSDK

/// What a command sends of a video producer: raw frames, which the SDK encodes, or frames that the producer has encoded, which it sends
/// unchanged.
struct ProducedVideo {
  /// What the command line asks for.
  struct Wishes {
    /// nil: VP8, or the producer's own.
    var codec: Codec?
    var size: Size?
    var frameRate: FrameRate?
    /// Bits a second; nil leaves it to the SDK.
    var bitrate: UInt64?
    var hasFilters = false
    var kind = VideoKind.virtual
  }

  let producer: PluginInstance
  let codec: Codec
  let format: VideoFormat
  /// Of the stream.
  let options: OutgoingVideoOptions

  init(of producer: PluginInstance, _ wishes: Wishes, codecs: Codecs) throws(MediaError) {
    self.producer = producer
    codec = try producer.isEncodedProducer ? ProducedVideo.codec(of: producer, wishes, codecs) : wishes.codec ?? .vp8
    let choice = FormatChoice(size: wishes.size, frameRate: wishes.frameRate, codec: codec, codecs: codecs, kind: wishes.kind)
    format = try choice.agree(with: producer)
    var options = OutgoingVideoOptions(formats: [format])
    options.kind = wishes.kind
    options.limits = .extended
    options.codec = codec.fourcc
    options.isEncodedInput = producer.isEncodedProducer
    // Those that come between two looks at them.
    options.reportCapacity = 1024
    if let bitrate = wishes.bitrate { options.bitrate.aim(at: bitrate) }
    self.options = options
  }

  /// Whether the frames are the producer's own, encoded.
  var isPassedThrough: Bool { options.isEncodedInput }

  /// Of encoded frames the pixel format is of no meaning.
  var formatText: String {
    isPassedThrough ? "\(format.width)x\(format.height) at \(format.frameRate) frames/s" : "\(format.description) frames/s"
  }

  var codecText: String {
    codec == .raw ? "none: raw frames" : codec.name.uppercased() + (isPassedThrough ? ", encoded by the producer" : "")
  }

  /// Nothing of what is encoded already can be chosen here.
  private static func codec(of producer: PluginInstance, _ wishes: Wishes, _ codecs: Codecs) throws(MediaError) -> Codec {
    let codec = Codec(fourcc: producer.producedCodec)
    let makes = "class \(producer.descriptor.id) makes frames of codec \(codec.name)"
    let refused = [
      ("--codec \(wishes.codec?.name ?? "")", wishes.codec.map { $0 != codec } ?? false), ("--size", wishes.size != nil),
      ("--fps", wishes.frameRate != nil), ("--bitrate", wishes.bitrate != nil), ("--filter", wishes.hasFilters)
    ].filter(\.1).map(\.0)
    guard refused.isEmpty else {
      throw MediaError(.unsupported, "\(makes), which are sent unchanged; accepted: without \(refused.joined(separator: ", "))")
    }
    // What is sent is looked into for its key frames and sizes.
    guard codecs.decoderOfVideo(codec.fourcc) != nil else {
      let known = codecs.video.filter { $0.decoder != nil }.map { "\($0.name) (\($0.fourccText))" }
      throw MediaError(.unsupported, "\(makes), for which there is no decoder here; there are \(known.joined(separator: ", "))")
    }
    return codec
  }
}
