import MediaCore

/// How sound is wanted; nil and 0 stand for "as it comes" and for the defaults of incoming_audio.h.
public struct IncomingAudioOptions: Sendable {
  /// 16,000, 22,050, 24,000, 32,000, 44,100 or 48,000 Hz; 0: as received, 48,000 for Opus and the mix.
  public var sampleRate: UInt32 = 0
  /// 1 or 2; 0: as received, 2 for the mix.
  public var channels: UInt32 = 0
  /// nil: as received, f32 for Opus and the mix.
  public var sampleFormat: SampleFormat?
  /// The length of the buffers that are delivered, 10, 20, 30 to 100 ms; 0: as received, 20 for the mix.
  public var bufferMilliseconds: UInt32 = 0
  /// On which thread the frame callback is called; of the mix it is always the mixer's.
  public var delivery = IncomingVideoOptions.Delivery.queued
  /// Which of buffers and packets are queued to be read. The mix and raw streams have no packets.
  public var output = IncomingVideoOptions.Output.raw
  /// Audio that may be queued to be read, in milliseconds: 20 to 60,000.
  public var queueMilliseconds: UInt32 = 500
  /// Which one is dropped when a queue is full; `.wait` is refused with `.unsupported`.
  public var queuePolicy = QueuePolicy.dropOldest

  /// Buffers as received, in a queue of 500 ms of which the oldest is dropped. `IncomingAudio.start` checks the values.
  public init() {}

  func check() throws(MediaError) {
    if sampleRate != 0 { try AudioLimits.checkRate(sampleRate, argument: "options.sample_rate") }
    if channels != 0 { try AudioLimits.checkChannels(channels, argument: "options.channels") }
    if bufferMilliseconds != 0 { try AudioLimits.checkBuffer(milliseconds: bufferMilliseconds, argument: "options.buffer_ms") }
    guard (20...60_000).contains(queueMilliseconds) else {
      throw MediaError(.range, "options.queue_ms is \(queueMilliseconds); accepted: 20..60000, or 0 for 500")
    }
    guard queuePolicy != .wait else {
      throw MediaError(.unsupported, "options.queue_policy is MSDK_POLICY_WAIT; accepted: MSDK_POLICY_DROP_OLDEST, MSDK_POLICY_DROP_NEWEST")
    }
  }

  /// What comes out when this goes in.
  func wanted(from format: AudioFormat) -> AudioFormat {
    var wanted = format
    if sampleRate != 0 { wanted.sampleRate = sampleRate }
    if channels != 0 { wanted.channels = channels }
    if let sampleFormat { wanted.sampleFormat = sampleFormat }
    wanted.samplesPerBuffer =
      bufferMilliseconds == 0 ? 0 : AudioLimits.samples(sampleRate: wanted.sampleRate, milliseconds: bufferMilliseconds)
    return wanted
  }

  /// What the mixer makes, always of floats: nothing comes by itself.
  var mixFormat: AudioFormat {
    var format = wanted(from: AudioFormat(.f32, sampleRate: 48_000, channels: 2))
    format.sampleFormat = .f32
    format.samplesPerBuffer = AudioLimits.samples(
      sampleRate: format.sampleRate, milliseconds: bufferMilliseconds == 0 ? 20 : bufferMilliseconds)
    return format
  }
}
