import CMediaSDK
import MediaCore

/// How much time an encoder may take. The raw values are MSDK_PRESET_* of outgoing_video.h.
public enum EncoderPreset: UInt32, CaseIterable, Sendable {
  case realtime = 0
  case fastest = 1
  case balanced = 2
  case quality = 3
}

/// What a video encoder is made for, passed to its class as msdk_video_encoder_settings (plugin.h).
public struct VideoEncoderSettings: Sendable, Equatable {
  /// In pixels, of the frames that are encoded.
  public var width: UInt32
  /// In pixels, of the frames that are encoded.
  public var height: UInt32
  /// The rate that is expected, for the budget of the first frames and for frames without a duration. Unknown is read as 30.
  public var frameRate: FrameRate
  /// Threads that the encoder may use.
  public var threads: Int
  /// How much time the encoder may take.
  public var preset: EncoderPreset
  /// Bits a second.
  public var targetBitrate: UInt64
  /// Frames are left out when the rate control's buffer holds less than this per cent of its aim; 0: never.
  public var dropThreshold: UInt32
  /// Screens: text is to be sharp, and what stands still is to cost nothing.
  public var isScreen: Bool
  /// 2: every second frame is one that no other is predicted from, where the codec can; 1: each may be predicted from the one before.
  public var temporalLayers: UInt32

  /// A camera's frames in real time on one thread, by default. The values are not checked here.
  public init(
    width: UInt32, height: UInt32, frameRate: FrameRate, threads: Int = 1, preset: EncoderPreset = .realtime, targetBitrate: UInt64,
    dropThreshold: UInt32 = 30, isScreen: Bool = false, temporalLayers: UInt32 = 1
  ) {
    self.width = width
    self.height = height
    self.frameRate = frameRate
    self.threads = threads
    self.preset = preset
    self.targetBitrate = targetBitrate
    self.dropThreshold = dropThreshold
    self.isScreen = isScreen
    self.temporalLayers = temporalLayers
  }
}

extension VideoEncoderSettings {
  package var foreign: msdk_video_encoder_settings {
    msdk_video_encoder_settings(
      struct_size: UInt32(MemoryLayout<msdk_video_encoder_settings>.size), width: width, height: height, fps_num: frameRate.numerator,
      fps_den: frameRate.denominator, threads: UInt32(clamping: threads), preset: preset.rawValue,
      kind: UInt32(isScreen ? MSDK_VIDEO_SCREEN_SHARE : MSDK_VIDEO_VIRTUAL), target_bitrate: targetBitrate,
      drop_threshold: dropThreshold, temporal_layers: temporalLayers)
  }

  init(_ native: msdk_video_encoder_settings) throws(MediaError) {
    guard let preset = EncoderPreset(rawValue: native.preset) else {
      throw MediaError(.range, "the encoder's preset is \(native.preset); accepted: MSDK_PRESET_*, 0..3")
    }
    self.init(
      width: native.width, height: native.height, frameRate: FrameRate(native.fps_num, native.fps_den), threads: Int(native.threads),
      preset: preset, targetBitrate: native.target_bitrate,
      dropThreshold: native.drop_threshold, isScreen: native.kind == UInt32(MSDK_VIDEO_SCREEN_SHARE),
      temporalLayers: max(1, native.temporal_layers))
  }
}

/// What a video decoder is made for, passed to its class as msdk_video_decoder_settings (plugin.h).
public struct VideoDecoderSettings: Sendable, Equatable {
  /// Threads that the decoder may use.
  public var threads: Int
  /// The most pixels of a picture: what is received must not be able to make the decoder take any amount of memory.
  public var maximumPixels: UInt64

  /// One thread and frames of up to 4096x4096 pixels, by default.
  public init(threads: Int = 1, maximumPixels: UInt64 = 4096 * 4096) {
    self.threads = threads
    self.maximumPixels = maximumPixels
  }
}
