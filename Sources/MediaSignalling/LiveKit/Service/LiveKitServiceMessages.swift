import MediaCore

/// Rooms that are asked for; none: all.
struct LiveKitRoomNames: ProtoMessage {
  var names: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.texts(1, "names", &names) }
}

/// Rooms that are there.
struct LiveKitRooms: ProtoMessage {
  var rooms: [LiveKitRoom] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.messages(1, "rooms", &rooms) }
}

/// A room, somebody in it, and a track of theirs: each request takes what it needs of these.
struct LiveKitServiceTarget: ProtoMessage {
  var room = ""
  var identity = ""
  var track = ""
  var isMuted = false
  /// Of a removal. LiveKit has no such field.
  var reason = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "room", &room)
    try fields.text(2, "identity", &identity)
    try fields.text(3, "track_sid", &track)
    try fields.flag(4, "muted", &isMuted)
    try fields.text(LiveKitExtension.field, "reason", &reason)
  }
}

/// What is to be said of a room.
struct LiveKitRoomChange: ProtoMessage {
  var room = ""
  var metadata = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "room", &room)
    try fields.text(2, "metadata", &metadata)
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
    try fields.text(1, "room", &room)
    try fields.text(2, "identity", &identity)
    try fields.text(3, "metadata", &metadata)
    try fields.message(4, "permission", &permission)
    try fields.text(5, "name", &name)
    try fields.map(6, "attributes", &attributes)
  }
}

/// The track that was muted.
struct LiveKitMutedTrack: ProtoMessage {
  var track: LiveKitTrackInfo?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.message(1, "track", &track) }
}

/// Nothing: what was asked for is done.
struct LiveKitNothing: ProtoMessage {
  mutating func visit(_: inout ProtoFields) throws(MediaError) {}
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
    try fields.text(1, "room", &room)
    try fields.bytes(2, "data", &data)
    try fields.choice(3, "kind", &kind)
    try fields.texts(4, "destination_sids", &sids)
    try fields.text(5, "topic", &topic)
    try fields.texts(6, "destination_identities", &identities)
  }
}
