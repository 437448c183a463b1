import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins

/// The encoder of one start of a stream, made anew when the format changes. Used by the encoder's worker, one step at a time.
final class EncodingStage: @unchecked Sendable {
  private let codec: VideoCodecEntry
  private let options: OutgoingVideoOptions
  private let events: PluginInstance.EventHandler
  private var encoder: PluginVideoEncoder?
  private var format: VideoFormat?
  private var bitrate: UInt64 = 0
  private var frameRate = FrameRate(0)
  private let normalizer = FrameNormalizer()
  private var lastKeyFrame = Int64.min
  /// What the encoder was given last.
  private var longest: Int?

  init(_ codec: VideoCodecEntry, _ options: OutgoingVideoOptions, events: @escaping PluginInstance.EventHandler) {
    self.events = events
    self.codec = codec
    self.options = options
  }

  var hasEncoder: Bool { encoder != nil }

  /// The encoded frame with a reference for the caller; nil when the rate control left it out.
  func encode(_ frame: VideoFrame, _ work: OutgoingVideo.Work, format: VideoFormat) throws(MediaError) -> EncodedFrame? {
    let carriage = work.carriage
    let frame = try normalizer.normalize(
      frame, for: codec.inputFormats, carriesColor: carriage.color, carriesOrientation: carriage.orientation)
    defer { frame.release() }
    var format = format
    (format.width, format.height) = (frame.format.width, frame.format.height)
    let (encoder, forceKeyFrame) = try prepare(work, format: format)
    guard let encoded = try encode(frame, work, encoder, forceKeyFrame) else {
      if forceKeyFrame { throw MediaError(.again, "the encoder dropped a key frame") }
      return nil
    }
    let native = encoded.native
    native.pointee.codec = codec.fourcc
    native.pointee.flags &= UInt32(MSDK_ENCODED_KEY | MSDK_ENCODED_DROPPABLE | MSDK_ENCODED_COARSE)
    if frame.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0 { native.pointee.flags |= UInt32(MSDK_ENCODED_DISCONTINUITY) }
    native.pointee.width = format.width
    native.pointee.height = format.height
    native.pointee.orientation = frame.native.pointee.orientation
    native.pointee.timestamp_ns = work.pending.timestamp
    native.pointee.duration_ns = frame.native.pointee.duration_ns
    native.pointee.sequence = work.pending.sequence
    frame.format.color.tell(&native.pointee)
    encoded.seal()
    if encoded.isKeyFrame { lastKeyFrame = work.pending.timestamp }
    return encoded
  }

  /// A frame of a screen that could not leave in time is made coarser: by the encoder, or once by a lower rate, where that cannot be bounded. As
  /// the encoder builds on what it made last, the second is a key frame and is sent; a repetition that is none adds to what was shown.
  private func encode(
    _ frame: VideoFrame, _ work: OutgoingVideo.Work, _ encoder: PluginVideoEncoder, _ forceKeyFrame: Bool
  ) throws(MediaError) -> EncodedFrame? {
    guard options.kind == .screenShare else { return try encoder.encode(frame, forceKeyFrame: forceKeyFrame) }
    let longest = work.longestFrame
    if longest != self.longest, encoder.takesLongestFrame { try encoder.setLongestFrame(longest) }
    self.longest = longest
    guard let first = try encoder.encode(frame, forceKeyFrame: forceKeyFrame) else { return nil }
    let size = first.native.pointee.size
    guard let longest, !encoder.takesLongestFrame, size > UInt64(clamping: longest), first.isKeyFrame || !work.pending.isRepeat else {
      return first
    }
    first.release()
    // What `prepare` sees, and mends before the next frame.
    bitrate = max(1_000, UInt64(EncodingStage.margin * Double(work.bitrate) * Double(longest) / Double(size)))
    try encoder.setRate(bitrate, frameRate)
    guard let second = try encoder.encode(frame, forceKeyFrame: true) else {
      throw MediaError(.again, "the encoder dropped a key frame")
    }
    if second.native.pointee.size < size { second.native.pointee.flags |= UInt32(MSDK_ENCODED_COARSE) }
    return second
  }

  /// Encoders overshoot.
  private static let margin = 0.75

  private func prepare(_ work: OutgoingVideo.Work, format: VideoFormat) throws(MediaError) -> (PluginVideoEncoder, Bool) {
    if let encoder, self.format == format {
      if bitrate != work.bitrate || frameRate != work.frameRate { try encoder.setRate(work.bitrate, work.frameRate) }
      bitrate = work.bitrate
      frameRate = work.frameRate
      let isDue = lastKeyFrame == .min || work.pending.timestamp &- lastKeyFrame >= options.longestKeyFrameInterval
      return (encoder, work.forceKeyFrame || isDue)
    }
    let threads = options.encoderThreads > 0 ? options.encoderThreads : format.width >= 1920 ? 2 : 1
    let encoder = try codec.makeEncoder(
      VideoEncoderSettings(
        width: format.width, height: format.height, frameRate: work.frameRate, threads: threads, preset: options.preset,
        targetBitrate: work.bitrate, isScreen: options.kind == .screenShare),
      events: events)
    self.encoder = encoder
    self.format = format
    bitrate = work.bitrate
    frameRate = work.frameRate
    longest = nil
    lastKeyFrame = .min
    return (encoder, true)
  }
}

extension OutgoingVideo {
  /// When it returns, the former one is not running any more, unless the call came from foreign code.
  public func setEncodedCallback(_ function: (@Sendable (EncodedFrame) -> Void)?) {
    let former = guarded.withLock { guarded in
      defer {
        guarded.encodedCallback = function.map { FrameCallback($0) }
        guarded.wantsKeyFrame = true
      }
      return guarded.encodedCallback
    }
    former?.close()
    if function != nil { askForPicture() }
  }
}
