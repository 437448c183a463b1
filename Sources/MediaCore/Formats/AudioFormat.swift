import CMediaSDK

/// How a sample is stored, in the byte order of the machine; the raw values are MSDK_SAMPLE_* of types.h.
public enum SampleFormat: UInt32, CaseIterable, Sendable {
  case s16 = 1
  case f32 = 2

  /// Of one sample of one channel.
  public var byteCount: Int { self == .s16 ? 2 : 4 }
  /// As descriptions and error texts have it: "s16" or "f32".
  public var name: String { self == .s16 ? "s16" : "f32" }

  /// The format of a foreign value. `.unsupported`, with the argument's name in the text: there is none.
  public static func named(_ value: UInt32, argument: @autoclosure () -> String) throws(MediaError) -> SampleFormat {
    guard let format = SampleFormat(rawValue: value) else {
      throw MediaError(.unsupported, "\(argument()) is \(value); accepted: MSDK_SAMPLE_S16, MSDK_SAMPLE_F32")
    }
    return format
  }
}

/// What a stream of sound is made of: interleaved samples.
public struct AudioFormat: Sendable, Hashable, CustomStringConvertible {
  /// The type of each sample.
  public var sampleFormat: SampleFormat
  /// In Hz; not checked, except by `init(checking:argument:)`.
  public var sampleRate: UInt32
  /// 1 or 2, mono or stereo; not checked, except by `init(checking:argument:)`.
  public var channels: UInt32
  /// Per channel; 0 for any.
  public var samplesPerBuffer: UInt32
  /// Of a device.
  public var expectedDelay: Int64 = 0

  /// Of anything that crosses the border; streams are narrower (`AudioLimits`).
  public static let sampleRates: ClosedRange<UInt32> = 8000...192_000
  /// Per channel, in one buffer.
  public static let mostSamples: UInt32 = 192_000

  /// Checks nothing. The expected delay is 0.
  public init(_ sampleFormat: SampleFormat, sampleRate: UInt32, channels: UInt32, samplesPerBuffer: UInt32 = 0) {
    self.sampleFormat = sampleFormat
    self.sampleRate = sampleRate
    self.channels = channels
    self.samplesPerBuffer = samplesPerBuffer
  }

  /// Reads the foreign struct, whose members past its own size the caller has zeroed, and refuses what cannot be.
  public init(checking format: msdk_audio_format, argument: @autoclosure () -> String) throws(MediaError) {
    let sampleFormat = try SampleFormat.named(format.sample_format, argument: "\(argument()).sample_format")
    guard AudioFormat.sampleRates.contains(format.sample_rate) else {
      throw MediaError(.range, "\(argument()).sample_rate is \(format.sample_rate); accepted: 8000..192000")
    }
    guard (1...2).contains(format.channels) else {
      throw MediaError(.unsupported, "\(argument()).channels is \(format.channels); accepted: 1, 2")
    }
    guard format.planar == 0 else {
      throw MediaError(.unsupported, "\(argument()).planar is \(format.planar); accepted: 0, interleaved")
    }
    guard format.frames_per_buffer <= AudioFormat.mostSamples else {
      throw MediaError(.range, "\(argument()).frames_per_buffer is \(format.frames_per_buffer); accepted: 0..\(AudioFormat.mostSamples)")
    }
    try withUnsafeBytes(of: format.reserved) { bytes throws(MediaError) in
      guard bytes.allSatisfy({ $0 == 0 }) else { throw MediaError(.unsupported, "\(argument()).reserved is not 0; accepted: 0") }
    }
    self.init(
      sampleFormat, sampleRate: format.sample_rate, channels: format.channels, samplesPerBuffer: format.frames_per_buffer)
    expectedDelay = format.expected_delay_ns
  }

  /// For the C interface, with its size filled in.
  public var foreign: msdk_audio_format {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    format.sample_format = sampleFormat.rawValue
    format.sample_rate = sampleRate
    format.channels = channels
    format.frames_per_buffer = samplesPerBuffer
    format.expected_delay_ns = expectedDelay
    return format
  }

  /// Bytes of one sample of all channels.
  public var stride: Int { sampleFormat.byteCount * Int(channels) }

  /// Nanoseconds, rounded to nearest.
  public func duration(ofSamples count: Int) -> Int64 {
    MediaTime.nanoseconds(fromUnits: Int64(count), rate: sampleRate)
  }

  /// Whether the samples mean the same, whatever the length of a buffer.
  public func isSameSound(as other: AudioFormat) -> Bool {
    sampleFormat == other.sampleFormat && sampleRate == other.sampleRate && channels == other.channels
  }

  /// "s16 48000 Hz stereo", for error texts and logs.
  public var description: String { "\(sampleFormat.name) \(sampleRate) Hz \(channels == 1 ? "mono" : "stereo")" }
}

/// What streams are made of: outgoing_audio.h.
public enum AudioLimits {
  /// In Hz.
  public static let sampleRates: [UInt32] = [16_000, 22_050, 24_000, 32_000, 44_100, 48_000]
  /// How long one buffer of a stream may be.
  public static let bufferMilliseconds: [UInt32] = [10, 20, 30, 40, 50, 60, 70, 80, 90, 100]

  /// Samples per channel in a buffer: rounded down where they are no whole number.
  public static func samples(sampleRate: UInt32, milliseconds: UInt32) -> UInt32 {
    UInt32(UInt64(sampleRate) * UInt64(milliseconds) / 1000)
  }

  /// `.range`, with the argument's name in the text: none of `sampleRates`.
  public static func checkRate(_ rate: UInt32, argument: String) throws(MediaError) {
    guard sampleRates.contains(rate) else {
      let accepted = sampleRates.map(\.description).joined(separator: ", ")
      throw MediaError(.range, "\(argument) is \(rate); accepted: \(accepted)")
    }
  }

  /// `.range`, with the argument's name in the text: neither 1 nor 2.
  public static func checkChannels(_ channels: UInt32, argument: String) throws(MediaError) {
    guard (1...2).contains(channels) else { throw MediaError(.range, "\(argument) is \(channels); accepted: 1, 2") }
  }

  /// `.range`, with the argument's name in the text: none of `bufferMilliseconds`.
  public static func checkBuffer(milliseconds: UInt32, argument: String) throws(MediaError) {
    guard bufferMilliseconds.contains(milliseconds) else {
      throw MediaError(.range, "\(argument) is \(milliseconds); accepted: 10, 20, 30, 40, 50, 60, 70, 80, 90, 100")
    }
  }

  /// A linear factor. `.range`: below 0, above 8, or not a number.
  public static func checkGain(_ gain: Double) throws(MediaError) {
    guard gain >= 0, gain <= 8 else { throw MediaError(.range, "gain is \(gain); accepted: 0..8") }
  }
}
