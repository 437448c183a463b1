import MediaCodecs
import MediaCore
import MediaPlugins

/// Which format a producer is to make: its own, as far as nothing else is asked for and the codec takes it.
struct FormatChoice {
  let size: Size?
  let frameRate: FrameRate?
  let codec: Codec
  let codecs: Codecs

  private static let mostFormats: UInt32 = 256

  /// Agreed on with the producer, so that its refusal is heard before anything is sent.
  func agree(with producer: PluginInstance) throws(MediaError) -> VideoFormat {
    try producer.initialiseProducer()
    let format = try choose(for: producer)
    try producer.setProducerFormat(format)
    return format
  }

  private func choose(for producer: PluginInstance) throws(MediaError) -> VideoFormat {
    let offered = try FormatChoice.formats(of: producer)
    guard let own = try FormatChoice.ownFormat(of: producer, offered) else {
      throw MediaError(.format, "\(producer.descriptor.id) tells no format that it makes")
    }
    let accepted = codec == .none ? PixelFormat.allCases : try codecs.encodableVideo(codec.fourcc).inputFormats
    var wanted = own
    if let size { (wanted.width, wanted.height) = (size.width, size.height) }
    let fitting = ([own] + offered).first { format in
      format.width == wanted.width && format.height == wanted.height && accepted.contains(format.pixelFormat)
    }
    if let fitting {
      wanted = fitting
    } else if !accepted.contains(wanted.pixelFormat), let other = accepted.first {
      wanted.pixelFormat = other
    }
    // One that has no rate of its own is asked for the usual one.
    wanted.frameRate = frameRate ?? (wanted.frameRate.isKnown ? wanted.frameRate : FrameRate(30))
    return wanted
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
