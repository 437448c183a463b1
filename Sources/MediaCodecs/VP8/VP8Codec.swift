import MediaCore

extension VideoCodec {
  /// VP8 (RFC 6386), by libvpx.
  public static let vp8 = VideoCodec(
    fourcc: 0x3038_5056, name: "VP8", inputFormats: [.nv12, .i420], maximumDimension: VP8Header.maximumDimension,
    makeEncoder: { settings throws(MediaError) in try VP8Encoder(settings) },
    makeDecoder: { settings throws(MediaError) in try VP8Decoder(settings) },
    parseHeader: { data throws(MediaError) in try VP8Header.parse(data).common })
}
