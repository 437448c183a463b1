import CMediaSDK
import MediaCodecs
import MediaCore

/// A codec of `VideoCodec.all` as a class of plugin.h: one instance encodes or decodes.
final class BuiltInVideo: BuiltInCodec {
  private static let formats = [PixelFormat.nv12.rawValue, PixelFormat.i420.rawValue]
  nonisolated(unsafe) private static let keptFormats = UnsafePointer(KeptMemory.copy(formats))

  private let codec: VideoCodec
  private var encoder: (any VideoEncoder)?
  private var decoder: (any VideoDecoder)?
  private var isScreen = false
  private var bitrate: UInt64 = 0
  private var frameRate = FrameRate(0)

  private init(_ codec: VideoCodec, _ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.codec = codec
    super.init(host, context)
  }

  static func create(
    _ codec: VideoCodec, _ host: UnsafePointer<msdk_host>?, _ context: OpaquePointer?, _ out: UnsafeMutablePointer<OpaquePointer?>?
  ) -> msdk_result {
    guard let host, let context, let out else { return msdk_result(MSDK_E_INVALID) }
    out.pointee = OpaquePointer(Unmanaged.passRetained(BuiltInVideo(codec, host, context)).toOpaque())
    return msdk_result(MSDK_OK)
  }

  static func destroy(_ plugin: OpaquePointer?) {
    if let plugin { Unmanaged<BuiltInVideo>.fromOpaque(UnsafeRawPointer(plugin)).release() }
  }

  @inline(__always)
  private static func with(_ plugin: OpaquePointer?, _ body: (BuiltInVideo) -> msdk_result) -> msdk_result {
    guard let plugin else { return msdk_result(MSDK_E_INVALID) }
    return Unmanaged<BuiltInVideo>.fromOpaque(UnsafeRawPointer(plugin))._withUnsafeGuaranteedRef(body)
  }

  // MARK: Encoding

  static func encoder(_ codec: VideoCodec) -> msdk_video_encoder {
    var table = msdk_video_encoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_encoder>.size)
    table.codec = codec.fourcc
    table.dimension_max = codec.maximumDimension
    (table.pixel_formats, table.pixel_format_count) = (keptFormats, UInt32(formats.count))
    table.open_encoder = { plugin, settings in BuiltInVideo.with(plugin) { $0.openEncoder(settings) } }
    table.close_encoder = { plugin in
      BuiltInVideo.with(plugin) { codec in
        codec.encoder = nil
        return msdk_result(MSDK_OK)
      }
    }
    table.set_rate = { plugin, bitrate, numerator, denominator in
      BuiltInVideo.with(plugin) { $0.setRate(bitrate, FrameRate(numerator, denominator)) }
    }
    table.encode = { plugin, frame, flags, out in BuiltInVideo.with(plugin) { $0.encode(frame, flags, out) } }
    table.set_bytes_max = { plugin, bytes in
      BuiltInVideo.with(plugin) { codec in
        codec.encoder?.setLongestFrame(bytes == 0 ? nil : Int(clamping: bytes))
        return msdk_result(MSDK_OK)
      }
    }
    return table
  }

  private func openEncoder(_ settings: UnsafePointer<msdk_video_encoder_settings>?) -> msdk_result {
    run { () throws(MediaError) in
      guard let settings else { throw MediaError(.invalid, "settings is NULL") }
      let wanted = try VideoEncoderSettings(ForeignStruct.read(settings, argument: "settings"))
      encoder = try codec.makeEncoder(wanted)
      isScreen = wanted.isScreen
      bitrate = wanted.targetBitrate
      frameRate = wanted.frameRate
    }
  }

  private func setRate(_ bitrate: UInt64, _ frameRate: FrameRate) -> msdk_result {
    run { () throws(MediaError) in
      if bitrate != self.bitrate { try encoder?.setBitrate(bitrate) }
      if frameRate != self.frameRate { try encoder?.setFrameRate(frameRate) }
      self.bitrate = bitrate
      self.frameRate = frameRate
    }
  }

  private func encode(
    _ frame: UnsafePointer<msdk_video_frame>?, _ flags: UInt32, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>?
  ) -> msdk_result {
    guard let frame, let encoder else { return msdk_result(MSDK_E_STATE) }
    var result = msdk_result(MSDK_E_AGAIN)
    let outcome = run { () throws(MediaError) in
      _ = try encoder.encode(
        frame, timestamp: frame.pointee.timestamp_ns, duration: frame.pointee.duration_ns,
        forceKeyFrame: flags & UInt32(MSDK_ENCODE_KEY) != 0
      ) { packet throws(MediaError) in
        var flags = (packet.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0) | (packet.isDroppable ? UInt32(MSDK_ENCODED_DROPPABLE) : 0)
        if isScreen, !encoder.isSharp { flags |= UInt32(MSDK_ENCODED_COARSE) }
        result = give(packet.data, flags: flags, out)
      }
    }
    return outcome < 0 ? outcome : result
  }

  // MARK: Decoding

  /// All but parse_header, which has no instance to tell the codec by.
  static func decoder(_ codec: VideoCodec) -> msdk_video_decoder {
    var table = msdk_video_decoder()
    table.struct_size = UInt32(MemoryLayout<msdk_video_decoder>.size)
    table.codec = codec.fourcc
    table.open_decoder = { plugin, settings in BuiltInVideo.with(plugin) { $0.openDecoder(settings) } }
    table.close_decoder = { plugin in
      BuiltInVideo.with(plugin) { codec in
        codec.decoder = nil
        return msdk_result(MSDK_OK)
      }
    }
    table.decode = { plugin, frame, out in BuiltInVideo.with(plugin) { $0.decode(frame, out) } }
    return table
  }

  private func openDecoder(_ settings: UnsafePointer<msdk_video_decoder_settings>?) -> msdk_result {
    run { () throws(MediaError) in
      guard let settings else { throw MediaError(.invalid, "settings is NULL") }
      let native = try ForeignStruct.read(settings, argument: "settings")
      decoder = try codec.makeDecoder(VideoDecoderSettings(threads: Int(native.threads), maximumPixels: native.pixels_max))
    }
  }

  private func decode(
    _ frame: UnsafePointer<msdk_encoded_frame>?, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>?
  ) -> msdk_result {
    guard let frame, let decoder else { return msdk_result(MSDK_E_STATE) }
    return run { () throws(MediaError) in
      let bytes = UnsafeRawBufferPointer(start: frame.pointee.data, count: Int(clamping: frame.pointee.size))
      guard let picture = try decoder.decode(bytes) else { return }
      guard !picture.isCorrupt else { throw MediaError(.corrupt, "the frame is damaged") }
      // Without a release function: the decoder's memory is as it is until the next call, and by then the host is done with it.
      try picture.withFrame(color: ColorSpace()) { shown throws(MediaError) in
        var external = msdk_external_frame()
        external.struct_size = UInt32(MemoryLayout<msdk_external_frame>.size)
        external.plane_count = shown.pointee.plane_count
        external.plane = shown.pointee.plane
        external.format = shown.pointee.format
        let result = host.pointee.video_frame_wrap?(context, &external, out) ?? msdk_result(MSDK_E_UNSUPPORTED)
        guard result >= 0 else { throw MediaError(Status(foreign: result), "wrapping a frame of \(picture.width)x\(picture.height)") }
      }
    }
  }

  static func parse(
    _ codec: VideoCodec, _ data: UnsafeRawPointer?, _ size: UInt64, _ out: UnsafeMutablePointer<msdk_encoded_header>?
  ) -> msdk_result {
    guard let out else { return msdk_result(MSDK_E_INVALID) }
    do throws(MediaError) {
      let header = try codec.parseHeader(UnsafeRawBufferPointer(start: data, count: data == nil ? 0 : Int(clamping: size)))
      var native = msdk_encoded_header()
      native.flags = header.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0
      native.width = header.width
      native.height = header.height
      native.is_shown = header.isShown ? 1 : 0
      try ForeignStruct.write(native, to: out, argument: "out")
      return msdk_result(MSDK_OK)
    } catch {
      return error.status.rawValue
    }
  }
}
