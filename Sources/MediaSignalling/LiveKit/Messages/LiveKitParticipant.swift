import MediaCore

/// How far somebody has come.
enum LiveKitParticipantState: Int32, ProtoNamedChoice {
  case joining = 0, joined = 1, active = 2, disconnected = 3

  static var names: String { "JOINING JOINED ACTIVE DISCONNECTED" }
}

/// What somebody is.
enum LiveKitParticipantKind: Int32, ProtoNamedChoice {
  case standard = 0, ingress = 1, egress = 2, sip = 3, agent = 4

  static var names: String { "STANDARD INGRESS EGRESS SIP AGENT" }
}

/// Why somebody left.
enum LiveKitDisconnectReason: Int32, ProtoNamedChoice {
  case unknown = 0, clientInitiated = 1, duplicateIdentity = 2, serverShutdown = 3, participantRemoved = 4, roomDeleted = 5, stateMismatch =
    6, joinFailure = 7, migration = 8, signalClose = 9, roomClosed = 10, userUnavailable = 11, userRejected = 12, connectionTimeout = 14,
    mediaFailure = 15

  static var names: String {
    "UNKNOWN_REASON CLIENT_INITIATED DUPLICATE_IDENTITY SERVER_SHUTDOWN PARTICIPANT_REMOVED ROOM_DELETED STATE_MISMATCH JOIN_FAILURE MIGRATION "
      + "SIGNAL_CLOSE ROOM_CLOSED USER_UNAVAILABLE USER_REJECTED SIP_TRUNK_FAILURE CONNECTION_TIMEOUT MEDIA_FAILURE"
  }
}

/// What somebody may do.
struct LiveKitPermission: ProtoMessage {
  var canSubscribe = false
  var canPublish = false
  var canPublishData = false
  var isHidden = false
  var isRecorder = false
  /// Empty: of everything.
  var sources: [LiveKitSource] = []
  var canUpdateMetadata = false
  var isAgent = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.flag(1, "can_subscribe", &canSubscribe)
    try fields.flag(2, "can_publish", &canPublish)
    try fields.flag(3, "can_publish_data", &canPublishData)
    try fields.flag(7, "hidden", &isHidden)
    try fields.flag(8, "recorder", &isRecorder)
    try fields.choices(9, "can_publish_sources", &sources)
    try fields.flag(10, "can_update_metadata", &canUpdateMetadata)
    try fields.flag(11, "agent", &isAgent)
  }
}

/// A participant.
struct LiveKitParticipant: ProtoMessage {
  var sid = ""
  var identity = ""
  var state = LiveKitParticipantState.joining
  var tracks: [LiveKitTrackInfo] = []
  var metadata = ""
  /// Seconds since 1970.
  var joinedAt: Int64 = 0
  var name = ""
  /// Counts up: an older message about somebody is void.
  var version: UInt32 = 0
  var permission: LiveKitPermission?
  var isPublisher = false
  var kind = LiveKitParticipantKind.standard
  var attributes: [String: String] = [:]
  var reason = LiveKitDisconnectReason.unknown
  var joinedAtMilliseconds: Int64 = 0
  /// For sessions of this library.
  var permissions: LiveKitPermissions?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "sid", &sid)
    try fields.text(2, "identity", &identity)
    try fields.choice(3, "state", &state)
    try fields.messages(4, "tracks", &tracks)
    try fields.text(5, "metadata", &metadata)
    try fields.number(6, "joined_at", &joinedAt)
    try fields.text(9, "name", &name)
    try fields.number(10, "version", &version)
    try fields.message(11, "permission", &permission)
    try fields.flag(13, "is_publisher", &isPublisher)
    try fields.choice(14, "kind", &kind)
    try fields.map(15, "attributes", &attributes)
    try fields.choice(16, "disconnect_reason", &reason)
    try fields.number(17, "joined_at_ms", &joinedAtMilliseconds)
    try fields.message(LiveKitExtension.field, &permissions)
  }
}

/// Participants of whom something has changed.
struct LiveKitParticipants: ProtoMessage {
  var participants: [LiveKitParticipant] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, "participants", &participants)
  }
}

/// How loud somebody is.
struct LiveKitSpeaker: ProtoMessage {
  var sid = ""
  /// 0 to 1.
  var level: Float = 0
  var isActive = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.float(2, &level)
    fields.flag(3, &isActive)
  }
}

/// Speakers of whom something has changed.
struct LiveKitSpeakers: ProtoMessage {
  var speakers: [LiveKitSpeaker] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &speakers)
  }
}

/// How well somebody is connected.
public enum LiveKitConnectionQuality: Int32, Sendable {
  case poor = 0, good = 1, excellent = 2, lost = 3
}

extension LiveKitConnectionQuality: ProtoChoice {}

/// How well somebody is connected.
struct LiveKitQualityInfo: ProtoMessage {
  var sid = ""
  var quality = LiveKitConnectionQuality.poor
  var score: Float = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.choice(2, &quality)
    fields.float(3, &score)
  }
}

/// How well some are connected.
struct LiveKitQualities: ProtoMessage {
  var updates: [LiveKitQualityInfo] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &updates)
  }
}

/// What somebody wants to be known of them.
struct LiveKitMetadata: ProtoMessage {
  var metadata = ""
  var name = ""
  var attributes: [String: String] = [:]
  var request: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &metadata)
    try fields.text(2, &name)
    try fields.map(3, &attributes)
    fields.number(4, &request)
  }
}

/// The room.
struct LiveKitRoom: ProtoMessage {
  var sid = ""
  var name = ""
  var emptyTimeout: UInt32 = 0
  var mostParticipants: UInt32 = 0
  /// Seconds since 1970.
  var createdAt: Int64 = 0
  var metadata = ""
  var participants: UInt32 = 0
  var isRecorded = false
  var publishers: UInt32 = 0
  var departureTimeout: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, "sid", &sid)
    try fields.text(2, "name", &name)
    try fields.number(3, "empty_timeout", &emptyTimeout)
    try fields.number(4, "max_participants", &mostParticipants)
    try fields.number(5, "creation_time", &createdAt)
    try fields.text(8, "metadata", &metadata)
    try fields.number(9, "num_participants", &participants)
    try fields.flag(10, "active_recording", &isRecorded)
    try fields.number(11, "num_publishers", &publishers)
    try fields.number(14, "departure_timeout", &departureTimeout)
  }
}

/// The room, of which something has changed.
struct LiveKitRoomUpdate: ProtoMessage {
  var room: LiveKitRoom?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &room)
  }
}
