import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaTransport

/// One encoding of one start of a stream, in one size. Its encoder is made anew when the format changes. It knows what each frame is to be encoded as, and
/// nothing of the stream, which may have several. Used by the encoder's worker, one step at a time.
final class EncodingStage: @unchecked Sendable {
  /// What a frame is to be encoded as.
  struct Step {
    var format: VideoFormat
    /// Bits a second.
    var bitrate: UInt64
    var frameRate: FrameRate
    var forceKeyFrame: Bool
    var timestamp: Int64
    var sequence: UInt64
    /// The frame stands, and was encoded before.
    var isRepeat: Bool
    /// What need not be done to the pixels.
    var carriage: Carriage
    /// In bytes, of a screen's frame that is to leave in time; nil: any.
    var longestFrame: Int?
  }

  private let codec: VideoCodecEntry
  private let options: OutgoingVideoOptions
  private let events: PluginInstance.EventHandler
  private let temporalLayers: UInt32
  private var encoder: PluginVideoEncoder?
  private var format: VideoFormat?
  private var bitrate: UInt64 = 0
  private var frameRate = FrameRate(0)
  private var lastKeyFrame = Int64.min
  /// What the encoder was given last.
  private var longest: Int?

  init(_ codec: VideoCodecEntry, _ options: OutgoingVideoOptions, temporalLayers: UInt32, events: @escaping PluginInstance.EventHandler) {
    (self.events, self.temporalLayers) = (events, temporalLayers)
    self.codec = codec
    self.options = options
  }

  var hasEncoder: Bool { encoder != nil }

  /// Frames pass by that it does not encode: the next one is a key frame.
  func rest() { lastKeyFrame = .min }

  /// The encoded frame with a reference for the caller; nil when the rate control left it out. `frame` is what the codec takes.
  func encode(_ frame: VideoFrame, _ step: Step) throws(MediaError) -> EncodedFrame? {
    var step = step
    (step.format.width, step.format.height) = (frame.format.width, frame.format.height)
    let (encoder, forceKeyFrame) = try prepare(step)
    guard let encoded = try encode(frame, step, encoder, forceKeyFrame) else {
      if forceKeyFrame { throw MediaError(.again, "the encoder dropped a key frame") }
      return nil
    }
    let native = encoded.native
    native.pointee.codec = codec.fourcc
    native.pointee.flags &= UInt32(MSDK_ENCODED_KEY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_COARSE)
    if frame.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0 { native.pointee.flags |= UInt32(MSDK_ENCODED_DISCONTINUITY) }
    native.pointee.width = step.format.width
    native.pointee.height = step.format.height
    native.pointee.orientation = frame.native.pointee.orientation
    native.pointee.timestamp_ns = step.timestamp
    native.pointee.duration_ns = frame.native.pointee.duration_ns
    native.pointee.sequence = step.sequence
    frame.format.color.tell(&native.pointee)
    encoded.seal()
    encoded.setMetadata(frame.metadata)
    if encoded.isKeyFrame { lastKeyFrame = step.timestamp }
    return encoded
  }

  /// A frame of a screen that could not leave in time is made coarser: by the encoder, or once by a lower rate, where that cannot be bounded. As
  /// the encoder builds on what it made last, the second is a key frame and is sent; a repetition that is none adds to what was shown.
  private func encode(
    _ frame: VideoFrame, _ step: Step, _ encoder: PluginVideoEncoder, _ forceKeyFrame: Bool
  ) throws(MediaError) -> EncodedFrame? {
    guard options.kind == .screenShare else { return try encoder.encode(frame, forceKeyFrame: forceKeyFrame) }
    let longest = step.longestFrame
    if longest != self.longest, encoder.takesLongestFrame { try encoder.setLongestFrame(longest) }
    self.longest = longest
    guard let first = try encoder.encode(frame, forceKeyFrame: forceKeyFrame) else { return nil }
    let size = first.native.pointee.size
    guard let longest, !encoder.takesLongestFrame, size > UInt64(clamping: longest), first.isKeyFrame || !step.isRepeat else {
      return first
    }
    first.release()
    // What `prepare` sees, and mends before the next frame.
    bitrate = max(1_000, UInt64(EncodingStage.margin * Double(step.bitrate) * Double(longest) / Double(size)))
    try encoder.setRate(bitrate, frameRate)
    guard let second = try encoder.encode(frame, forceKeyFrame: true) else {
      throw MediaError(.again, "the encoder dropped a key frame")
    }
    if second.native.pointee.size < size { second.native.pointee.flags |= UInt32(MSDK_ENCODED_COARSE) }
    return second
  }

  /// Encoders overshoot.
  private static let margin = 0.75

  private func prepare(_ step: Step) throws(MediaError) -> (PluginVideoEncoder, Bool) {
    let format = step.format
    if let encoder, self.format == format {
      if bitrate != step.bitrate || frameRate != step.frameRate { try encoder.setRate(step.bitrate, step.frameRate) }
      bitrate = step.bitrate
      frameRate = step.frameRate
      let isDue = lastKeyFrame == .min || step.timestamp &- lastKeyFrame >= options.longestKeyFrameInterval
      return (encoder, step.forceKeyFrame || isDue)
    }
    let threads = options.encoderThreads > 0 ? options.encoderThreads : format.width >= 1920 ? 2 : 1
    let encoder = try codec.makeEncoder(
      VideoEncoderSettings(
        width: format.width, height: format.height, frameRate: step.frameRate, threads: threads, preset: options.preset,
        targetBitrate: step.bitrate, isScreen: options.kind == .screenShare, temporalLayers: temporalLayers),
      events: events)
    self.encoder = encoder
    self.format = format
    bitrate = step.bitrate
    frameRate = step.frameRate
    longest = nil
    lastKeyFrame = .min
    return (encoder, true)
  }
}

extension OutgoingVideo.Work {
  /// How long it may take a frame to leave is a question for the transport, and asked of screens only.
  func step(_ format: VideoFormat, isScreen: Bool) -> EncodingStage.Step {
    EncodingStage.Step(
      format: format, bitrate: plan.total, frameRate: frameRate, forceKeyFrame: forceKeyFrame, timestamp: pending.timestamp,
      sequence: pending.sequence, isRepeat: pending.isRepeat, carriage: carriage, longestFrame: isScreen ? longestFrame : nil)
  }
}

extension OutgoingVideo {
  /// When it returns, the former one is not running any more, unless the call came from foreign code.
  public func setEncodedCallback(_ function: (@Sendable (EncodedFrame) -> Void)?) {
    replaceEncodedCallback(by: function)?.close()
    guarded.withLock { $0.wantsKeyFrame = true }
    if function != nil { askForPicture() }
  }
}
