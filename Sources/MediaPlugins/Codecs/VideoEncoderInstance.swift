import CMediaSDK
import MediaCodecs
import MediaCore

/// An instance that encodes one stream, from its making to its end. Used by one thread at a time, which may change.
public final class PluginVideoEncoder: Sendable {
  let instance: PluginInstance
  private var table: msdk_video_encoder? { instance.descriptor.videoEncoder }

  init(_ descriptor: ClassDescriptor, _ settings: VideoEncoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    var native = settings.foreign
    instance = try host.makeInstance(descriptor, MSDK_KIND_VIDEO_ENCODER, events) { $0.videoEncoder?.open_encoder?($1, &native) }
  }

  deinit {
    instance.destroy()
  }

  /// From the next frame on.
  public func setRate(_ bitsPerSecond: UInt64, _ frameRate: FrameRate) throws(MediaError) {
    try instance.callCodec(MSDK_KIND_VIDEO_ENCODER, "set_rate") {
      table?.set_rate?($0, bitsPerSecond, frameRate.numerator, frameRate.denominator)
    }
  }

  /// Whether it makes a frame coarser that would be too long, by itself.
  public var takesLongestFrame: Bool { table?.set_bytes_max != nil }

  /// What a frame of a screen is to take at most (nil: as much as it needs), from the next one on.
  public func setLongestFrame(_ bytes: Int?) throws(MediaError) {
    try instance.callCodec(MSDK_KIND_VIDEO_ENCODER, "set_bytes_max") {
      table?.set_bytes_max?($0, bytes.map { UInt64(max(1, $0)) } ?? 0)
    }
  }

  /// A frame of the encoder's size, of one of its formats. The encoded frame says what it is, and nothing yet of what it was made from; its
  /// reference is the caller's. nil when the rate control dropped the frame.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool) throws(MediaError) -> EncodedFrame? {
    let encoded = try instance.encode(MSDK_KIND_VIDEO_ENCODER) {
      table?.encode?($0, frame.native, forceKeyFrame ? UInt32(MSDK_ENCODE_KEY) : 0, $1)
    }
    guard let encoded, forceKeyFrame, !encoded.isKeyFrame else { return encoded }
    encoded.release()
    throw MediaError(.fail, "\(instance.descriptor.id): encode returned no key frame when one was requested")
  }
}

extension PluginInstance {
  /// What an encoder makes, with a reference for the caller; nil when it makes nothing of what it was given.
  @inline(__always)
  func encode(
    _ kind: Int, _ body: (OpaquePointer, UnsafeMutablePointer<UnsafeMutablePointer<msdk_encoded_frame>?>) -> msdk_result?
  ) throws(MediaError) -> EncodedFrame? {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    do throws(MediaError) {
      try callCodec(kind, "encode") { body($0, &pointer) }
    } catch {
      if error.status == .again { return nil }
      throw error
    }
    return try takeEncoded(pointer)
  }
}
