import CVPX
import MediaCore

/// libvpx's VP8 decoder. Used by one thread at a time, which may change.
final class VP8Decoder: @unchecked Sendable {
  private let settings: VideoDecoderSettings
  // libvpx keeps the address of the context, so it lives in memory that does not move.
  private let context: UnsafeMutablePointer<vpx_codec_ctx_t>
  private var isOpen = false
  /// True until the first key frame, and after data that could not be decoded until the next one: any other frame is then refused.
  private(set) var needsKeyFrame = true

  init(_ settings: VideoDecoderSettings = VideoDecoderSettings()) throws(MediaError) {
    guard 1...64 ~= settings.threads else {
      throw MediaError(.range, "the VP8 decoder's threads are \(settings.threads); accepted: 1..64")
    }
    self.settings = settings
    context = .allocate(capacity: 1)
    context.initialize(to: vpx_codec_ctx_t())
    try open()
  }

  deinit {
    close()
    context.deallocate()
  }

  /// The picture is in memory of the decoder, valid until the next call; nil for a frame that is not to be shown. Data that is no frame, or is
  /// damaged beyond decoding, is `.corrupt`; a frame that builds on one the decoder does not have, `.state`.
  func decode(_ data: UnsafeRawBufferPointer) throws(MediaError) -> DecodedFrame? {
    do {
      try admit(data)
    } catch {
      // Whatever it was, the frames after it may build on it.
      needsKeyFrame = true
      throw error
    }
    let bytes = data.assumingMemoryBound(to: UInt8.self).baseAddress
    let status = vpx_codec_decode(context, bytes, UInt32(data.count), nil, 0)
    guard status == VPX_CODEC_OK else { throw broken(status) }
    needsKeyFrame = false
    return try takePicture()
  }

  /// Refuses what libvpx need not see, and makes a decoder where the last one was given up.
  private func admit(_ data: UnsafeRawBufferPointer) throws(MediaError) {
    guard UInt32(exactly: data.count) != nil else {
      throw MediaError(.corrupt, "VP8 frame of \(data.count) bytes; accepted: up to \(UInt32.max)")
    }
    let header = try VP8FrameTag(ofFrame: data)
    guard header.isKeyFrame else {
      if needsKeyFrame { throw MediaError(.state, "VP8 frame that refers to earlier frames; the decoder needs a key frame first") }
      return
    }
    guard UInt64(header.width) * UInt64(header.height) <= settings.maximumPixels else {
      throw MediaError(
        .limit, "VP8 key frame of \(header.width)x\(header.height); this decoder accepts at most \(settings.maximumPixels) pixels")
    }
    if !isOpen { try open() }
  }

  private func takePicture() throws(MediaError) -> DecodedFrame? {
    var iterator: vpx_codec_iter_t?
    guard let image = vpx_codec_get_frame(context, &iterator) else { return nil }
    guard image.pointee.fmt == VPX_IMG_FMT_I420, let y = image.pointee.planes.0, let u = image.pointee.planes.1,
      let v = image.pointee.planes.2
    else {
      throw MediaError(.unsupported, "VP8 frame in libvpx format \(image.pointee.fmt.rawValue); accepted: I420")
    }
    var corrupt: Int32 = 0
    let status = cvpx_get(context, Int32(VP8D_GET_FRAME_CORRUPTED.rawValue), &corrupt)
    return DecodedFrame(
      width: image.pointee.d_w, height: image.pointee.d_h, planes: (y, u, v),
      strides: (image.pointee.stride.0, image.pointee.stride.1, image.pointee.stride.2),
      isCorrupt: status != VPX_CODEC_OK || corrupt != 0)
  }

  /// After an error libvpx's reference pictures are of no use, and its state is trusted no further: the next key frame gets a new decoder.
  private func broken(_ status: vpx_codec_err_t) -> MediaError {
    let error = vpxError("decoding a VP8 frame", status, context)
    needsKeyFrame = true
    close()
    return error.status == .noMemory ? error : MediaError(.corrupt, error.text)
  }

  private func open() throws(MediaError) {
    // The size is that of the first key frame.
    var config = vpx_codec_dec_cfg_t(threads: UInt32(settings.threads), w: 0, h: 0)
    let status = cvpx_vp8_decoder_init(context, &config)
    guard status == VPX_CODEC_OK else { throw vpxError("making a VP8 decoder", status, context) }
    isOpen = true
  }

  private func close() {
    if isOpen { vpx_codec_destroy(context) }
    isOpen = false
  }
}
