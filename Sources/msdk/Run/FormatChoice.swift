import MediaCodecs
import MediaCore
import MediaPlugins

/// Which format a producer is to make: its own, as far as nothing else is asked for; one that the codec takes as it is, if it has one.
struct FormatChoice {
  let size: Size?
  let frameRate: FrameRate?
  let codec: Codec
  let codecs: Codecs
  var kind = VideoKind.virtual

  private static let mostFormats: UInt32 = 256

  /// Agreed on with the producer, so that its refusal is heard before anything is sent.
  func agree(with producer: PluginInstance) throws(MediaError) -> VideoFormat {
    try producer.initialiseProducer()
    let format = try choose(for: producer)
    // As the stream will have it, but with an error that says where it can be changed.
    try VideoLimits.extended.check(format, of: kind, argument: "the video format (--size, --fps, or the producer's own)")
    try producer.setProducerFormat(format)
    return format
  }

  private func choose(for producer: PluginInstance) throws(MediaError) -> VideoFormat {
    let offered = try FormatChoice.formats(of: producer)
    guard let own = try FormatChoice.ownFormat(of: producer, offered) else {
      throw MediaError(.format, "\(producer.descriptor.id) reports no format")
    }
    let accepted = try codec == .raw || producer.isEncodedProducer ? PixelFormat.allCases : encodedFormats()
    var wanted = own
    if let size { (wanted.width, wanted.height) = (size.width, size.height) }
    let fitting = ([own] + offered).first { format in
      format.width == wanted.width && format.height == wanted.height && accepted.contains(format.pixelFormat)
    }
    // What the codec does not take as it is, the stream converts.
    if let fitting { wanted = fitting }
    // One that has no rate of its own is asked for the usual one.
    wanted.frameRate = frameRate ?? (wanted.frameRate.isKnown ? wanted.frameRate : FrameRate(30))
    return wanted
  }

  private func encodedFormats() throws(MediaError) -> [PixelFormat] {
    let encoders = codecs.video.filter { $0.encoder != nil }
    guard let found = encoders.first(where: { $0.fourcc == codec.fourcc }) else {
      let names = encoders.map { "\($0.name) (\($0.fourccText))" }
      let text = "--codec is \(codec.name), which cannot be encoded here; there are \(names.joined(separator: ", "))"
      throw MediaError(.unsupported, NextStep.trying("msdk doctor", after: text))
    }
    return found.inputFormats
  }

  private static func formats(of producer: PluginInstance) throws(MediaError) -> [VideoFormat] {
    var formats: [VideoFormat] = []
    for index in 0..<mostFormats {
      guard let format = try producer.producerFormat(at: index) else { break }
      formats.append(format)
    }
    return formats
  }

  private static func ownFormat(of producer: PluginInstance, _ offered: [VideoFormat]) throws(MediaError) -> VideoFormat? {
    do throws(MediaError) {
      return try producer.captureSettings() ?? offered.first
    } catch {
      guard let first = offered.first else { throw error }
      return first
    }
  }
}
