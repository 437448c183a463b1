import CMediaSDK
import MediaCodecs
import MediaCore

/// An instance that decodes one stream, from its making to its end. Used by one thread at a time, which may change.
public final class PluginVideoDecoder: Sendable {
  let instance: PluginInstance
  private let maximumPixels: UInt64

  init(_ descriptor: ClassDescriptor, _ settings: VideoDecoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    maximumPixels = settings.maximumPixels
    var native = msdk_video_decoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_video_decoder_settings>.size), threads: UInt32(clamping: settings.threads),
      pixels_max: settings.maximumPixels)
    instance = try host.makeInstance(descriptor, MSDK_KIND_VIDEO_DECODER, events) { $0.videoDecoder?.open_decoder?($1, &native) }
  }

  deinit {
    instance.destroy()
  }

  /// The picture, to be converted or copied from before the next call, as its memory may be the decoder's; its reference is the caller's. nil for
  /// a frame that is not to be shown. Data that is no frame, or is damaged beyond decoding, is `.corrupt`; a frame that builds on one the
  /// decoder does not have, `.state`.
  public func decode(_ frame: EncodedFrame) throws(MediaError) -> VideoFrame? {
    let descriptor = instance.descriptor
    var pointer: UnsafeMutablePointer<msdk_video_frame>?
    try instance.callCodec(MSDK_KIND_VIDEO_DECODER, "decode") { descriptor.videoDecoder?.decode?($0, frame.native, &pointer) }
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
