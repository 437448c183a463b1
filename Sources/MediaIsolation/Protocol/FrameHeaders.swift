import CMediaSDK
import MediaCore

/// A video frame in a slot of shared memory.
public struct VideoFrameHeader: BitwiseCopyable, Sendable {
  /// Of the pool that the slot is of.
  public var generation: UInt32 = 0
  /// Its number in the pool.
  public var slot: UInt32 = 0
  /// MSDK_FRAME_*, without MSDK_FRAME_WRITABLE.
  public var flags: UInt32 = 0
  /// MSDK_ROTATE_* and MSDK_MIRROR.
  public var orientation: UInt32 = 0
  var format = VideoFormatHeader()
  /// In nanoseconds.
  public var timestamp: Int64 = 0
  /// In nanoseconds.
  public var duration: Int64 = 0
  /// As the frame has it.
  public var sequence: UInt64 = 0
  /// From the slot's beginning.
  public var offsets: (UInt64, UInt64, UInt64) = (0, 0, 0)
  /// In bytes, by plane; the fourth member is unused.
  public var strides: (Int32, Int32, Int32, UInt32) = (0, 0, 0, 0)

  init() {}
}

extension VideoFrameHeader {
  /// Of a frame: all but where it is.
  public init(of frame: VideoFrame) {
    let native = frame.native.pointee
    flags = native.flags & ~UInt32(MSDK_FRAME_WRITABLE)
    orientation = native.orientation
    format = native.format.map { VideoFormatHeader($0.pointee) } ?? VideoFormatHeader()
    (timestamp, duration, sequence) = (native.timestamp_ns, native.duration_ns, native.sequence)
  }

  /// Where a plane lies, in bytes; an index above 1 is the third plane.
  public mutating func setPlane(_ index: Int, offset: Int, stride: Int32) {
    switch index {
    case 0: (offsets.0, strides.0) = (UInt64(offset), stride)
    case 1: (offsets.1, strides.1) = (UInt64(offset), stride)
    default: (offsets.2, strides.2) = (UInt64(offset), stride)
    }
  }

  /// A frame of what is in a slot, with one reference, the caller's; `release` gets `user` after the last. Its planes are checked to be in the slot.
  public func wrap(
    _ slot: UnsafeMutableRawPointer, size slotSize: Int, user: UnsafeMutableRawPointer,
    release: @escaping @convention(c) (UnsafeMutableRawPointer?) -> Void
  ) throws(MediaError) -> VideoFrame {
    let native = format.native
    let known = try VideoFormat(checking: native, argument: "the frame's format")
    let size = UInt64(slotSize)
    func plane(_ offset: UInt64, _ stride: Int32) throws(MediaError) -> msdk_plane {
      guard offset < size else { throw MediaError(.corrupt, "a plane begins at \(offset) of a slot of \(size) bytes") }
      return msdk_plane(
        data: (slot + Int(offset)).assumingMemoryBound(to: UInt8.self), size: size - offset, stride: stride, reserved0: 0, reserved1: 0)
    }
    var external = msdk_external_frame.sized
    external.plane_count = UInt32(known.pixelFormat.planeCount)
    external.orientation = orientation
    external.timestamp_ns = timestamp
    external.plane.0 = try plane(offsets.0, strides.0)
    if external.plane_count > 1 { external.plane.1 = try plane(offsets.1, strides.1) }
    if external.plane_count > 2 { external.plane.2 = try plane(offsets.2, strides.2) }
    (external.user, external.release) = (user, release)
    let frame = try withUnsafePointer(to: native) { format throws(MediaError) in
      external.format = format
      return try VideoFrame.wrap(checking: external)
    }
    frame.native.pointee.duration_ns = duration
    return frame
  }
}

/// msdk_video_format without what is of no meaning here.
struct VideoFormatHeader: BitwiseCopyable, Sendable {
  var pixelFormat: UInt32 = 0
  var width: UInt32 = 0
  var height: UInt32 = 0
  var rate: (UInt32, UInt32) = (0, 0)
  var color: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  var contentHint: UInt32 = 0
  var delay: Int64 = 0

  init() {}

  init(_ format: msdk_video_format) {
    pixelFormat = format.pixel_format
    (width, height) = (format.width, format.height)
    rate = (format.fps_num, format.fps_den)
    color = (format.color_primaries, format.color_transfer, format.color_matrix, format.color_full_range)
    contentHint = format.content_hint
    delay = format.expected_delay_ns
  }

  var native: msdk_video_format {
    var format = msdk_video_format()
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
    format.pixel_format = pixelFormat
    (format.width, format.height) = (width, height)
    (format.fps_num, format.fps_den) = rate
    (format.color_primaries, format.color_transfer, format.color_matrix, format.color_full_range) = color
    format.content_hint = contentHint
    format.expected_delay_ns = delay
    return format
  }
}

/// An audio frame, whose samples follow it in the message.
struct AudioFrameHeader: BitwiseCopyable, Sendable {
  var sampleFormat: UInt32 = 0
  var sampleRate: UInt32 = 0
  var channels: UInt32 = 0
  var samplesPerBuffer: UInt32 = 0
  var sampleCount: UInt32 = 0
  var flags: UInt32 = 0
  var timestamp: Int64 = 0
  var sequence: UInt64 = 0
  /// Not 0 is refused by the receiver.
  var planar: UInt32 = 0
  var level: UInt32 = 0
  var delay: Int64 = 0

  init() {}

  init(_ format: msdk_audio_format) {
    (sampleFormat, sampleRate, channels) = (format.sample_format, format.sample_rate, format.channels)
    samplesPerBuffer = format.frames_per_buffer
    (planar, delay) = (format.planar, format.expected_delay_ns)
  }

  var native: msdk_audio_format {
    var format = msdk_audio_format()
    format.struct_size = UInt32(MemoryLayout<msdk_audio_format>.size)
    (format.sample_format, format.sample_rate, format.channels) = (sampleFormat, sampleRate, channels)
    format.frames_per_buffer = samplesPerBuffer
    (format.planar, format.expected_delay_ns) = (planar, delay)
    return format
  }
}

/// An encoded video frame or an audio packet; the bytes are in a slot, or with `slot` = .max follow it.
public struct EncodedFrameHeader: BitwiseCopyable, Sendable {
  /// Of the pool that the slot is of.
  public var generation: UInt32 = 0
  /// Its number in the pool; .max: the data follows in the message.
  public var slot: UInt32 = .max
  var codec: UInt32 = 0
  var flags: UInt32 = 0
  var width: UInt32 = 0
  var height: UInt32 = 0
  var orientation: UInt32 = 0
  var level: UInt32 = 0
  /// Of the data, in bytes.
  public var size: UInt64 = 0
  var timestamp: Int64 = 0
  var duration: Int64 = 0
  var sequence: UInt64 = 0
  var color: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  var audio: (UInt32, UInt32) = (0, 0)

  init() {}

  /// Of a frame: all but where the data is.
  public init(_ frame: msdk_encoded_frame) {
    (codec, flags, width, height) = (frame.codec, frame.flags, frame.width, frame.height)
    (orientation, level, size) = (frame.orientation, frame.level, frame.size)
    (timestamp, duration, sequence) = (frame.timestamp_ns, frame.duration_ns, frame.sequence)
    color = (frame.color_primaries, frame.color_transfer, frame.color_matrix, frame.color_full_range)
    audio = (frame.sample_rate, frame.channels)
  }

  /// All but the address of the data, which the caller sets.
  public var native: msdk_encoded_frame {
    var frame = msdk_encoded_frame()
    frame.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
    (frame.codec, frame.flags, frame.width, frame.height) = (codec, flags, width, height)
    (frame.orientation, frame.level, frame.size) = (orientation, level, size)
    (frame.timestamp_ns, frame.duration_ns, frame.sequence) = (timestamp, duration, sequence)
    (frame.color_primaries, frame.color_transfer, frame.color_matrix, frame.color_full_range) = color
    (frame.sample_rate, frame.channels) = audio
    return frame
  }
}
