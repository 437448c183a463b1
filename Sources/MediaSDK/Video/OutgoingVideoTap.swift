import MediaCore

/// What is read of one's own video, and how much of it may be queued; 0 stands for the defaults of outgoing_video.h.
public struct VideoTapOptions: Sendable {
  public var output = IncomingVideoOptions.Output.raw
  public var queueCapacity = 0
  public var encodedQueueCapacity = 0
  public var queuePolicy = QueuePolicy.dropOldest

  public init() {}

  /// The queues are those of an incoming stream.
  fileprivate var queues: IncomingVideoOptions {
    var options = IncomingVideoOptions()
    options.queueCapacity = queueCapacity
    options.encodedQueueCapacity = encodedQueueCapacity
    options.queuePolicy = queuePolicy
    return options
  }
}

/// The stream as its own program reads it.
extension OutgoingVideo {
  public func startTap(_ options: VideoTapOptions = VideoTapOptions()) throws(MediaError) {
    let queues = options.queues
    try queues.check()
    if self.options.isEncodedInput {
      throw MediaError(
        .unsupported, "the stream takes encoded frames (encoded_input), and has no tap; accepted: a stream that takes raw frames")
    }
    if options.output != .raw, !canEncode {
      throw MediaError(.unsupported, "options.output asks for encoded frames; the stream has no encoder, accepted: MSDK_OUTPUT_RAW")
    }
    try tap.start(options.output, capacity: queues.rawCapacity, encodedCapacity: queues.encodedCapacity, policy: options.queuePolicy)
    if options.output != .raw { askForPicture() }
  }

  public func stopTap() {
    tap.stop()
  }

  /// The oldest picture that is queued, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> VideoFrame {
    try tap.read(deadline: deadline)
  }

  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try tap.readEncoded(deadline: deadline)
  }

  public func tapDescriptor() throws(MediaError) -> Int32 {
    try tap.descriptor()
  }

  /// A picture on its way to the encoder or the transport, to those on this side; borrowed.
  func show(_ frame: VideoFrame) {
    previews.offer(frame)
    tap.offer { share in
      // Memory that is not the SDK's is lent in few frames. Those of a stream without an encoder were made so for the receivers already.
      guard frame.isForeign else { return frame.lent(to: share) }
      let now = clock.now()
      let (isEncoding, lent, copies) = guarded.withLock { guarded in
        let isEncoding = guarded.encoding != nil
        return (isEncoding, isEncoding ? guarded.foreign.lend(frame, now: now) : nil, guarded.foreign.copies)
      }
      guard isEncoding else { return frame.lent(to: share) }
      guard let shared = lent ?? (try? ForeignFrames.copy(of: frame, from: copies)) else { return nil }
      defer { shared.release() }
      shared.native.pointee.sequence = frame.native.pointee.sequence
      return shared.lent(to: share)
    }
  }

  /// Whether somebody on this side looks at pictures before they are encoded.
  var isWatched: Bool { previews.isWatched || tap.takesRaw }
}
