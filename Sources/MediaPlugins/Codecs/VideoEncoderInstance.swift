import CMediaSDK
import MediaCodecs
import MediaCore

/// The states and frames of an encoder of video.
extension PluginInstance {
  func openVideoEncoder(_ settings: VideoEncoderSettings) throws(MediaError) {
    guard let table = descriptor.videoEncoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video encoder") }
    try turn.take("open_encoder") { () throws(MediaError) in
      try checkAlive()
      try checkRequired()
      var native = settings.foreign
      try call("open_encoder") { table.open_encoder?($0, &native) ?? 0 }
      state.withLock { $0.videoEncoder = .ready }
    }
  }

  func closeVideoEncoder() throws(MediaError) {
    guard let table = descriptor.videoEncoder else { return }
    try turn.take("close_encoder") { () throws(MediaError) in
      guard state.withLock({ $0.videoEncoder }) > .created else { return }
      state.withLock { $0.videoEncoder = .created }
      try call("close_encoder") { table.close_encoder?($0) ?? 0 }
    }
  }

  func setVideoRate(_ bitrate: UInt64, _ frameRate: FrameRate) throws(MediaError) {
    try withOpenEncoder("set_rate") { table throws(MediaError) in
      try call("set_rate") { table.set_rate?($0, bitrate, frameRate.numerator, frameRate.denominator) ?? 0 }
    }
  }

  /// nil: any. Of an encoder that has the function for it.
  func setLongestFrame(_ bytes: Int?) throws(MediaError) {
    try withOpenEncoder("set_bytes_max") { table throws(MediaError) in
      guard let set = table.set_bytes_max else { return }
      try call("set_bytes_max") { set($0, bytes.map { UInt64(max(1, $0)) } ?? 0) }
    }
  }

  /// With a reference for the caller; nil when the rate control left the frame out.
  func encode(_ frame: VideoFrame, isKey: Bool) throws(MediaError) -> EncodedFrame? {
    var pointer: UnsafeMutablePointer<msdk_encoded_frame>?
    do throws(MediaError) {
      try withOpenEncoder("encode") { table throws(MediaError) in
        try call("encode") { table.encode?($0, frame.native, isKey ? UInt32(MSDK_ENCODE_KEY) : 0, &pointer) ?? 0 }
      }
    } catch {
      if error.status == .again { return nil }
      throw error
    }
    let encoded = try takeEncoded(pointer)
    guard encoded.isKeyFrame || !isKey else {
      encoded.release()
      throw MediaError(.fail, "\(descriptor.id): encode returned no key frame when one was requested")
    }
    return encoded
  }

  private func withOpenEncoder(_ what: String, _ body: (msdk_video_encoder) throws(MediaError) -> Void) throws(MediaError) {
    guard let table = descriptor.videoEncoder else { throw MediaError(.unsupported, "class \(descriptor.id) is not a video encoder") }
    try turn.take(what) { () throws(MediaError) in
      guard state.withLock({ $0.videoEncoder }) > .created else { throw MediaError(.closed, "the encoder of \(descriptor.id) is closed") }
      try body(table)
    }
  }
}

extension VideoEncoderSettings {
  var foreign: msdk_video_encoder_settings {
    msdk_video_encoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_video_encoder_settings>.size), width: width, height: height, fps_num: frameRate.numerator,
      fps_den: frameRate.denominator, threads: UInt32(clamping: threads), preset: preset.rawValue,
      kind: UInt32(isScreen ? MSDK_VIDEO_SCREEN_SHARE : MSDK_VIDEO_VIRTUAL), target_bitrate: targetBitrate,
      drop_threshold: dropThreshold, reserved0: 0)
  }

  init(_ native: msdk_video_encoder_settings) throws(MediaError) {
    guard let preset = EncoderPreset(rawValue: native.preset) else {
      throw MediaError(.range, "the encoder's preset is \(native.preset); accepted: MSDK_PRESET_*, 0..3")
    }
    self.init(
      width: native.width, height: native.height, frameRate: FrameRate(native.fps_num, native.fps_den), threads: Int(native.threads),
      preset: preset, targetBitrate: native.target_bitrate,
      dropThreshold: native.drop_threshold, isScreen: native.kind == UInt32(MSDK_VIDEO_SCREEN_SHARE))
  }
}

/// An instance that encodes one stream, from its making to its end. Used by one thread at a time, which may change.
public final class PluginVideoEncoder: Sendable {
  private let instance: PluginInstance

  init(_ descriptor: ClassDescriptor, _ settings: VideoEncoderSettings, _ host: CodecHost, events: PluginInstance.EventHandler? = nil)
    throws(MediaError)
  {
    instance = try host.makeInstance(descriptor, .video, events)
    do throws(MediaError) {
      try instance.openVideoEncoder(settings)
    } catch {
      instance.destroy()
      throw error
    }
  }

  deinit {
    instance.destroy()
  }

  /// From the next frame on.
  public func setRate(_ bitsPerSecond: UInt64, _ frameRate: FrameRate) throws(MediaError) {
    try instance.setVideoRate(bitsPerSecond, frameRate)
  }

  /// Whether it makes a frame coarser that would be too long, by itself.
  public var takesLongestFrame: Bool { instance.descriptor.videoEncoder?.set_bytes_max != nil }

  /// What a frame of a screen is to take at most (nil: as much as it needs), from the next one on.
  public func setLongestFrame(_ bytes: Int?) throws(MediaError) {
    try instance.setLongestFrame(bytes)
  }

  /// A frame of the encoder's size, of one of its formats. The encoded frame says what it is, and nothing yet of what it was made from; its
  /// reference is the caller's. nil when the rate control left the frame out.
  public func encode(_ frame: VideoFrame, forceKeyFrame: Bool) throws(MediaError) -> EncodedFrame? {
    try instance.encode(frame, isKey: forceKeyFrame)
  }
}
