import MediaCore

/// How far somebody has come.
enum LiveKitParticipantState: Int32, ProtoChoice {
  case joining = 0, joined = 1, active = 2, disconnected = 3
}

/// What somebody is.
enum LiveKitParticipantKind: Int32, ProtoChoice {
  case standard = 0, ingress = 1, egress = 2, sip = 3, agent = 4
}

/// Why somebody left.
enum LiveKitDisconnectReason: Int32, ProtoChoice {
  case unknown = 0, clientInitiated = 1, duplicateIdentity = 2, serverShutdown = 3, participantRemoved = 4, roomDeleted = 5, stateMismatch =
    6, joinFailure = 7, migration = 8, signalClose = 9, roomClosed = 10, userUnavailable = 11, userRejected = 12, connectionTimeout = 14,
    mediaFailure = 15
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
    fields.flag(1, &canSubscribe)
    fields.flag(2, &canPublish)
    fields.flag(3, &canPublishData)
    fields.flag(7, &isHidden)
    fields.flag(8, &isRecorder)
    try fields.choices(9, &sources)
    fields.flag(10, &canUpdateMetadata)
    fields.flag(11, &isAgent)
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

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    try fields.text(2, &identity)
    fields.choice(3, &state)
    try fields.messages(4, &tracks)
    try fields.text(5, &metadata)
    fields.number(6, &joinedAt)
    try fields.text(9, &name)
    fields.number(10, &version)
    try fields.message(11, &permission)
    fields.flag(13, &isPublisher)
    fields.choice(14, &kind)
    try fields.map(15, &attributes)
    fields.choice(16, &reason)
    fields.number(17, &joinedAtMilliseconds)
  }
}

/// Participants of whom something has changed.
struct LiveKitParticipants: ProtoMessage {
  var participants: [LiveKitParticipant] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &participants)
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
    try fields.text(1, &sid)
    try fields.text(2, &name)
    fields.number(3, &emptyTimeout)
    fields.number(4, &mostParticipants)
    fields.number(5, &createdAt)
    try fields.text(8, &metadata)
    fields.number(9, &participants)
    fields.flag(10, &isRecorded)
    fields.number(11, &publishers)
    fields.number(14, &departureTimeout)
  }
}

/// The room, of which something has changed.
struct LiveKitRoomUpdate: ProtoMessage {
  var room: LiveKitRoom?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &room)
  }
}
