import MediaCore

// What a room of this library and a session of it say to each other beyond LiveKit's protocol: a field that no other server and client knows
// (`LiveKitExtension.field`), sent only where both ends have it. Codes of results are MSDK_E_*, masks of permissions MSDK_MAY_*.

/// What a session asks for.
enum LiveKitWish: ProtoMessage {
  /// What this version does not know.
  case other
  case renew(LiveKitRenewal)
  case moderate(LiveKitModerationWish)

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitWish.renew) { if case .renew(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitWish.moderate) { if case .moderate(let it) = $0 { it } else { nil } }
  }
}

/// What a room notifies a session of.
enum LiveKitNotice: ProtoMessage {
  /// What this version does not know.
  case other
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

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitNotice.permissions) { if case .permissions(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitNotice.expiring) { if case .expiring(let it) = $0 { it } else { nil } }
    try fields.one(3, of: &self, LiveKitNotice.renewed) { if case .renewed(let it) = $0 { it } else { nil } }
    try fields.one(4, of: &self, LiveKitNotice.moderated) { if case .moderated(let it) = $0 { it } else { nil } }
    try fields.one(5, of: &self, LiveKitNotice.moderationAnswered) { if case .moderationAnswered(let it) = $0 { it } else { nil } }
    try fields.one(6, of: &self, LiveKitNotice.ended) { if case .ended(let it) = $0 { it } else { nil } }
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

/// What somebody may do, the session itself, too.
struct LiveKitPermissions: ProtoMessage {
  var identity = ""
  var mask: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &identity)
    fields.number(2, &mask)
  }
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

/// How both ends find out that they have it.
enum LiveKitExtension {
  /// Of the field, in requests and responses.
  static let field = 1_001
  /// The parameter of a request to join, by which a session says that it has it.
  static let parameter = "mediasdk"
  /// Bytes of a reason.
  static let longestText = 1_023
}
