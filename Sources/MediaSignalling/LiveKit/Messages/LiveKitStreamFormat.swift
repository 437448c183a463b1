import CMediaSDK
import MediaCore

/// What a publisher of this library says of a track's format beside its size: a field of `LiveKitAddTrack` and `LiveKitTrackInfo`
/// (`LiveKitExtension.field`), sent only where both ends have it. Codes are those of types.h.
struct LiveKitStreamFormat: ProtoMessage {
  /// Of pixels, or of samples.
  var layout: UInt32 = 0
  var rateNumerator: UInt32 = 0
  var rateDenominator: UInt32 = 0
  var primaries: UInt32 = 0
  var transfer: UInt32 = 0
  var matrix: UInt32 = 0
  var isFullRange = false
  var contentHint: UInt32 = 0
  /// Nanoseconds.
  var expectedDelay: Int64 = 0
  var sampleRate: UInt32 = 0
  var channels: UInt32 = 0
  /// Per channel in a buffer; 0: any.
  var samples: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &layout)
    fields.number(2, &rateNumerator)
    fields.number(3, &rateDenominator)
    fields.number(4, &primaries)
    fields.number(5, &transfer)
    fields.number(6, &matrix)
    fields.flag(7, &isFullRange)
    fields.number(8, &contentHint)
    fields.number(9, &expectedDelay)
    fields.number(10, &sampleRate)
    fields.number(11, &channels)
    fields.number(12, &samples)
  }

  init() {}

  init(_ format: VideoFormat) {
    (layout, rateNumerator, rateDenominator) = (format.pixelFormat.rawValue, format.frameRate.numerator, format.frameRate.denominator)
    (primaries, transfer, matrix) = (format.color.primaries, format.color.transfer, format.color.matrix)
    (isFullRange, contentHint, expectedDelay) = (format.color.fullRange, format.contentHint, format.expectedDelay)
  }

  init(_ format: AudioFormat) {
    (layout, expectedDelay) = (format.sampleFormat.rawValue, format.expectedDelay)
    (sampleRate, channels, samples) = (format.sampleRate, format.channels, format.samplesPerBuffer)
  }

  /// Of that size, checked as a caller's would be; nil: there is no such format.
  func video(width: UInt32, height: UInt32) -> VideoFormat? {
    var format = msdk_video_format()
    (format.pixel_format, format.width, format.height) = (layout, width, height)
    (format.fps_num, format.fps_den) = (rateNumerator, rateDenominator)
    (format.color_primaries, format.color_transfer, format.color_matrix) = (primaries, transfer, matrix)
    (format.color_full_range, format.content_hint, format.expected_delay_ns) = (isFullRange ? 1 : 0, contentHint, expectedDelay)
    return try? VideoFormat(checking: format, argument: "")
  }

  /// Checked as `video`.
  var audio: AudioFormat? {
    var format = msdk_audio_format()
    (format.sample_format, format.sample_rate, format.channels) = (layout, sampleRate, channels)
    (format.frames_per_buffer, format.expected_delay_ns) = (samples, expectedDelay)
    return try? AudioFormat(checking: format, argument: "")
  }
}
