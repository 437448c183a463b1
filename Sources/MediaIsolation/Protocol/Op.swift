/// What the library asks of the plugin, one at a time. Each is answered by a `ReplyHeader`.
public enum Op: UInt32 {
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

extension Op {
  /// Whether it may be made beside another call, and on any thread of the plugin: what changes or asks it, and brings no memory along.
  public var isForAnyThread: Bool {
    switch self {
    case .destroy, .setParam, .getParam, .paramChoice, .part, .rest, .command, .initCapture, .releaseCapture, .startCapture, .stopCapture,
      .captureSettings, .enumFormats, .setFormat, .initRender, .releaseRender, .acceptsFormat, .flush, .snapshotFormat, .acceptsCodec,
      .updateInput,
      .removeInput, .initAudioCapture, .releaseAudioCapture, .startAudioCapture, .stopAudioCapture, .audioCaptureSettings, .setAudioFormat,
      .initAudioRender, .releaseAudioRender, .startAudioRender, .stopAudioRender, .renderSettings, .acceptsAudioCodec:
      true
    default: false
    }
  }
}
