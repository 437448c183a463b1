import MediaCore

/// What a client says to a server.
enum LiveKitRequest: ProtoMessage {
  /// What this library does not know.
  case other
  case offer(LiveKitDescription)
  case answer(LiveKitDescription)
  case trickle(LiveKitTrickle)
  case addTrack(LiveKitAddTrack)
  case mute(LiveKitMute)
  case subscription(LiveKitSubscription)
  case trackSettings(LiveKitTrackSettings)
  case leave(LiveKitLeave)
  case subscriptionPermission(LiveKitSubscriptionPermission)
  case syncState(LiveKitSyncState)
  case metadata(LiveKitMetadata)
  case ping(LiveKitPing)
  case wish(LiveKitWish)

  init() { self = .other }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.one(1, of: &self, LiveKitRequest.offer) { if case .offer(let it) = $0 { it } else { nil } }
    try fields.one(2, of: &self, LiveKitRequest.answer) { if case .answer(let it) = $0 { it } else { nil } }
    try fields.one(3, of: &self, LiveKitRequest.trickle) { if case .trickle(let it) = $0 { it } else { nil } }
    try fields.one(4, of: &self, LiveKitRequest.addTrack) { if case .addTrack(let it) = $0 { it } else { nil } }
    try fields.one(5, of: &self, LiveKitRequest.mute) { if case .mute(let it) = $0 { it } else { nil } }
    try fields.one(6, of: &self, LiveKitRequest.subscription) { if case .subscription(let it) = $0 { it } else { nil } }
    try fields.one(7, of: &self, LiveKitRequest.trackSettings) { if case .trackSettings(let it) = $0 { it } else { nil } }
    try fields.one(8, of: &self, LiveKitRequest.leave) { if case .leave(let it) = $0 { it } else { nil } }
    try fields.one(11, of: &self, LiveKitRequest.subscriptionPermission) {
      if case .subscriptionPermission(let it) = $0 { it } else { nil }
    }
    try fields.one(12, of: &self, LiveKitRequest.syncState) { if case .syncState(let it) = $0 { it } else { nil } }
    try fields.one(15, of: &self, LiveKitRequest.metadata) { if case .metadata(let it) = $0 { it } else { nil } }
    try fields.one(16, of: &self, LiveKitRequest.ping) { if case .ping(let it) = $0 { it } else { nil } }
    try fields.one(LiveKitExtension.field, of: &self, LiveKitRequest.wish) { if case .wish(let it) = $0 { it } else { nil } }
  }
}
