import CVPX
import MediaCore

/// libvpx's configuration for conversation: every frame at once, a constant rate, half a second of buffer.
func vp8Config(_ settings: VideoEncoderSettings) throws(MediaError) -> vpx_codec_enc_cfg_t {
  let limit = VP8FrameTag.maximumDimension
  guard 1...limit ~= settings.width, 1...limit ~= settings.height else {
    throw MediaError(.range, "the VP8 encoder's size is \(settings.width)x\(settings.height); accepted: width and height 1..\(limit)")
  }
  guard 1...64 ~= settings.threads else {
    throw MediaError(.range, "the VP8 encoder's threads are \(settings.threads); accepted: 1..64")
  }
  guard 1...2 ~= settings.temporalLayers else {
    throw MediaError(.range, "the VP8 encoder's temporal layers are \(settings.temporalLayers); accepted: 0..2")
  }
  guard settings.dropThreshold <= 100 else {
    throw MediaError(.range, "the VP8 encoder's drop threshold is \(settings.dropThreshold); accepted: 0..100 per cent")
  }
  var config = vpx_codec_enc_cfg_t()
  let status = vpx_codec_enc_config_default(vpx_codec_vp8_cx(), &config, 0)
  guard status == VPX_CODEC_OK else { throw vpxError("reading the VP8 encoder's defaults", status, nil) }
  config.g_w = settings.width
  config.g_h = settings.height
  config.g_threads = UInt32(settings.threads)
  config.g_timebase = vpx_rational(num: 1, den: VP8EncoderClock.ticksPerSecond)
  config.g_error_resilient = 0
  config.g_pass = VPX_RC_ONE_PASS
  config.g_lag_in_frames = 0
  config.rc_end_usage = VPX_CBR
  config.rc_target_bitrate = try vp8Kilobits(settings.targetBitrate)
  config.rc_dropframe_thresh = settings.dropThreshold
  config.rc_resize_allowed = 0
  // Text is hard to read above 40. Below 12, 45 dB, nobody sees what the bits buy, and a screen that stands still would go on buying
  // it: measured at 1920x1080, 0.9 kB a frame in place of 6.
  config.rc_min_quantizer = settings.isScreen ? 12 : 2
  config.rc_max_quantizer = settings.isScreen ? 40 : 56
  config.rc_undershoot_pct = 100
  config.rc_overshoot_pct = 15
  config.rc_buf_sz = 1000
  config.rc_buf_initial_sz = 500
  config.rc_buf_optimal_sz = 600
  // Key frames come when they are asked for, and at changes of scene.
  config.kf_mode = VPX_KF_AUTO
  config.kf_min_dist = 0
  config.kf_max_dist = 9999
  if settings.temporalLayers > 1 {
    // Else libvpx 1.12 mixes up probabilities after a frame that its rate control has dropped, and the pictures decay.
    config.g_error_resilient = vpx_codec_er_flags_t(VPX_ERROR_RESILIENT_DEFAULT)
    vp8Layer(&config)
  }
  return config
}

/// Two temporal layers of the bitrate of now, each a rate control of its own.
func vp8Layer(_ config: inout vpx_codec_enc_cfg_t) {
  config.ts_number_layers = 2
  config.ts_periodicity = 2
  (config.ts_rate_decimator.0, config.ts_rate_decimator.1) = (2, 1)
  (config.ts_layer_id.0, config.ts_layer_id.1) = (0, 1)
  config.ts_target_bitrate.0 = max(1, UInt32(Double(config.rc_target_bitrate) * vp8BasePart))
  config.ts_target_bitrate.1 = config.rc_target_bitrate
}

/// Of a frame of the base layer, and of one of the upper: from that nothing is predicted, neither pixels nor probabilities.
let vp8BaseFlags = Int(VP8_EFLAG_NO_UPD_GF | VP8_EFLAG_NO_UPD_ARF)
let vp8UpperFlags = vp8BaseFlags | Int(VP8_EFLAG_NO_UPD_LAST | VP8_EFLAG_NO_UPD_ENTROPY)

/// Of the bits those of the base layer: with so many the frames of both come out equally good.
let vp8BasePart = 0.65

/// What is set after the encoder is made.
func vp8Controls(_ settings: VideoEncoderSettings) -> [(control: UInt32, value: Int32)] {
  [
    (VP8E_SET_CPUUSED.rawValue, settings.preset.cpuUsed),
    // 1 spares blocks that have not changed at all, which costs no quality.
    (VP8E_SET_STATIC_THRESHOLD.rawValue, 1),
    (VP8E_SET_SCREEN_CONTENT_MODE.rawValue, settings.isScreen ? 1 : 0),
    (VP8E_SET_NOISE_SENSITIVITY.rawValue, 0),
    (VP8E_SET_TOKEN_PARTITIONS.rawValue, vp8TokenPartitions(threads: settings.threads)),
    (VP8E_SET_MAX_INTRA_BITRATE_PCT.rawValue, vp8MaximumIntraPercent(settings.frameRate))
  ]
}

/// Of 0 to 63, at and below which small black text on white comes out at about 40 dB.
let vp8SharpQuantizer: Int32 = 16

extension EncoderPreset {
  /// libvpx's name for the trade of quality for time; more negative is faster.
  var cpuUsed: Int32 {
    switch self {
    case .realtime: -8
    case .fastest: -12
    case .balanced: -5
    case .quality: -3
    }
  }
}

/// The logarithm of the number of token partitions: one a thread, 8 at most. One thread gains nothing by more.
private func vp8TokenPartitions(threads: Int) -> Int32 {
  switch threads {
  case ..<2: 0
  case 2: 1
  case 3...4: 2
  default: 3
  }
}

/// The size of a key frame at most, in per cent of an average frame: half of what the buffer is meant to hold, and no less than three
/// frames.
func vp8MaximumIntraPercent(_ frameRate: FrameRate) -> Int32 {
  let optimalBufferSeconds = 0.6
  let frames = optimalBufferSeconds / 2 * VP8EncoderClock.usable(frameRate).perSecond
  return Int32(min(max(frames * 100, 300), 10_000))
}

/// libvpx counts in kilobits and multiplies them by 1,000 in a signed 32-bit number.
func vp8Kilobits(_ bitsPerSecond: UInt64) throws(MediaError) -> UInt32 {
  guard 1000...2_000_000_000 ~= bitsPerSecond else {
    throw MediaError(.range, "the VP8 bit rate is \(bitsPerSecond); accepted: 1000..2000000000 bits a second")
  }
  return UInt32((bitsPerSecond + 500) / 1000)
}

func vpxError(_ doing: String, _ status: vpx_codec_err_t, _ context: UnsafeMutablePointer<vpx_codec_ctx_t>?) -> MediaError {
  var text = "\(doing): \(String(cString: vpx_codec_err_to_string(status)))"
  if let context, let detail = vpx_codec_error_detail(context) { text += " (\(String(cString: detail)))" }
  let kind: Status =
    switch status {
    case VPX_CODEC_MEM_ERROR: .noMemory
    case VPX_CODEC_INVALID_PARAM: .invalid
    case VPX_CODEC_INCAPABLE, VPX_CODEC_UNSUP_FEATURE, VPX_CODEC_ABI_MISMATCH: .unsupported
    case VPX_CODEC_CORRUPT_FRAME, VPX_CODEC_UNSUP_BITSTREAM: .corrupt
    default: .fail
    }
  return MediaError(kind, text)
}
