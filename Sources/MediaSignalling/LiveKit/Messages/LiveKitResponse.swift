import MediaCore

/// What a server says to a client.
enum LiveKitResponse: ProtoMessage {
  /// What this library does not know.
  case other
  /// The token to come back with.
  case token(String)
  case join(LiveKitJoin)
  case answer(LiveKitDescription)
  case offer(LiveKitDescription)
  case trickle(LiveKitTrickle)
  case participants(LiveKitParticipants)
  case published(LiveKitTrackPublished)
  case leave(LiveKitLeave)
  case mute(LiveKitMute)
  case speakers(LiveKitSpeakers)
  case room(LiveKitRoomUpdate)
  case qualities(LiveKitQualities)
  case streamStates(LiveKitStreamStates)
  case subscribedQualities(LiveKitSubscribedQualities)
  case permission(LiveKitPermissionUpdate)
  case unpublished(LiveKitTrackID)
  case reconnect(LiveKitReconnect)
  case pong(LiveKitPong)
  case subscriptionFailure(LiveKitSubscriptionFailure)
  case subscribed(LiveKitTrackID)
  case moved(LiveKitRoomMoved)
  case sections(LiveKitSections)
  case notice(LiveKitNotice)

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitResponse.join) { if case .join(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitResponse.answer) { if case .answer(let it) = $0 { it } else { nil } }
    try fields.one(3, of: &self, LiveKitResponse.offer) { if case .offer(let it) = $0 { it } else { nil } }
    try fields.one(4, of: &self, LiveKitResponse.trickle) { if case .trickle(let it) = $0 { it } else { nil } }
    try fields.one(5, of: &self, LiveKitResponse.participants) { if case .participants(let it) = $0 { it } else { nil } }
    try fields.one(6, of: &self, LiveKitResponse.published) { if case .published(let it) = $0 { it } else { nil } }
    try fields.one(8, of: &self, LiveKitResponse.leave) { if case .leave(let it) = $0 { it } else { nil } }
    try fields.one(9, of: &self, LiveKitResponse.mute) { if case .mute(let it) = $0 { it } else { nil } }
    try fields.one(10, of: &self, LiveKitResponse.speakers) { if case .speakers(let it) = $0 { it } else { nil } }
    try fields.one(11, of: &self, LiveKitResponse.room) { if case .room(let it) = $0 { it } else { nil } }
    try fields.one(12, of: &self, LiveKitResponse.qualities) { if case .qualities(let it) = $0 { it } else { nil } }
    try fields.one(13, of: &self, LiveKitResponse.streamStates) { if case .streamStates(let it) = $0 { it } else { nil } }
    try fields.one(14, of: &self, LiveKitResponse.subscribedQualities) { if case .subscribedQualities(let it) = $0 { it } else { nil } }
    try fields.one(15, of: &self, LiveKitResponse.permission) { if case .permission(let it) = $0 { it } else { nil } }
    try fields.word(16, of: &self, LiveKitResponse.token) { if case .token(let it) = $0 { it } else { nil } }
    try fields.one(17, of: &self, LiveKitResponse.unpublished) { if case .unpublished(let it) = $0 { it } else { nil } }
    try fields.one(19, of: &self, LiveKitResponse.reconnect) { if case .reconnect(let it) = $0 { it } else { nil } }
    try fields.one(20, of: &self, LiveKitResponse.pong) { if case .pong(let it) = $0 { it } else { nil } }
    try fields.one(21, of: &self, LiveKitResponse.subscriptionFailure) { if case .subscriptionFailure(let it) = $0 { it } else { nil } }
    try fields.one(23, of: &self, LiveKitResponse.subscribed) { if case .subscribed(let it) = $0 { it } else { nil } }
    try fields.one(24, of: &self, LiveKitResponse.moved) { if case .moved(let it) = $0 { it } else { nil } }
    try fields.one(25, of: &self, LiveKitResponse.sections) { if case .sections(let it) = $0 { it } else { nil } }
    try fields.one(LiveKitExtension.field, of: &self, LiveKitResponse.notice) { if case .notice(let it) = $0 { it } else { nil } }
  }
}
