import CMediaSDK
import MediaCore

extension CodecClass {
  static let vp8 = CodecClass(
    "org.mediasdk.vp8", "VP8", "VP8 (RFC 6386), by libvpx", explain: { data throws(MediaError) in _ = try VP8FrameTag(ofFrame: data) }
  ) { table in
    table.kinds = UInt32(MSDK_KIND_VIDEO_ENCODER | MSDK_KIND_VIDEO_DECODER)
    table.create = { _, host, context, out in VP8Plugin.create(host, context, out) }
    table.destroy = { VP8Plugin.destroy($0) }
    table.video_encoder = UnsafePointer(KeptMemory.copy([VP8Plugin.encoderTable]))
    table.video_decoder = UnsafePointer(KeptMemory.copy([VP8Plugin.decoderTable]))
  }
}

/// An instance of the class: it encodes or decodes.
private final class VP8Plugin: CodecPlugin {
  let host: PluginHost
  private var encoder: VP8Encoder?
  private var decoder: VP8Decoder?

  init(_ host: PluginHost) {
    self.host = host
  }

  // MARK: Encoding

  static var encoderTable: msdk_video_encoder {
    var table = msdk_video_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_encoder>.size)
    table.codec = UInt32(MSDK_CODEC_VP8)
    table.dimension_max = VP8FrameTag.maximumDimension
    let formats = [PixelFormat.nv12.rawValue, PixelFormat.i420.rawValue]
    (table.pixel_formats, table.pixel_format_count) = (UnsafePointer(KeptMemory.copy(formats)), UInt32(formats.count))
    table.open_encoder = { plugin, settings in
      VP8Plugin.run(plugin) { me throws(MediaError) in
        guard let settings else { throw MediaError(.invalid, "settings is NULL") }
        me.encoder = try VP8Encoder(VideoEncoderSettings(ForeignStruct.read(settings, argument: "settings")))
      }
    }
    table.close_encoder = { plugin in VP8Plugin.run(plugin) { $0.encoder = nil } }
    table.set_rate = { plugin, bitrate, numerator, denominator in
      VP8Plugin.run(plugin) { me throws(MediaError) in
        try me.encoder?.setBitrate(bitrate)
        try me.encoder?.setFrameRate(FrameRate(numerator, denominator))
      }
    }
    table.encode = { plugin, frame, flags, out in
      VP8Plugin.with(plugin) { me throws(MediaError) in try me.encode(frame, flags, out) }
    }
    table.set_bytes_max = { plugin, bytes in
      VP8Plugin.run(plugin) { $0.encoder?.setLongestFrame(bytes == 0 ? nil : Int(clamping: bytes)) }
    }
    return table
  }

  private func encode(
    _ frame: UnsafePointer<msdk_video_frame>?, _ flags: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) throws(MediaError) -> msdk_result {
    guard let frame, let encoder else { return msdk_result(MSDK_E_STATE) }
    let result = try encoder.encode(
      frame, timestamp: frame.pointee.timestamp_ns, duration: frame.pointee.duration_ns, forceKeyFrame: flags & UInt32(MSDK_ENCODE_KEY) != 0
    ) { packet throws(MediaError) in
      var flags = (packet.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0) | (packet.isDroppable ? UInt32(MSDK_ENCODED_DROPPABLE) : 0)
      if encoder.settings.isScreen, !encoder.isSharp { flags |= UInt32(MSDK_ENCODED_COARSE) }
      return host.give(packet.data, flags: flags, out)
    }
    return result ?? msdk_result(MSDK_E_AGAIN)
  }

  // MARK: Decoding

  static var decoderTable: msdk_video_decoder {
    var table = msdk_video_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_decoder>.size)
    table.codec = UInt32(MSDK_CODEC_VP8)
    table.open_decoder = { plugin, settings in
      VP8Plugin.run(plugin) { me throws(MediaError) in
        guard let settings else { throw MediaError(.invalid, "settings is NULL") }
        let native = try ForeignStruct.read(settings, argument: "settings")
        me.decoder = try VP8Decoder(VideoDecoderSettings(threads: Int(native.threads), maximumPixels: native.pixels_max))
      }
    }
    table.close_decoder = { plugin in VP8Plugin.run(plugin) { $0.decoder = nil } }
    table.decode = { plugin, frame, out in
      VP8Plugin.with(plugin) { me throws(MediaError) in try me.decode(frame, out) }
    }
    table.parse_header = { data, size, out in
      VP8Plugin.parse(data, size, into: out) { data throws(MediaError) in
        let tag = try VP8FrameTag(ofFrame: data)
        var header = msdk_encoded_header()
        header.flags = tag.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
        (header.width, header.height, header.is_shown) = (UInt32(tag.width), UInt32(tag.height), tag.isShown ? 1 : 0)
        return header
      }
    }
    return table
  }

  private func decode(
    _ frame: UnsafePointer<msdk_encoded_frame>?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>?
  ) throws(MediaError) -> msdk_result {
    guard let frame, let decoder else { return msdk_result(MSDK_E_STATE) }
    guard let picture = try decoder.decode(VP8Plugin.bytes(frame.pointee.data, frame.pointee.size)) else { return msdk_result(MSDK_OK) }
    guard !picture.isCorrupt else { throw MediaError(.corrupt, "the frame is damaged") }
    // Without a release function: the decoder's memory is as it is until the next call, and by then the host is done with it.
    return try picture.withFrame(color: ColorSpace()) { shown throws(MediaError) in
      var external = msdk_external_frame()
      external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
      external.plane_count = shown.pointee.plane_count
      external.plane = shown.pointee.plane
      external.format = shown.pointee.format
      let result = host.table.pointee.video_frame_wrap?(host.context, &external, out) ?? msdk_result(MSDK_E_UNSUPPORTED)
      guard result >= 0 else { throw MediaError(Status(foreign: result), "wrapping a frame of \(picture.width)x\(picture.height)") }
      return result
    }
  }
}
