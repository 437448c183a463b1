import MediaCore

/// How sound is wanted; nil and 0 stand for "as it comes" and for the defaults of incoming_audio.h.
public struct IncomingAudioOptions: Sendable {
  public var sampleRate: UInt32 = 0
  public var channels: UInt32 = 0
  public var sampleFormat: SampleFormat?
  public var bufferMilliseconds: UInt32 = 0
  public var delivery = IncomingVideoOptions.Delivery.queued
  public var output = IncomingVideoOptions.Output.raw
  public var queueMilliseconds: UInt32 = 500
  public var queuePolicy = QueuePolicy.dropOldest

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
