import MediaCore

/// A track of a participant, as a server tells of it.
public struct LiveKitTrack: Sendable, Equatable {
  var info: LiveKitTrackInfo
  /// In which its publisher announced it; 0: they did not say.
  public private(set) var layers = 0

  /// One that its publisher has not announced in this protocol.
  public init(sid: String, isVideo: Bool, isScreen: Bool, width: UInt32 = 0, height: UInt32 = 0, isMuted: Bool = false) {
    info = LiveKitTrackInfo()
    (info.sid, info.type, info.isMuted) = (sid, isVideo ? .video : .audio, isMuted)
    (info.width, info.height) = (width, height)
    info.source = isVideo ? (isScreen ? .screenShare : .camera) : (isScreen ? .screenShareAudio : .microphone)
    info.mimeType = isVideo ? "video/vp8" : "audio/opus"
  }

  /// As a server tells of it.
  init(_ info: LiveKitTrackInfo) { self.info = info }

  /// As the client announces it.
  init(_ announced: LiveKitAddTrack, sid: String) {
    info = LiveKitTrackInfo()
    (info.sid, info.type, info.name, info.isMuted) = (sid, announced.type, announced.name, announced.isMuted)
    (info.width, info.height, info.source) = (announced.width, announced.height, announced.source)
    (info.hasNoDTX, info.isStereo, info.hasNoRED) = (announced.hasNoDTX, announced.isStereo, announced.hasNoRED)
    (info.encryption, info.stream, info.format) = (announced.encryption, announced.stream, announced.format)
    // What is said more than once, and of audio, counts for nothing.
    if announced.type == .video { info.trailers = LiveKitTrailerFeature.allCases.filter(announced.trailers.contains) }
    layers = announced.layers.count
    // VP8, unless H.264 is announced. What comes says it then.
    let isH264 = HTTPText.lower(announced.codecs.first?.codec ?? "") == "h264"
    info.mimeType = announced.type == .video ? (isH264 ? "video/h264" : "video/vp8") : "audio/opus"
  }

  /// "TR_…".
  public var sid: String { info.sid }
  /// Of video; else of audio.
  public var isVideo: Bool { info.type == .video }
  /// Of a shared screen, or its audio.
  public var isScreen: Bool { info.source == .screenShare || info.source == .screenShareAudio }
  /// As a token grants it (`LiveKitGrants.sources`); nil: it does not say, or what it says is not of its type.
  public var source: String? {
    switch (info.source, isVideo) {
    case (.camera, true): "camera"
    case (.microphone, false): "microphone"
    case (.screenShare, true): "screen_share"
    case (.screenShareAudio, false): "screen_share_audio"
    default: nil
    }
  }
  /// Of a shared picture; 0: not known.
  public var size: (width: UInt32, height: UInt32) { (info.width, info.height) }
  /// Of a publisher of this library; nil: it is not known, or the track is of audio.
  public var videoFormat: VideoFormat? {
    get { isVideo ? info.format?.video(width: info.width, height: info.height) : nil }
    set { info.format = newValue.map { LiveKitStreamFormat($0) } }
  }
  /// As `videoFormat`, of audio.
  public var audioFormat: AudioFormat? {
    get { isVideo ? nil : info.format?.audio }
    set { info.format = newValue.map { LiveKitStreamFormat($0) } }
  }
  /// "vp8", "opus"; empty: the publisher does not say.
  public var codec: String {
    get { HTTPText.lower(info.mimeType.utf8.split(separator: UInt8(ascii: "/")).dropFirst().first.map { String(Substring($0)) } ?? "") }
    set { info.mimeType = "\(isVideo ? "video" : "audio")/\(newValue)" }
  }
  /// End to end: nobody can read it without a key.
  public var isEncrypted: Bool {
    get { info.encryption != .none }
    set { info.encryption = newValue ? .gcm : .none }
  }
  /// Of video: frames may have metadata, which follows their data (`FrameTrailer`).
  public var carriesMetadata: Bool {
    get { !info.trailers.isEmpty }
    set { info.trailers = newValue && isVideo ? LiveKitTrailerFeature.allCases : [] }
  }
  /// By its publisher.
  public var isMuted: Bool {
    get { info.isMuted }
    set { info.isMuted = newValue }
  }
}
