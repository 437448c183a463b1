import MediaCore

/// What a track carries.
enum LiveKitTrackType: Int32, ProtoNamedChoice {
  case audio = 0, video = 1, data = 2

  static var names: String { "AUDIO VIDEO DATA" }
}

/// What a track is of.
enum LiveKitSource: Int32, ProtoNamedChoice {
  case unknown = 0, camera = 1, microphone = 2, screenShare = 3, screenShareAudio = 4

  static var names: String { "UNKNOWN CAMERA MICROPHONE SCREEN_SHARE SCREEN_SHARE_AUDIO" }
}

/// A layer of a video track.
enum LiveKitQuality: Int32, ProtoNamedChoice {
  case low = 0, medium = 1, high = 2, off = 3

  static var names: String { "LOW MEDIUM HIGH OFF" }
}

/// What frames are encrypted with between participants.
enum LiveKitEncryption: Int32, ProtoNamedChoice {
  case none = 0, gcm = 1, custom = 2

  static var names: String { "NONE GCM CUSTOM" }
}

/// What the trailers of a video track's frames may have (`FrameTrailer`).
enum LiveKitTrailerFeature: Int32, ProtoNamedChoice, CaseIterable {
  case userTimestamp = 0, frameID = 1, userData = 2

  static var names: String { "PTF_USER_TIMESTAMP PTF_FRAME_ID PTF_USER_DATA" }
}

/// A size that a video track is sent in.
struct LiveKitLayer: ProtoMessage {
  var quality = LiveKitQuality.low
  var width: UInt32 = 0
  var height: UInt32 = 0
  /// Bits a second.
  var bitrate: UInt32 = 0
  var ssrc: UInt32 = 0
  var spatialLayer: Int32 = 0
  var rid = ""
  var repairSSRC: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.choice(1, "quality", &quality)
    try fields.number(2, "width", &width)
    try fields.number(3, "height", &height)
    try fields.number(4, "bitrate", &bitrate)
    try fields.number(5, "ssrc", &ssrc)
    try fields.number(6, "spatial_layer", &spatialLayer)
    try fields.text(7, "rid", &rid)
    try fields.number(8, "repair_ssrc", &repairSSRC)
  }
}

/// A codec that a track is sent in, with its layers, as a client announces it.
struct LiveKitCodecLayers: ProtoMessage {
  var codec = ""
  var cid = ""
  var layers: [LiveKitLayer] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &codec)
    try fields.text(2, &cid)
    try fields.messages(4, &layers)
  }
}

/// A codec that a track is sent in, with its layers, as a server tells of it.
struct LiveKitCodecInfo: ProtoMessage {
  var mimeType = ""
  var mid = ""
  var cid = ""
  var layers: [LiveKitLayer] = []
  var sdpCID = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "mime_type", &mimeType)
    try fields.text(2, "mid", &mid)
    try fields.text(3, "cid", &cid)
    try fields.messages(4, "layers", &layers)
    try fields.text(6, "sdp_cid", &sdpCID)
  }
}

/// A track of somebody, as a server tells of it.
struct LiveKitTrackInfo: ProtoMessage {
  var sid = ""
  var type = LiveKitTrackType.audio
  var name = ""
  var isMuted = false
  var width: UInt32 = 0
  var height: UInt32 = 0
  var isSimulcast = false
  var hasNoDTX = false
  var source = LiveKitSource.unknown
  var layers: [LiveKitLayer] = []
  var mimeType = ""
  var mid = ""
  var codecs: [LiveKitCodecInfo] = []
  var isStereo = false
  var hasNoRED = false
  var encryption = LiveKitEncryption.none
  var stream = ""
  var trailers: [LiveKitTrailerFeature] = []
  var format: LiveKitStreamFormat?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "sid", &sid)
    try fields.choice(2, "type", &type)
    try fields.text(3, "name", &name)
    try fields.flag(4, "muted", &isMuted)
    try fields.number(5, "width", &width)
    try fields.number(6, "height", &height)
    try fields.flag(7, "simulcast", &isSimulcast)
    try fields.flag(8, "disable_dtx", &hasNoDTX)
    try fields.choice(9, "source", &source)
    try fields.messages(10, "layers", &layers)
    try fields.text(11, "mime_type", &mimeType)
    try fields.text(12, "mid", &mid)
    try fields.messages(13, "codecs", &codecs)
    try fields.flag(14, "stereo", &isStereo)
    try fields.flag(15, "disable_red", &hasNoRED)
    try fields.choice(16, "encryption", &encryption)
    try fields.text(17, "stream", &stream)
    try fields.choices(21, "packet_trailer_features", &trailers)
    try fields.message(LiveKitExtension.field, &format)
  }
}

/// A track that a client is about to publish.
struct LiveKitAddTrack: ProtoMessage {
  /// What its media section calls it.
  var cid = ""
  var name = ""
  var type = LiveKitTrackType.audio
  var width: UInt32 = 0
  var height: UInt32 = 0
  var isMuted = false
  var hasNoDTX = false
  var source = LiveKitSource.unknown
  var layers: [LiveKitLayer] = []
  var codecs: [LiveKitCodecLayers] = []
  var sid = ""
  var isStereo = false
  var hasNoRED = false
  var encryption = LiveKitEncryption.none
  var stream = ""
  var trailers: [LiveKitTrailerFeature] = []
  var format: LiveKitStreamFormat?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &cid)
    try fields.text(2, &name)
    fields.choice(3, &type)
    fields.number(4, &width)
    fields.number(5, &height)
    fields.flag(6, &isMuted)
    fields.flag(7, &hasNoDTX)
    fields.choice(8, &source)
    try fields.messages(9, &layers)
    try fields.messages(10, &codecs)
    try fields.text(11, &sid)
    fields.flag(12, &isStereo)
    fields.flag(13, &hasNoRED)
    fields.choice(14, &encryption)
    try fields.text(15, &stream)
    try fields.choices(18, &trailers)
    try fields.message(LiveKitExtension.field, &format)
  }
}

/// The answer to the announcement of a track.
struct LiveKitTrackPublished: ProtoMessage {
  var cid = ""
  var track: LiveKitTrackInfo?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &cid)
    try fields.message(2, &track)
  }
}

/// A track, by its sid.
struct LiveKitTrackID: ProtoMessage {
  var sid = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
  }
}

/// A track is muted, or not any longer.
struct LiveKitMute: ProtoMessage {
  var sid = ""
  var isMuted = false
  /// To a session of this library: who did that to its track, if it was a participant.
  var moderator = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.flag(2, &isMuted)
    try fields.text(LiveKitExtension.field, &moderator)
  }
}
