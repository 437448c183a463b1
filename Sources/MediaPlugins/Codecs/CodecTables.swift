import CMediaSDK
import MediaCore

/// The tables of codecs, with all the functions that the core relies on; nil for the kinds that a class is not of.
extension PluginTable {
  private static let mostPixelFormats: UInt32 = 16
  private static let mostSampleRates: UInt32 = 16

  static func videoEncoder(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_video_encoder? {
    guard table.kinds & UInt32(MSDK_KIND_VIDEO_ENCODER) != 0 else { return nil }
    let encoder = try read(table.video_encoder, "\(argument).video_encoder")
    try check(encoder.flags, "\(argument).video_encoder")
    try check(reserved: encoder.reserved0, "\(argument).video_encoder")
    guard encoder.open_encoder != nil, encoder.close_encoder != nil, encoder.set_rate != nil, encoder.encode != nil else {
      throw MediaError(.abi, "\(argument).video_encoder lacks one of open_encoder, close_encoder, set_rate and encode")
    }
    try check(codec: encoder.codec, "\(argument).video_encoder")
    return encoder
  }

  static func videoDecoder(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_video_decoder? {
    guard table.kinds & UInt32(MSDK_KIND_VIDEO_DECODER) != 0 else { return nil }
    let decoder = try read(table.video_decoder, "\(argument).video_decoder")
    try check(decoder.flags, "\(argument).video_decoder")
    try check(reserved: decoder.reserved0, "\(argument).video_decoder")
    guard decoder.open_decoder != nil, decoder.close_decoder != nil, decoder.decode != nil, decoder.parse_header != nil else {
      throw MediaError(.abi, "\(argument).video_decoder lacks one of open_decoder, close_decoder, decode and parse_header")
    }
    try check(codec: decoder.codec, "\(argument).video_decoder")
    return decoder
  }

  static func audioEncoder(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_audio_encoder? {
    guard table.kinds & UInt32(MSDK_KIND_AUDIO_ENCODER) != 0 else { return nil }
    let encoder = try read(table.audio_encoder, "\(argument).audio_encoder")
    try check(encoder.flags, "\(argument).audio_encoder")
    guard encoder.open_encoder != nil, encoder.close_encoder != nil, encoder.set_rate != nil, encoder.encode != nil else {
      throw MediaError(.abi, "\(argument).audio_encoder lacks one of open_encoder, close_encoder, set_rate and encode")
    }
    try check(codec: encoder.codec, "\(argument).audio_encoder")
    return encoder
  }

  static func audioDecoder(of table: msdk_class, _ argument: String) throws(MediaError) -> msdk_audio_decoder? {
    guard table.kinds & UInt32(MSDK_KIND_AUDIO_DECODER) != 0 else { return nil }
    let decoder = try read(table.audio_decoder, "\(argument).audio_decoder")
    try check(decoder.flags, "\(argument).audio_decoder")
    try check(reserved: decoder.reserved0, "\(argument).audio_decoder")
    guard decoder.open_decoder != nil, decoder.close_decoder != nil, decoder.decode != nil, decoder.conceal != nil,
      decoder.parse_header != nil
    else {
      throw MediaError(.abi, "\(argument).audio_decoder lacks one of open_decoder, close_decoder, decode, conceal and parse_header")
    }
    try check(codec: decoder.codec, "\(argument).audio_decoder")
    return decoder
  }

  private static func check(codec: UInt32, _ argument: String) throws(MediaError) {
    guard codec != 0, codec != FourCC.raw else {
      throw MediaError(.abi, "\(argument).codec is \(codec == 0 ? "0" : "MSDK_CODEC_RAW"); accepted: the fourcc of a codec")
    }
  }

  /// Those that are known here, in the encoder's order.
  static func pixelFormats(of encoder: msdk_video_encoder?, _ argument: String) throws(MediaError) -> [PixelFormat] {
    guard let encoder else { return [] }
    guard 1...mostPixelFormats ~= encoder.pixel_format_count, let list = encoder.pixel_formats else {
      let count = encoder.pixel_formats == nil ? "no" : "\(encoder.pixel_format_count)"
      throw MediaError(.abi, "\(argument).video_encoder has \(count) pixel_formats; accepted: 1..\(mostPixelFormats)")
    }
    var formats: [PixelFormat] = []
    for number in UnsafeBufferPointer(start: list, count: Int(encoder.pixel_format_count)) {
      if let format = PixelFormat(rawValue: number), !formats.contains(format) { formats.append(format) }
    }
    guard !formats.isEmpty else {
      throw MediaError(.abi, "\(argument).video_encoder.pixel_formats names none of MSDK_PIXEL_*; accepted: one or more")
    }
    return formats
  }

  static func sampleRates(of encoder: msdk_audio_encoder?, _ argument: String) throws(MediaError) -> [UInt32] {
    guard let encoder else { return [] }
    guard 1...mostSampleRates ~= encoder.sample_rate_count, let list = encoder.sample_rates else {
      let count = encoder.sample_rate_count
      throw MediaError(
        .abi,
        "\(argument).audio_encoder has \(encoder.sample_rates == nil ? "no" : "\(count)") sample_rates; accepted: 1..\(mostSampleRates)")
    }
    let rates = Array(UnsafeBufferPointer(start: list, count: Int(encoder.sample_rate_count)))
    // Packets of 2.5 ms are a whole number of samples at multiples of 400.
    for rate in rates where !(8000...192_000 ~= rate && rate % 400 == 0) {
      throw MediaError(.abi, "\(argument).audio_encoder.sample_rates has \(rate); accepted: multiples of 400, 8000..192000")
    }
    return rates
  }
}

extension ClassDescriptor {
  /// How many encoded frames of an instance may be in use: pictures, or 60 s of packets of 10 ms and some; nil for what encodes nothing.
  package var mostEncodedFrames: Int? {
    audioEncoder != nil ? 8192 : videoEncoder != nil || isEncodedProducer ? 256 : nil
  }

  /// Whether it is a producer of video whose frames come encoded.
  public var isEncodedProducer: Bool { (producer?.flags ?? 0) & UInt32(MSDK_PRODUCER_ENCODED) != 0 }

  /// Whether it is the library's own.
  package var isBuiltIn: Bool { module === BuiltInModule.loaded?.module }

  /// The largest width and height that an encoder takes.
  public var maximumDimension: UInt32 {
    let most = UInt32(MSDK_DIMENSION_MAX)
    guard let dimension = videoEncoder?.dimension_max, dimension != 0 else { return most }
    return min(dimension, most)
  }
}
