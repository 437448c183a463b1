import CMediaSDK
import CVPX
import MediaCore

/// The bytes of one encoded frame, in memory of the encoder.
struct EncodedPacket {
  let data: UnsafeRawBufferPointer
  let isKeyFrame: Bool
  /// No later frame refers to this one.
  let isDroppable: Bool
}

/// libvpx's VP8 encoder: one pass, constant bit rate, no frame of delay. Used by one thread at a time, which may change.
final class VP8Encoder: @unchecked Sendable {
  let settings: VideoEncoderSettings
  var config: vpx_codec_enc_cfg_t
  // libvpx keeps the address of the context, so it lives in memory that does not move.
  let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private var clock: VP8EncoderClock
  /// Until libvpx refuses it; the tests clear it to see what then happens.
  var takesNV12 = true
  private var copy: I420Copy?
  /// Of two temporal layers, that the next frame is of the upper one.
  private var isUpper = false
  /// Of a shared screen: how much of it was sent coarsely, as it would not have left in time.
  var screen: RowRefinement?
  var longestFrame: Int?
  /// When all that was made of it has left at the bitrate, in libvpx's time.
  var leavesAt = Int64.min
  /// Of which a part is blurred.
  var blurred: I420Copy?
  let plainQuantizers: (UInt32, UInt32)

  init(_ settings: VideoEncoderSettings) throws(MediaError) {
    var config = try vp8Config(settings)
    let context = UnsafeMutablePointer<vpx_codec_ctx_t>.allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    let status = cvpx_vp8_encoder_init(context, &config)
    guard status == VPX_CODEC_OK else {
      let error = vpxError("making a VP8 encoder of \(settings.width)x\(settings.height)", status, context)
      context.deallocate()
      throw error
    }
    self.settings = settings
    self.config = config
    self.context = context
    plainQuantizers = (config.rc_min_quantizer, config.rc_max_quantizer)
    clock = VP8EncoderClock(settings.frameRate)
    if settings.isScreen { screen = RowRefinement(rows: (Int(settings.height) + 15) / 16) }
    try setControls()
  }

  private func setControls() throws(MediaError) {
    for (control, value) in vp8Controls(settings) {
      let status = cvpx_set(context, Int32(control), value)
      guard status == VPX_CODEC_OK else { throw vpxError("setting VP8 encoder control \(control) to \(value)", status, context) }
    }
  }

  /// Begins anew with the settings of now, as if nothing had been encoded.
  func restart() throws(MediaError) {
    vpx_codec_destroy(context)
    context.pointee = vpx_codec_ctx_t()
    let status = cvpx_vp8_encoder_init(context, &config)
    guard status == VPX_CODEC_OK else {
      throw vpxError("reconfiguring the VP8 encoder for \(settings.width)x\(settings.height)", status, nil)
    }
    try setControls()
    try limitKeyFrames()
  }

  deinit {
    vpx_codec_destroy(context)
    context.deallocate()
  }

  /// Bits a second, from the next frame on.
  func setBitrate(_ bitsPerSecond: UInt64) throws(MediaError) {
    let kilobits = try vp8Kilobits(bitsPerSecond)
    guard kilobits != config.rc_target_bitrate else { return }
    config.rc_target_bitrate = kilobits
    if settings.temporalLayers > 1 { vp8Layer(&config) }
    let status = vpx_codec_enc_config_set(context, &config)
    guard status == VPX_CODEC_OK else { throw vpxError("setting the VP8 bit rate to \(bitsPerSecond)", status, context) }
  }

  /// What a frame of a screen is to take at most, so that it leaves in time; nil: as much as it needs. From the next one on.
  func setLongestFrame(_ bytes: Int?) { longestFrame = bytes }

  /// The rate that is expected from the next frame on.
  func setFrameRate(_ frameRate: FrameRate) throws(MediaError) {
    guard frameRate != clock.frameRate else { return }
    clock.frameRate = frameRate
    try limitKeyFrames()
  }

  private func limitKeyFrames() throws(MediaError) {
    let frameRate = clock.frameRate
    let value = vp8MaximumIntraPercent(frameRate)
    let status = cvpx_set(context, Int32(VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue), value)
    guard status == VPX_CODEC_OK else { throw vpxError("setting the VP8 frame rate to \(frameRate)", status, context) }
  }

  /// Whether the last frame was encoded so finely that text is sharp in it.
  var isSharp: Bool {
    if screen?.isCoarse == true { return false }
    return lastQuantizer.map { $0 <= vp8SharpQuantizer } ?? false
  }

  /// Of the last frame, from 0 to 63.
  var lastQuantizer: Int32? {
    var quantizer: Int32 = 0
    let status = cvpx_get(context, Int32(VP8E_GET_LAST_QUANTIZER_64.rawValue), &quantizer)
    return status == VPX_CODEC_OK ? quantizer : nil
  }

  /// Encodes a frame of the encoder's size and hands the bytes to `body`, valid inside it only; nil when the rate control dropped the frame. Times
  /// are nanoseconds; they need not be even and steer the rate control only. A duration of 0 is read as one frame of the frame rate.
  func encode<Result>(
    _ frame: UnsafePointer<msdk_video_frame>, timestamp: Int64, duration: Int64, forceKeyFrame: Bool,
    body: (EncodedPacket) throws(MediaError) -> Result
  ) throws(MediaError) -> Result? {
    let picture = try Picture(frame.pointee, argument: "the frame")
    guard picture.width == Int(settings.width), picture.height == Int(settings.height) else {
      throw MediaError(
        .format, "the frame is \(picture.width)x\(picture.height); this encoder was made for \(settings.width)x\(settings.height)")
    }
    let span = clock.next(timestamp: timestamp, duration: duration)
    let packet = screen == nil ? try encodeOnce(picture, span, forceKeyFrame) : try encodeScreen(picture, span, forceKeyFrame)
    guard let packet else { return nil }
    return try body(packet)
  }

  /// Valid until the next call.
  func encodeOnce(_ picture: Picture, _ span: VP8EncoderClock.Span, _ forceKeyFrame: Bool) throws(MediaError) -> EncodedPacket? {
    if settings.temporalLayers > 1 {
      try check(cvpx_set(context, Int32(VP8E_SET_TEMPORAL_LAYER_ID.rawValue), isUpper && !forceKeyFrame ? 1 : 0))
    }
    switch picture.format {
    case .nv12: try encodeNV12(picture, span, forceKeyFrame)
    case .i420: try check(encode(picture, span, forceKeyFrame))
    default: throw MediaError(.format, "the frame is \(picture.format.name); the VP8 encoder accepts NV12 and I420")
    }
    let packet = takePacket()
    isUpper = settings.temporalLayers > 1 && (!isUpper || forceKeyFrame || packet?.isKeyFrame == true)
    return packet
  }

  /// libvpx from 1.9 on takes NV12 as it is. An older one says so at the first frame, and from then on gets a converted copy.
  private func encodeNV12(_ picture: Picture, _ span: VP8EncoderClock.Span, _ forceKeyFrame: Bool) throws(MediaError) {
    if takesNV12 {
      let status = encode(picture, span, forceKeyFrame)
      guard status == VPX_CODEC_INVALID_PARAM, copy == nil else { return try check(status) }
      takesNV12 = false
    }
    let copy = self.copy ?? I420Copy(width: picture.width, height: picture.height, color: picture.color)
    self.copy = copy
    try PixelConversion.convert(picture, into: copy.picture, scratch: copy.scratch)
    try check(encode(copy.picture, span, forceKeyFrame))
  }

  private func encode(_ picture: Picture, _ span: VP8EncoderClock.Span, _ forceKeyFrame: Bool) -> vpx_codec_err_t {
    // vpx_img_wrap works out the planes from one address and gets the chroma of odd widths wrong, so the image is filled in here.
    var image = vpx_image_t()
    image.fmt = picture.format == .nv12 ? VPX_IMG_FMT_NV12 : VPX_IMG_FMT_I420
    image.bit_depth = 8
    image.bps = 12
    image.w = UInt32(picture.width)
    image.h = UInt32(picture.height)
    image.d_w = image.w
    image.d_h = image.h
    image.x_chroma_shift = 1
    image.y_chroma_shift = 1
    // The third plane of NV12 is the second, one byte on: by that libvpx sees that the two are interleaved.
    let nv12 = picture.format == .nv12
    image.planes.0 = picture.plane0
    image.planes.1 = picture.plane1
    image.planes.2 = nv12 ? picture.plane1 + 1 : picture.plane2
    image.stride.0 = picture.stride0
    image.stride.1 = picture.stride1
    image.stride.2 = nv12 ? picture.stride1 : picture.stride2
    let flags = forceKeyFrame ? Int(VPX_EFLAG_FORCE_KF) : settings.temporalLayers == 1 ? 0 : isUpper ? vp8UpperFlags : vp8BaseFlags
    return vpx_codec_encode(context, &image, span.start, span.length, vpx_enc_frame_flags_t(flags), UInt(VPX_DL_REALTIME))
  }

  private func check(_ status: vpx_codec_err_t) throws(MediaError) {
    guard status == VPX_CODEC_OK else { throw vpxError("encoding a VP8 frame", status, context) }
  }

  /// Without lag there is one packet a frame at most.
  private func takePacket() -> EncodedPacket? {
    var iterator: vpx_codec_iter_t?
    while let packet = vpx_codec_get_cx_data(context, &iterator) {
      guard packet.pointee.kind == VPX_CODEC_CX_FRAME_PKT else { continue }
      let frame = packet.pointee.data.frame
      guard frame.sz > 0 else { return nil }
      return EncodedPacket(
        data: UnsafeRawBufferPointer(start: frame.buf, count: frame.sz), isKeyFrame: frame.flags & UInt32(VPX_FRAME_IS_KEY) != 0,
        isDroppable: frame.flags & UInt32(VPX_FRAME_IS_DROPPABLE) != 0)
    }
    return nil
  }
}

/// The copy that a libvpx without NV12 needs, and one that is changed before it is encoded.
final class I420Copy {
  let picture: Picture
  let scratch = ConversionScratch()
  private let memory = ConversionScratch()

  init(width: Int, height: Int, color: ColorSpace) {
    picture = Picture(.i420, width: width, height: height, color: color, in: memory, slot: .picture)
  }
}
