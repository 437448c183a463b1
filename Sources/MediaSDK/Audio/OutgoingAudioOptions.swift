import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins

/// What sound a program makes, and how it is to be sent. 0 stands for the default that outgoing_audio.h gives.
public struct OutgoingAudioOptions: Sendable {
  /// What the audio is of. The raw values are MSDK_AUDIO_* of outgoing_audio.h.
  public enum Kind: UInt32, Sendable {
    case microphone = 1
    case screenShare = 2
  }

  /// Selects the permission that the stream needs. Active speakers are detected from microphones only.
  public var kind = Kind.microphone
  /// 16,000, 22,050, 24,000, 32,000, 44,100 or 48,000 Hz.
  public var sampleRate: UInt32 = 48_000
  /// 1 or 2.
  public var channels: UInt32 = 1
  /// Of the samples that `send` accepts.
  public var sampleFormat = SampleFormat.s16
  /// The length of each buffer: 10, 20, 30 to 100 ms.
  public var bufferMilliseconds: UInt32 = 20
  /// Audio that may be queued, in milliseconds: from the length of a buffer to 60,000, and at most 4,000 buffers.
  public var queueMilliseconds: UInt32 = 500
  /// Reports that may be queued, 1 to 4,096; if the queue is full, the oldest is dropped.
  public var reportCapacity = 64
  /// 0: the SDK chooses, as `choosesCodec` says.
  public var codec: UInt32 = 0
  /// The program sends packets of `codec`, no samples.
  public var isEncodedInput = false
  /// What the encoder is optimised for (RFC 6716, section 2.1.1).
  public var application = OpusApplication.voip
  /// Bits a second; 0: 32,000 a channel.
  public var bitrate = 0
  /// Of the encoder, 0 to 10: time for quality.
  public var complexity = 9
  /// 0: 20, or 10 when buffers are of 10.
  public var packetMilliseconds: UInt32 = 0
  /// In-band forward error correction: a packet also carries a smaller copy of the previous one.
  public var fec = false
  /// Per cent; nil: 10 with `fec`, else 0.
  public var expectedLoss: Int?
  /// Discontinuous transmission: silence is not sent, except a packet every 400 ms.
  public var dtx = false

  /// Buffers in the queue. The pool has a few more, so that a full queue, not an empty pool, is what a program meets.
  static let mostQueued: UInt32 = 4_000

  /// A microphone: 48 kHz, one channel of s16, in buffers of 20 ms. `Engine.makeOutgoingAudio` checks the values.
  public init() {}

  /// What each buffer is made of.
  public var format: AudioFormat {
    let samples = AudioLimits.samples(sampleRate: sampleRate, milliseconds: bufferMilliseconds)
    return AudioFormat(sampleFormat, sampleRate: sampleRate, channels: channels, samplesPerBuffer: samples)
  }

  /// Raw while all members are in this process, Opus from when one is not.
  var choosesCodec: Bool { codec == 0 }
  /// What packets are of, if there are any.
  var encodedCodec: UInt32 { choosesCodec ? UInt32(MSDK_CODEC_OPUS) : codec }

  var packetDuration: UInt32 { packetMilliseconds == 0 ? (bufferMilliseconds == 10 ? 10 : 20) : packetMilliseconds }

  var encoderSettings: AudioEncoderSettings { encoderSettings(.builtIn) }

  /// At a rate that the codec takes.
  func encoderSettings(_ known: Codecs) -> AudioEncoderSettings {
    AudioEncoderSettings(
      sampleRate: (try? known.encodableAudio(encodedCodec))?.encoderRate(for: sampleRate) ?? 48_000, channels: Int(channels),
      application: application,
      bitrate: bitrate == 0 ? 32_000 * Int(channels) : bitrate, complexity: complexity, fec: fec,
      expectedLoss: expectedLoss ?? (fec ? 10 : 0), dtx: dtx)
  }

  func check(_ known: Codecs = .builtIn) throws(MediaError) {
    try AudioLimits.checkRate(sampleRate, argument: "options.sample_rate")
    try AudioLimits.checkChannels(channels, argument: "options.channels")
    try AudioLimits.checkBuffer(milliseconds: bufferMilliseconds, argument: "options.buffer_ms")
    let longest = min(60_000, OutgoingAudioOptions.mostQueued * bufferMilliseconds)
    guard (bufferMilliseconds...longest).contains(queueMilliseconds) else {
      throw MediaError(
        .range, "options.queue_ms is \(queueMilliseconds); accepted: buffer_ms (\(bufferMilliseconds))..\(longest), or 0 for 500")
    }
    guard (1...4096).contains(reportCapacity) else {
      throw MediaError(.range, "options.report_capacity is \(reportCapacity); accepted: 1..4096, or 0 for 64")
    }
    guard !isEncodedInput || codec != 0 && codec != FourCC.raw else {
      throw MediaError(.invalid, "options.encoded_input is 1 without a codec; accepted: with MSDK_CODEC_OPUS or another codec")
    }
    if codec != FourCC.raw {
      _ =
        isEncodedInput
        ? try known.audio(encodedCodec, argument: "options.codec") : try known.encodableAudio(encodedCodec, argument: "options.codec")
    }
    try OutgoingAudioOptions.check(bitrate: bitrate)
    guard (0...10).contains(complexity) else {
      throw MediaError(.range, "options.complexity is \(complexity); accepted: 1..10, MSDK_ZERO for 0, or 0 for 9")
    }
    guard [0, 10, 20, 40, 60].contains(packetMilliseconds) else {
      throw MediaError(.range, "options.packet_ms is \(packetMilliseconds); accepted: 10, 20, 40, 60, or 0 for the default")
    }
    try OutgoingAudioOptions.check(expectedLoss: expectedLoss ?? 0)
  }

  static func check(bitrate: Int) throws(MediaError) {
    guard bitrate == 0 || (6000...510_000).contains(bitrate) else {
      throw MediaError(.range, "bitrate is \(bitrate); accepted: 6000..510000, or 0")
    }
  }

  static func check(expectedLoss: Int) throws(MediaError) {
    guard (0...100).contains(expectedLoss) else { throw MediaError(.range, "expected_loss is \(expectedLoss); accepted: 0..100 per cent") }
  }
}
