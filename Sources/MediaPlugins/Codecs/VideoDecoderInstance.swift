import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and pictures of a decoder of video.
extension PluginInstance {
  func openVideoDecoder(_ settings: VideoDecoderSettings) throws(MediaError) {
    guard let table = descriptor.videoDecoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video decoder") }
    try turn.take("open_decoder") { () throws(MediaError) in
      try checkAlive()
      try checkRequired()
      var native = msdk_video_decoder_settings(
        struct_size: UInt32(MemoryLayout<msdk_video_decoder_settings>.size), threads: UInt32(clamping: settings.threads),
        pixels_max: settings.maximumPixels)
      try call("open_decoder") { table.open_decoder?($0, &native) ?? 0 }
      state.withLock { $0.videoDecoder = .ready }
    }
  }

  func closeVideoDecoder() throws(MediaError) {
    guard let table = descriptor.videoDecoder else { return }
    try turn.take("close_decoder") { () throws(MediaError) in
      guard state.withLock({ $0.videoDecoder }) > .created else { return }
      state.withLock { $0.videoDecoder = .created }
      try call("close_decoder") { table.close_decoder?($0) ?? 0 }
    }
  }

  /// With a reference for the caller; nil for data that shows no picture.
  func decode(_ frame: EncodedFrame, maximumPixels: UInt64) throws(MediaError) -> VideoFrame? {
    guard let table = descriptor.videoDecoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video decoder") }
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    try turn.take("decode") { () throws(MediaError) in
      guard state.withLock({ $0.videoDecoder }) > .created else { throw MediaError(.closed, "the decoder of \(descriptor.id) is closed") }
      try call("decode") { table.decode?($0, frame.native, &pointer) ?? 0 }
    }
    guard let pointer else { return nil }
    guard let picture = try? VideoFrame.retained(foreign: pointer) else {
      throw MediaError(.handle, "\(descriptor.id): decode did not return a live frame")
    }
    // One reference was added for having looked.
    picture.release()
    do throws(MediaError) {
      guard picture.native.pointee.flags & UInt32(MSDK_FRAME_CORRUPT) == 0 else { throw MediaError(.corrupt, "the frame is damaged") }
      let format = picture.format
      guard UInt64(format.width) * UInt64(format.height) <= maximumPixels else {
        throw MediaError(
          .corrupt, "\(descriptor.id): the frame is \(format.width)x\(format.height); accepted: at most \(maximumPixels) pixels")
      }
    } catch {
      picture.release()
      throw error
    }
    return picture
  }
}

/// An instance that decodes one stream, from its making to its end. Used by one thread at a time, which may change.
public final class PluginVideoDecoder: Sendable {
  private let instance: PluginInstance
  private let settings: VideoDecoderSettings

  init(_ descriptor: ClassDescriptor, _ settings: VideoDecoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    self.settings = settings
    instance = try host.makeInstance(descriptor, .video, events)
    do throws(MediaError) {
      try instance.openVideoDecoder(settings)
    } catch {
      instance.destroy()
      throw error
    }
  }

  deinit {
    instance.destroy()
  }

  /// The picture, to be converted or copied from before the next call, as its memory may be the decoder's; its reference is the caller's. nil for
  /// a frame that is not to be shown. Data that is no frame, or is damaged beyond decoding, is `.corrupt`; a frame that builds on one the
  /// decoder does not have, `.state`.
  public func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    try instance.decode(frame, maximumPixels: settings.maximumPixels)
  }
}

extension ClassDescriptor {
  /// What the first bytes of an encoded picture tell. Without an instance; the bytes may be anything.
  func parseVideo(_ data: UnsafeRawBufferPointer) throws(MediaError) -> EncodedHeader {
    var native = msdk_encoded_header()
    native.struct_size = UInt32(MemoryLayout<msdk_encoded_header>.size)
    let result: msdk_result
    if let headers = module.headers {
      result = try headers.parseVideo(data, of: id, &native)
    } else {
      result = ForeignCode.run {
        videoDecoder?.parse_header?(data.baseAddress, UInt64(data.count), &native) ?? msdk_result(MSDK_E_UNSUPPORTED)
      }
    }
    guard result >= 0 else {
      // Functions without an instance have no words of their own; ours are asked for them.
      if module === BuiltInModule.loaded?.module { try BuiltInModule.explainVideo(data, id) }
      throw MediaError(Status(foreign: result), "\(id): the \(data.count) bytes do not begin a frame")
    }
    let most = UInt32(MSDK_DIMENSION_MAX)
    guard native.width <= most, native.height <= most else {
      throw MediaError(.corrupt, "\(id): the header declares \(native.width)x\(native.height); accepted: up to \(most)x\(most)")
    }
    return EncodedHeader(
      isKeyFrame: native.flags & UInt32(MSDK_ENCODED_KEY) != 0, isShown: native.is_shown != 0, width: native.width, height: native.height)
  }
}
