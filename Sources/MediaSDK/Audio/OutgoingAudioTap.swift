import MediaCore

/// What is read of one's own audio, and how much of it may be queued.
public struct AudioTapOptions: Sendable {
  /// Which of buffers, as they leave, and packets, as the encoder makes them, are queued to be read.
  public var output = IncomingVideoOptions.Output.raw
  /// Audio that may be queued, of buffers and of packets each, in milliseconds: 20 to 60,000, else the start throws `.range`.
  public var queueMilliseconds: UInt32 = 500
  /// Which one is dropped when a queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// Buffers, in a queue of 500 ms of which the oldest is dropped.
  public init() {}

  func check() throws(MediaError) {
    // The queues are those of an incoming stream.
    var options = IncomingAudioOptions()
    options.queueMilliseconds = queueMilliseconds
    options.queuePolicy = queuePolicy
    try options.check()
  }
}

/// The stream as its own program reads it.
extension OutgoingAudio {
  /// Starts the tap, in any state of the stream; it continues when the stream stops and starts again. Throws `.state` if the tap is
  /// started, `.unsupported` if the stream takes packets, or packets are requested and it has no encoder, and `.closed` once the stream is
  /// closed.
  public func startTap(_ options: AudioTapOptions = AudioTapOptions()) throws(MediaError) {
    try options.check()
    if self.options.isEncodedInput {
      throw MediaError(.unsupported, "the stream takes packets (encoded_input), and has no tap; accepted: a stream that takes samples")
    }
    if options.output != .raw, !canEncode {
      throw MediaError(.unsupported, "options.output asks for packets; the stream has no encoder, accepted: MSDK_OUTPUT_RAW")
    }
    let longest = Int64(options.queueMilliseconds) * 1_000_000
    let most = IncomingAudio.mostQueued(in: longest)
    try tap.start(options.output, capacity: most, encodedCapacity: most, longest: longest, policy: options.queuePolicy)
  }

  /// Releases what is queued; readers get `.closed`. Nothing happens if the tap is not started.
  public func stopTap() {
    tap.stop()
  }

  /// The oldest buffer that is queued, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> AudioFrame {
    try tap.read(deadline: deadline)
  }

  /// The oldest packet that is queued, with a reference for the caller. Waits until `deadline`, in nanoseconds of the monotonic clock; 0
  /// does not wait, `.max` has no limit. Throws `.timeout`, `.state` if the tap was never started, and `.closed` once it is stopped.
  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try tap.readEncoded(deadline: deadline)
  }

  /// Readable for poll() while the tap has buffers or packets queued, and after its stop. The stream owns it. Throws `.noMemory` when the
  /// process has no descriptor left.
  public func tapDescriptor() throws(MediaError) -> Int32 {
    try tap.descriptor()
  }
}
