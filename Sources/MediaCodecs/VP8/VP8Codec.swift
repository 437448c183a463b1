import MediaCore

extension VideoCodec {
  /// VP8 (RFC 6386), by libvpx.
  public static let vp8 = VideoCodec(
    fourcc: 0x3038_5056, name: "VP8", inputFormats: [.nv12, .i420], maximumDimension: VP8FrameTag.maximumDimension,
    makeEncoder: { settings throws(MediaError) in try VP8Encoder(settings) },
    makeDecoder: { settings throws(MediaError) in try VP8Decoder(settings) },
    parseHeader: { data throws(MediaError) in
      let tag = try VP8FrameTag(ofFrame: data)
      return EncodedHeader(isKeyFrame: tag.isKeyFrame, isShown: tag.isShown, width: UInt32(tag.width), height: UInt32(tag.height))
    })
}
