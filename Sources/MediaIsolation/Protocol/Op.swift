/// What the library asks of the plugin, one at a time, and the properties of each call. Each is answered by a `ReplyHeader`. A new kind of instance has
/// its numbers here, its table in `ClassTables`, proxies in the library (`ProxyTables`), and a function of `PluginCalls` in the plugin's process.
public enum Op: UInt32, Sendable {
  case create = 0x001, destroy, setParam, getParam, paramChoice, inputPool
  /// Of what is longer than a message, and commands.
  case part, rest, command
  /// Of a class, without an instance.
  case load, parseVideo, parseAudio
  case initCapture = 0x100, releaseCapture, startCapture, stopCapture, captureSettings, enumFormats, setFormat, produceFrame
  case requestKeyFrame
  case initRender = 0x200, releaseRender, acceptsFormat, renderFrame, flush, snapshotFormat, snapshot, acceptsCodec, renderEncoded
  case updateInput, removeInput, renderInput
  case initFilter = 0x300, releaseFilter, setFilterFormat, filterFrame, flushFilter
  case openVideoEncoder = 0x400, closeVideoEncoder, setVideoRate, encodeVideo, setVideoBytes
  case openVideoDecoder = 0x500, closeVideoDecoder, decodeVideo
  case initAudioCapture = 0x600, releaseAudioCapture, startAudioCapture, stopAudioCapture, audioCaptureSettings, setAudioFormat
  case produceAudio
  case initAudioRender = 0x700, releaseAudioRender, startAudioRender, stopAudioRender, renderSettings, renderAudio, acceptsAudioCodec
  case renderPacket
  case initAudioFilter = 0x800, releaseAudioFilter, setAudioFilterFormat, filterAudio, flushAudioFilter
  case openAudioEncoder = 0x900, closeAudioEncoder, setAudioRate, encodeAudio
  case openAudioDecoder = 0xA00, closeAudioDecoder, decodeAudio, concealAudio, recoverAudio

  /// Whose functions a call is for.
  public enum Kind: UInt32, Sendable {
    case instance = 0
    case videoProducer, videoRenderer, videoFilter, videoEncoder, videoDecoder
    case audioProducer, audioRenderer, audioFilter, audioEncoder, audioDecoder
  }

  /// The high byte of the number; 0 is the instance itself.
  public var kind: Kind { Kind(rawValue: rawValue >> 8) ?? .instance }

  /// Whether it may be made beside another call, and on any thread of the plugin: what changes or asks it, and brings no memory along.
  public var isForAnyThread: Bool {
    switch self {
    case .create, .inputPool, .load, .parseVideo, .parseAudio, .produceFrame, .requestKeyFrame, .produceAudio, .renderFrame, .renderEncoded,
      .renderInput, .snapshot, .renderAudio, .renderPacket:
      return false
    default: break
    }
    switch kind {
    case .instance, .videoProducer, .videoRenderer, .audioProducer, .audioRenderer: return true
    default: return false
    }
  }

  // MARK: What is made again

  /// What brings a process that was started again to where the last one was, in this order.
  public static let restored: [Op] = [
    .initRender, .updateInput, .initCapture, .setFormat, .initAudioCapture, .setAudioFormat, .initAudioRender, .renderSettings,
    .initFilter, .setFilterFormat, .initAudioFilter, .setAudioFilterFormat, .startAudioRender,
    .openVideoEncoder, .setVideoBytes, .openVideoDecoder, .openAudioEncoder, .openAudioDecoder, .startCapture, .startAudioCapture
  ]

  /// The calls that are not made again after this one.
  public var undone: [Op] {
    switch self {
    case .releaseCapture: [.initCapture, .setFormat, .startCapture]
    case .stopCapture: [.startCapture]
    case .releaseRender: [.initRender, .updateInput]
    case .releaseFilter: [.initFilter, .setFilterFormat]
    case .openVideoEncoder, .closeVideoEncoder: [.openVideoEncoder, .setVideoBytes]
    case .closeVideoDecoder: [.openVideoDecoder]
    case .releaseAudioCapture: [.initAudioCapture, .setAudioFormat, .startAudioCapture]
    case .stopAudioCapture: [.startAudioCapture]
    case .releaseAudioRender: [.initAudioRender, .renderSettings, .startAudioRender]
    case .stopAudioRender: [.startAudioRender]
    case .releaseAudioFilter: [.initAudioFilter, .setAudioFilterFormat]
    case .closeAudioEncoder: [.openAudioEncoder]
    case .closeAudioDecoder: [.openAudioDecoder]
    default: []
    }
  }
}
