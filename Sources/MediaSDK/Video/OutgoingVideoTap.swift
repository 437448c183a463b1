import MediaCore

/// What is read of one's own video, and how much of it may be queued; 0 stands for the defaults of outgoing_video.h.
public struct VideoTapOptions: Sendable {
  /// Which of raw frames, as they go into the encoder, and encoded frames, as they come out of it, are queued to be read.
  public var output = IncomingVideoOptions.Output.raw
  /// Raw frames that may be queued, 1 to 64, else the start throws `.range`; 0: 3.
  public var queueCapacity = 0
  /// Encoded frames that may be queued, 1 to 1,024, else the start throws `.range`; 0: 60.
  public var encodedQueueCapacity = 0
  /// Which frame is dropped when a queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// Raw frames, in the default queue of which the oldest is dropped.
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
  /// Starts the tap, in any state of the stream; it continues when the stream stops and starts again. Encoded frames begin with a key
  /// frame. Throws `.state` if the tap is started, `.unsupported` if the stream takes encoded frames, or they are requested and it has no
  /// encoder, and `.closed` once the stream is closed.
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

  /// Releases what is queued; readers get `.closed`. Nothing happens if the tap is not started.
  public func stopTap() {
    tap.stop()
  }

  /// The oldest picture that is queued, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> VideoFrame {
    try tap.read(deadline: deadline)
  }

  /// The oldest encoded frame that is queued, with a reference for the caller. Waits until `deadline`, in nanoseconds of the monotonic
  /// clock; 0 does not wait, `.max` has no limit. Throws `.timeout`, `.state` if the tap was never started, and `.closed` once it is
  /// stopped.
  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try tap.readEncoded(deadline: deadline)
  }

  /// Readable for poll() while the tap has raw or encoded frames queued, and after its stop. The stream owns it. Throws `.noMemory` when
  /// the process has no descriptor left.
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
