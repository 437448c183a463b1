import CMediaSDK
import MediaCodecs
import MediaCore

/// The encoder of one start of a stream, made anew when the format changes. Used by the encoder's worker, one step at a time.
final class EncodingStage: Sendable {
  private struct State {
    var encoder: (any VideoEncoder)?
    var format: VideoFormat?
    var bitrate: UInt64 = 0
    var frameRate = FrameRate(0)
    var lastKeyFrame = Int64.min
  }

  private let codec: VideoCodec
  private let options: OutgoingVideoOptions
  private let pool = BufferPool(limit: 256)
  private let state = Monitor(State())

  init(_ codec: VideoCodec, _ options: OutgoingVideoOptions) {
    self.codec = codec
    self.options = options
  }

  var hasEncoder: Bool { state.withLock { $0.encoder != nil } }
  /// Whether text was sharp in the last picture.
  var isSharp: Bool { state.withLock { $0.encoder?.isSharp ?? true } }

  /// The encoded frame with a reference for the caller; nil when the rate control left it out.
  func encode(_ frame: VideoFrame, _ work: OutgoingVideo.Work, format: VideoFormat) throws(MediaError) -> EncodedFrame? {
    let (encoder, forceKeyFrame) = try prepare(work, format: format)
    var attributes = msdk_encoded_frame()
    attributes.codec = codec.fourcc
    attributes.width = format.width
    attributes.height = format.height
    attributes.orientation = frame.native.pointee.orientation
    attributes.timestamp_ns = work.pending.timestamp
    attributes.duration_ns = frame.native.pointee.duration_ns
    attributes.sequence = work.pending.sequence
    let color = frame.format.color
    attributes.color_matrix = color.matrix
    attributes.color_full_range = color.fullRange ? 1 : 0
    let encoded: EncodedFrame?? = try encoder.encode(
      frame.native, timestamp: work.pending.timestamp, duration: frame.native.pointee.duration_ns, forceKeyFrame: forceKeyFrame
    ) { packet throws(MediaError) in
      attributes.flags = (packet.isKeyFrame ? UInt32(MSDK_ENCODED_KEY) : 0) | (packet.isDroppable ? UInt32(MSDK_ENCODED_DROPPABLE) : 0)
      return try EncodedFrame.make(copying: packet.data, attributes: attributes, from: pool, deadline: 0)
    }
    guard let encoded else {
      if forceKeyFrame { throw MediaError(.again, "the encoder left out a key frame") }
      return nil
    }
    guard let encoded else { throw MediaError(.noMemory, "256 encoded frames of this stream are in use") }
    if encoded.isKeyFrame { state.withLock { $0.lastKeyFrame = work.pending.timestamp } }
    return encoded
  }

  private func prepare(_ work: OutgoingVideo.Work, format: VideoFormat) throws(MediaError) -> (any VideoEncoder, Bool) {
    try state.withLock { state throws(MediaError) in
      let isDue = state.lastKeyFrame == .min || work.pending.timestamp &- state.lastKeyFrame >= options.longestKeyFrameInterval
      if let encoder = state.encoder, state.format == format {
        if state.bitrate != work.bitrate { try encoder.setBitrate(work.bitrate) }
        if state.frameRate != work.frameRate { try encoder.setFrameRate(work.frameRate) }
        state.bitrate = work.bitrate
        state.frameRate = work.frameRate
        return (encoder, work.forceKeyFrame || isDue)
      }
      let threads = options.encoderThreads > 0 ? options.encoderThreads : format.width >= 1920 ? 2 : 1
      let encoder = try codec.makeEncoder(
        VideoEncoderSettings(
          width: format.width, height: format.height, frameRate: work.frameRate, threads: threads, preset: options.preset,
          targetBitrate: work.bitrate, keyFrameInterval: 9999,
          isScreen: options.kind == .screenShare))
      state = State(encoder: encoder, format: format, bitrate: work.bitrate, frameRate: work.frameRate)
      return (encoder, true)
    }
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
