import MediaCore

/// What is read of one's own audio, and how much of it may be queued.
public struct AudioTapOptions: Sendable {
  public var output = IncomingVideoOptions.Output.raw
  public var queueMilliseconds: UInt32 = 500
  public var queuePolicy = QueuePolicy.dropOldest

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

  public func stopTap() {
    tap.stop()
  }

  /// The oldest buffer that is queued, with a reference for the caller.
  public func read(deadline: Int64) throws(MediaError) -> AudioFrame {
    try tap.read(deadline: deadline)
  }

  public func readEncoded(deadline: Int64) throws(MediaError) -> EncodedFrame {
    try tap.readEncoded(deadline: deadline)
  }

  public func tapDescriptor() throws(MediaError) -> Int32 {
    try tap.descriptor()
  }
}
