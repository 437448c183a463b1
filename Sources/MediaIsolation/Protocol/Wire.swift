import CMediaSDK
import MediaCore
import MediaPlugins

/// What passes between the library and the process of a plugin, as messages of SOCK_SEQPACKET sockets. Both sides are of one build or of two that
/// say the same version; numbers are the machine's own. Whatever comes from the plugin's side is copied out first and checked then.
enum Wire {
  /// Counted up with every change of what follows.
  static let version = 4
  /// The largest message. What is longer lies in common memory.
  static let largest = 96 << 10
  /// Text and bytes inside a message.
  static let longestBytes = 80 << 10
  /// Slots of a pool of common memory: bits of a mask.
  static let slotCount: UInt32 = 8
  /// Of what is lent to a renderer of several inputs, which may keep frames of each: as many as the mask has bits, unless they are huge.
  static let mostSlots: UInt32 = 32
  static let mostLent = 1 << 30
  /// One slot, 8192x8192 of four bytes.
  static let largestSlot = 256 << 20

  /// The descriptors that the program of plugins is started with.
  enum Descriptor {
    static let calls: Int32 = 3
    static let events: Int32 = 4
    static let control: Int32 = 5
  }
}

/// What the library asks of the plugin, one at a time. Each is answered by a `ReplyHeader`.
enum Op: UInt32 {
  case create = 1, destroy, setParam, getParam, paramChoice
  case downPool
  /// Of what is longer than a message (`LongMessages`), and commands.
  case part = 8, rest, command
  case initCapture = 16, releaseCapture, startCapture, stopCapture, captureSettings, enumFormats, setFormat, produceFrame, requestKeyFrame
  case initRender = 32, releaseRender, acceptsFormat, renderFrame, flush, snapshotFormat, snapshot, acceptsCodec, renderEncoded
  case updateInput, removeInput, renderInput
  case initAudioCapture = 64, releaseAudioCapture, startAudioCapture, stopAudioCapture, audioCaptureSettings, setAudioFormat, produceAudio
  case openVideoEncoder = 144, closeVideoEncoder, setVideoRate, encodeVideo, setVideoBytes
  case openVideoDecoder = 152, closeVideoDecoder, decodeVideo
  case openAudioEncoder = 160, closeAudioEncoder, setAudioRate, encodeAudio
  case openAudioDecoder = 168, closeAudioDecoder, decodeAudio, concealAudio, recoverAudio
  /// Of a class, without an instance.
  case load = 176, parseVideo, parseAudio
  case initAudioRender = 80, releaseAudioRender, startAudioRender, stopAudioRender, renderSettings, renderAudio, acceptsAudioCodec,
    renderPacket
  case initFilter = 112, releaseFilter, setFilterFormat, filterFrame, flushFilter
  case initAudioFilter = 120, releaseAudioFilter, setAudioFilterFormat, filterAudio, flushAudioFilter
}

struct CallHeader: BitwiseCopyable {
  var op: UInt32
  var id: UInt32
  /// The engine's clock.
  var now: Int64
  /// Slots of that pool that the plugin may fill from now on.
  var generation: UInt32
  var granted: UInt32
}

struct ReplyHeader: BitwiseCopyable {
  var id: UInt32
  var result: msdk_result
  /// Whether the plugin still refers to the slot that came with the call.
  var keepsSlot: UInt32
  var unused: UInt32 = 0
  var delay: Int64
}

/// What the plugin's side says of its own accord, on the events' socket. An id that is not 0 is waited for.
enum Upcall: UInt32 {
  case log = 1, event, setError
  /// Room for pictures: the answer brings a pool.
  case need
  case consumeVideo, consumeAudio, consumeEncoded
  /// For a renderer of sound that pulls.
  case read
  /// Slots that a renderer had kept.
  case giveBack
  /// Of a thread-safe command.
  case commandAnswer
  /// The reply to a call that was made on a thread that waits (`ReentrantCalls`); the id is what it waits under.
  case answered
}

struct UpcallHeader: BitwiseCopyable {
  var kind: UInt32
  var id: UInt32
}

/// What the library sends there: answers, slots that may be filled again, thread-safe commands, in parts where they are long, and calls for a thread
/// that waits (`ReentrantCalls`).
enum Downcall: UInt32 {
  case answer = 1, grant, command, call
}

struct DowncallHeader: BitwiseCopyable {
  var kind: UInt32
  var id: UInt32
  var result: msdk_result
  var generation: UInt32
  /// Slots, or the capacity of a slot in KiB.
  var number: UInt32
}

/// A picture in common memory.
struct PictureHeader: BitwiseCopyable {
  var generation: UInt32 = 0
  var slot: UInt32 = 0
  var flags: UInt32 = 0
  var orientation: UInt32 = 0
  var format = FormatHeader()
  var timestamp: Int64 = 0
  var duration: Int64 = 0
  var sequence: UInt64 = 0
  /// From the slot's beginning.
  var offsets: (UInt64, UInt64, UInt64) = (0, 0, 0)
  var strides: (Int32, Int32, Int32, UInt32) = (0, 0, 0, 0)
}

/// msdk_video_format without what is of no meaning here.
struct FormatHeader: BitwiseCopyable {
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

/// A buffer of sound, whose samples follow it in the message; of packets and encoded pictures see `EncodedHeader`.
struct SoundHeader: BitwiseCopyable {
  var sampleFormat: UInt32 = 0
  var sampleRate: UInt32 = 0
  var channels: UInt32 = 0
  var samplesPerBuffer: UInt32 = 0
  var sampleCount: UInt32 = 0
  var flags: UInt32 = 0
  var timestamp: Int64 = 0
  var sequence: UInt64 = 0
  /// Not 0 is refused by whoever it is told to.
  var planar: UInt32 = 0
  var unused: UInt32 = 0
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

/// An encoded picture or a packet; the bytes lie in a slot, or with `slot` = .max follow it.
struct EncodedHeader: BitwiseCopyable {
  var generation: UInt32 = 0
  var slot: UInt32 = .max
  var codec: UInt32 = 0
  var flags: UInt32 = 0
  var width: UInt32 = 0
  var height: UInt32 = 0
  var orientation: UInt32 = 0
  var level: UInt32 = 0
  var size: UInt64 = 0
  var timestamp: Int64 = 0
  var duration: Int64 = 0
  var sequence: UInt64 = 0
  var color: (UInt32, UInt32, UInt32, UInt32) = (0, 0, 0, 0)
  var sound: (UInt32, UInt32) = (0, 0)

  init() {}

  init(_ frame: msdk_encoded_frame) {
    (codec, flags, width, height) = (frame.codec, frame.flags, frame.width, frame.height)
    (orientation, level, size) = (frame.orientation, frame.level, frame.size)
    (timestamp, duration, sequence) = (frame.timestamp_ns, frame.duration_ns, frame.sequence)
    color = (frame.color_primaries, frame.color_transfer, frame.color_matrix, frame.color_full_range)
    sound = (frame.sample_rate, frame.channels)
  }

  var native: msdk_encoded_frame {
    var frame = msdk_encoded_frame()
    frame.struct_size = UInt32(MemoryLayout<msdk_encoded_frame>.size)
    (frame.codec, frame.flags, frame.width, frame.height) = (codec, flags, width, height)
    (frame.orientation, frame.level, frame.size) = (orientation, level, size)
    (frame.timestamp_ns, frame.duration_ns, frame.sequence) = (timestamp, duration, sequence)
    (frame.color_primaries, frame.color_transfer, frame.color_matrix, frame.color_full_range) = color
    (frame.sample_rate, frame.channels) = sound
    return frame
  }
}
