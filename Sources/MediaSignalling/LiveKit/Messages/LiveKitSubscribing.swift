import MediaCore

/// Tracks of one participant.
struct LiveKitParticipantTracks: ProtoMessage {
  var sid = ""
  var tracks: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    try fields.texts(2, &tracks)
  }
}

/// Tracks that a client wants, or does not want any longer.
struct LiveKitSubscription: ProtoMessage {
  var tracks: [String] = []
  var isWanted = false
  var participantTracks: [LiveKitParticipantTracks] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.texts(1, &tracks)
    fields.flag(2, &isWanted)
    try fields.messages(3, &participantTracks)
  }
}

/// How a client wants tracks.
struct LiveKitTrackSettings: ProtoMessage {
  var tracks: [String] = []
  var isPaused = false
  var quality = LiveKitQuality.low
  /// Pixels that they are shown in; 0: `quality` says it.
  var width: UInt32 = 0
  var height: UInt32 = 0
  /// Frames a second; 0: all.
  var rate: UInt32 = 0
  /// 1: it matters most; 0: nothing is said.
  var priority: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.texts(1, &tracks)
    fields.flag(3, &isPaused)
    fields.choice(4, &quality)
    fields.number(5, &width)
    fields.number(6, &height)
    fields.number(7, &rate)
    fields.number(8, &priority)
  }
}

/// Who may receive what.
struct LiveKitTrackPermission: ProtoMessage {
  var sid = ""
  var isAll = false
  var tracks: [String] = []
  var identity = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.flag(2, &isAll)
    try fields.texts(3, &tracks)
    try fields.text(4, &identity)
  }
}

/// Who may receive what a client publishes.
struct LiveKitSubscriptionPermission: ProtoMessage {
  var isEverybody = false
  var permissions: [LiveKitTrackPermission] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.flag(1, &isEverybody)
    try fields.messages(2, &permissions)
  }
}

/// Whether a client may receive a track.
struct LiveKitPermissionUpdate: ProtoMessage {
  var participant = ""
  var track = ""
  var isAllowed = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &participant)
    try fields.text(2, &track)
    fields.flag(3, &isAllowed)
  }
}

/// Why a track does not come.
enum LiveKitSubscriptionError: Int32, ProtoChoice {
  case unknown = 0, codecUnsupported = 1, trackNotFound = 2
}

/// A track does not come.
struct LiveKitSubscriptionFailure: ProtoMessage {
  var track = ""
  var error = LiveKitSubscriptionError.unknown

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &track)
    fields.choice(2, &error)
  }
}

/// Whether anybody wants a layer.
struct LiveKitSubscribedQuality: ProtoMessage {
  var quality = LiveKitQuality.low
  var isWanted = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.choice(1, &quality)
    fields.flag(2, &isWanted)
  }
}

/// Which layers of a codec anybody wants.
struct LiveKitSubscribedCodec: ProtoMessage {
  var codec = ""
  var qualities: [LiveKitSubscribedQuality] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &codec)
    try fields.messages(2, &qualities)
  }
}

/// Which layers of a track anybody wants: what its publisher need not send.
struct LiveKitSubscribedQualities: ProtoMessage {
  var track = ""
  var qualities: [LiveKitSubscribedQuality] = []
  var codecs: [LiveKitSubscribedCodec] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &track)
    try fields.messages(2, &qualities)
    try fields.messages(3, &codecs)
  }
}

/// Whether a server sends a track.
enum LiveKitStreamState: Int32, ProtoChoice {
  case active = 0, paused = 1
}

/// Whether a server sends a track.
struct LiveKitStreamInfo: ProtoMessage {
  var participant = ""
  var track = ""
  var state = LiveKitStreamState.active

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &participant)
    try fields.text(2, &track)
    fields.choice(3, &state)
  }
}

/// Tracks that a server pauses, or sends again, as the link has become.
struct LiveKitStreamStates: ProtoMessage {
  var states: [LiveKitStreamInfo] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &states)
  }
}
