import MediaCore

/// What the encoder is made for. The raw values are MSDK_OPUS_* of outgoing_audio.h.
public enum OpusApplication: UInt32, CaseIterable, Sendable {
  case voip = 0
  case audio = 1
  case lowDelay = 2
}

public struct AudioEncoderSettings: Sendable, Equatable {
  /// 8000, 12000, 16000, 24000, 48000.
  public var sampleRate: UInt32
  public var channels: Int
  public var application: OpusApplication
  /// Bits a second.
  public var bitrate: Int
  /// 0...10: time for quality.
  public var complexity: Int
  /// A packet carries the one before it again, smaller, when losses are expected.
  public var fec: Bool
  /// Per cent of packets.
  public var expectedLoss: Int
  /// Silence is left out.
  public var dtx: Bool

  public init(
    sampleRate: UInt32 = 48_000, channels: Int = 1, application: OpusApplication = .voip, bitrate: Int = 32_000, complexity: Int = 9,
    fec: Bool = false, expectedLoss: Int = 0, dtx: Bool = false
  ) {
    self.sampleRate = sampleRate
    self.channels = channels
    self.application = application
    self.bitrate = bitrate
    self.complexity = complexity
    self.fec = fec
    self.expectedLoss = expectedLoss
    self.dtx = dtx
  }
}

/// Makes packets of sound. Used by one thread at a time, which may change.
public protocol AudioEncoder: AnyObject, Sendable {
  /// Samples per channel, at the encoder's rate, by which the decoded sound is late.
  var lookahead: Int { get }

  /// One packet of 2.5, 5, 10, 20, 40 or 60 ms of interleaved samples. Its bytes are valid inside `body` only; nil when DTX leaves it out.
  func encode<Result>(
    _ samples: UnsafeBufferPointer<Float>, body: (UnsafeRawBufferPointer) throws(MediaError) -> Result
  ) throws(MediaError) -> Result?

  /// From the next packet on.
  func setBitrate(_ bitsPerSecond: Int) throws(MediaError)

  /// Per cent of packets, which steers how much is spent on redundancy.
  func setExpectedLoss(_ percent: Int) throws(MediaError)
}

/// Makes sound of packets: interleaved, 48,000 Hz. Counts are samples per channel. Used by one thread at a time, which may change.
public protocol AudioDecoder: AnyObject, Sendable {
  /// Data that is no packet is `.corrupt`, and leaves the decoder as it was; `.bufferSmall` when `into` cannot hold the packet's samples.
  func decode(_ packet: UnsafeRawBufferPointer, into: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int

  /// Makes up what was lost: a multiple of 2.5 ms, 120 samples, up to 120 ms.
  func conceal(sampleCount: Int, into: UnsafeMutableBufferPointer<Float>) throws(MediaError) -> Int

  /// The same from what the packet after the loss carries of it, to be called before that is decoded; nil when it carries nothing of it,
  /// or what it carries cannot be used: then `conceal`.
  func recover(
    sampleCount: Int, from next: UnsafeRawBufferPointer, into: UnsafeMutableBufferPointer<Float>
  ) throws(MediaError) -> Int?

  /// Forgets the sound.
  func reset()
}

/// What a packet tells without being decoded.
public struct AudioPacketHeader: Sendable, Equatable {
  /// Per channel at 48,000 Hz, of all frames in the packet.
  public var sampleCount: Int
  public var channels: Int
  /// It carries something of the packet before it.
  public var hasRedundancy: Bool

  public init(sampleCount: Int, channels: Int, hasRedundancy: Bool) {
    self.sampleCount = sampleCount
    self.channels = channels
    self.hasRedundancy = hasRedundancy
  }
}

/// A codec. To add one, write it in a file of its own and list it in `all`.
public struct AudioCodec: Sendable {
  public let fourcc: UInt32
  public let name: String
  public let makeEncoder: @Sendable (AudioEncoderSettings) throws(MediaError) -> any AudioEncoder
  /// For so many channels, whatever the packets have.
  public let makeDecoder: @Sendable (Int) throws(MediaError) -> any AudioDecoder
  public let parse: @Sendable (UnsafeRawBufferPointer) throws(MediaError) -> AudioPacketHeader

  public static let all: [AudioCodec] = [.opus]

  public static func named(_ fourcc: UInt32, argument: String = "codec") throws(MediaError) -> AudioCodec {
    for codec in all where codec.fourcc == fourcc { return codec }
    let accepted = all.map(\.name).joined(separator: ", ")
    throw MediaError(.unsupported, "\(argument) is \(FourCC.text(fourcc)); accepted: \(accepted)")
  }
}
