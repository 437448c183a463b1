import MediaCore

// What a room of this library and a session of it say to each other beyond LiveKit's protocol: a field that no other server and client knows
// (`LiveKitExtension.field`), sent only where both ends have it. Codes of results are MSDK_E_*, masks of permissions MSDK_MAY_*.

/// What a session asks for.
enum LiveKitWish: ProtoMessage {
  /// What this version does not know.
  case other
  case renew(LiveKitRenewal)
  case moderate(LiveKitModerationWish)
  /// What was announced is not sent any longer, or never was.
  case withdraw(LiveKitTrackID)

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitWish.renew) { if case .renew(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitWish.moderate) { if case .moderate(let it) = $0 { it } else { nil } }
    try fields.one(3, of: &self, LiveKitWish.withdraw) { if case .withdraw(let it) = $0 { it } else { nil } }
  }
}

/// What a room notifies a session of.
enum LiveKitNotice: ProtoMessage {
  /// What this version does not know.
  case other
  /// The session's own.
  case permissions(LiveKitPermissions)
  case expiring(LiveKitExpiry)
  /// A token that was shown; the identity is empty.
  case renewed(LiveKitResult)
  /// The session was moderated.
  case moderated(LiveKitModerated)
  /// What a moderator asked for was done, or was not, and why.
  case moderationAnswered(LiveKitResult)
  /// Why `leave` follows; the identity is empty.
  case ended(LiveKitResult)
  /// Of a track of the session's.
  case demand(LiveKitDemand)
  /// Why a track is not taken, whose sid is in place of the identity.
  case refused(LiveKitResult)
  /// Everybody who is in the room besides the session, which has come back; what is new of them follows.
  case present(LiveKitPresent)

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitNotice.permissions) { if case .permissions(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitNotice.expiring) { if case .expiring(let it) = $0 { it } else { nil } }
    try fields.one(3, of: &self, LiveKitNotice.renewed) { if case .renewed(let it) = $0 { it } else { nil } }
    try fields.one(4, of: &self, LiveKitNotice.moderated) { if case .moderated(let it) = $0 { it } else { nil } }
    try fields.one(5, of: &self, LiveKitNotice.moderationAnswered) { if case .moderationAnswered(let it) = $0 { it } else { nil } }
    try fields.one(6, of: &self, LiveKitNotice.ended) { if case .ended(let it) = $0 { it } else { nil } }
    try fields.one(7, of: &self, LiveKitNotice.demand) { if case .demand(let it) = $0 { it } else { nil } }
    try fields.one(8, of: &self, LiveKitNotice.refused) { if case .refused(let it) = $0 { it } else { nil } }
    try fields.one(9, of: &self, LiveKitNotice.present) { if case .present(let it) = $0 { it } else { nil } }
  }
}

/// Shows another access token.
struct LiveKitRenewal: ProtoMessage {
  /// A secret.
  var token = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.text(1, &token) }
}

/// What a moderator does to somebody.
public enum LiveKitModerationAction: Int32, Sendable {
  case remove = 0, mute = 1, unmute = 2
}

extension LiveKitModerationAction: ProtoChoice {}

/// What a moderator asks for.
struct LiveKitModerationWish: ProtoMessage {
  var identity = ""
  var action = LiveKitModerationAction.remove
  var reason = ""
  /// Of the request, for the answer.
  var number: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &identity)
    fields.choice(2, &action)
    try fields.text(3, &reason)
    fields.number(4, &number)
  }
}

/// What somebody may do.
struct LiveKitPermissions: ProtoMessage {
  var mask: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { fields.number(2, &mask) }
}

/// How long the session's access lasts.
struct LiveKitExpiry: ProtoMessage {
  /// Nanoseconds.
  var remaining: Int64 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { fields.number(1, &remaining) }
}

/// What became of something; 0: it was done.
struct LiveKitResult: ProtoMessage {
  var identity = ""
  var status: Int32 = 0
  var text = ""
  /// Of the request.
  var number: UInt32 = 0

  init() {}

  init(_ error: MediaError?, identity: String = "", number: UInt32 = 0) {
    (self.identity, self.number, status) = (identity, number, error?.status.rawValue ?? 0)
    text = JanusParticipant.shown(error?.text ?? "", longest: LiveKitExtension.longestText)
  }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &identity)
    fields.number(2, &status)
    try fields.text(3, &text)
    fields.number(4, &number)
  }

  /// nil: it was done. A code that is not known is that of no other error.
  var error: MediaError? {
    guard status != 0 else { return nil }
    return MediaError(Status(rawValue: status) ?? .fail, JanusParticipant.shown(text, longest: LiveKitExtension.longestText))
  }
}

/// What was done to the session, and by whom; the identity of an administrator is empty.
struct LiveKitModerated: ProtoMessage {
  var identity = ""
  var action = LiveKitModerationAction.remove
  var reason = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &identity)
    fields.choice(2, &action)
    try fields.text(3, &reason)
  }
}

/// Participants, by their identities.
struct LiveKitPresent: ProtoMessage {
  var identities: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) { try fields.texts(1, &identities) }
}

/// How many receive a track, and what they want of it together.
struct LiveKitDemand: ProtoMessage {
  var sid = ""
  var receivers: UInt32 = 0
  /// Pixels; both 0: any size.
  var width: UInt32 = 0
  var height: UInt32 = 0
  /// Frames a second; both 0: any.
  var rateNumerator: UInt32 = 0
  var rateDenominator: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.number(2, &receivers)
    fields.number(3, &width)
    fields.number(4, &height)
    fields.number(5, &rateNumerator)
    fields.number(6, &rateDenominator)
  }
}

/// How both ends find out that they have it.
enum LiveKitExtension {
  /// Of the field, in requests, responses, participants and tracks.
  static let field = 1_001
  /// The parameter of a request to join, by which a session says that it has it.
  static let parameter = "mediasdk"
  /// Of a request to join: what somebody says of themselves, a `LiveKitJoinRequest` in base64url.
  static let attributes = "MSDK-Attributes"
  /// Bytes of keys and values in it. What is beyond is said after joining.
  static let mostAttributes = 12_288
  /// Bytes of a reason.
  static let longestText = 1_023
}
