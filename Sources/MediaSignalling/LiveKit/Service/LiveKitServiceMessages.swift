import MediaCore

/// Rooms that are asked for; none: all.
struct LiveKitRoomNames: ProtoMessage {
  var names: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.texts(1, &names) }
}

/// Rooms that are there.
struct LiveKitRooms: ProtoMessage {
  var rooms: [LiveKitRoom] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.messages(1, &rooms) }
}

/// A room, somebody in it, and a track of theirs: each request takes what it needs of these.
struct LiveKitServiceTarget: ProtoMessage {
  var room = ""
  var identity = ""
  /// Of the request to mute; metadata, of the request to describe somebody.
  var text = ""
  var isMuted = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &room)
    try fields.text(2, &identity)
    try fields.text(3, &text)
    fields.flag(4, &isMuted)
  }
}

/// What is to be said of a participant.
struct LiveKitParticipantChange: ProtoMessage {
  var room = ""
  var identity = ""
  var metadata = ""
  var permission: LiveKitPermission?
  var name = ""
  var attributes: [String: String] = [:]

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &room)
    try fields.text(2, &identity)
    try fields.text(3, &metadata)
    try fields.message(4, &permission)
    try fields.text(5, &name)
    try fields.map(6, &attributes)
  }
}

/// The track that was muted.
struct LiveKitMutedTrack: ProtoMessage {
  var track: LiveKitTrackInfo?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.message(1, &track) }
}

/// Data of the server for participants.
struct LiveKitServiceData: ProtoMessage {
  var room = ""
  var data: [UInt8] = []
  var kind = LiveKitDataKind.reliable
  /// An older way to say for whom it is.
  var sids: [String] = []
  var topic = ""
  var identities: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &room)
    fields.bytes(2, &data)
    fields.choice(3, &kind)
    try fields.texts(4, &sids)
    try fields.text(5, &topic)
    try fields.texts(6, &identities)
  }
}
