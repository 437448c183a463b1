import CMediaSDK
import MediaCore

/// What the encoder is made for. The raw values are MSDK_OPUS_* of outgoing_audio.h.
public enum OpusApplication: UInt32, CaseIterable, Sendable {
  case voip = 0
  case audio = 1
  case lowDelay = 2
}

/// What an audio encoder is made for, passed to its class as msdk_audio_encoder_settings (plugin.h).
public struct AudioEncoderSettings: Sendable, Equatable {
  /// 8000, 12000, 16000, 24000, 48000.
  public var sampleRate: UInt32
  /// 1 or 2.
  public var channels: Int
  /// What the encoder is optimised for (RFC 6716, section 2.1.1).
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

  /// Speech of one channel at 48 kHz by default. The values are not checked here.
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

extension AudioEncoderSettings {
  package var foreign: msdk_audio_encoder_settings {
    msdk_audio_encoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_audio_encoder_settings>.size), sample_rate: sampleRate, channels: UInt32(clamping: channels),
      application: application.rawValue, bitrate: UInt64(clamping: bitrate), complexity: UInt32(clamping: complexity), fec: fec ? 1 : 0,
      expected_loss: UInt32(clamping: expectedLoss), dtx: dtx ? 1 : 0)
  }

  init(_ native: msdk_audio_encoder_settings) throws(MediaError) {
    guard let application = OpusApplication(rawValue: native.application) else {
      throw MediaError(.range, "the encoder's application is \(native.application); accepted: MSDK_OPUS_*, 0..2")
    }
    self.init(
      sampleRate: native.sample_rate, channels: Int(native.channels), application: application, bitrate: Int(clamping: native.bitrate),
      complexity: Int(native.complexity), fec: native.fec != 0, expectedLoss: Int(native.expected_loss), dtx: native.dtx != 0)
  }
}
