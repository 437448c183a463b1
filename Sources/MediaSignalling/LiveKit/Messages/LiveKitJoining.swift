import MediaCore

/// What a client can do that others of its protocol may not.
enum LiveKitCapability: Int32, ProtoChoice {
  /// It takes frames that end with a trailer (`FrameTrailer`).
  case packetTrailer = 1

  /// As the parameter `capabilities` of a url has it, in a list with commas.
  static let packetTrailerName = "CAP_PACKET_TRAILER"
}

/// What a client is.
struct LiveKitClientInfo: ProtoMessage {
  /// The SDK's number; 0: another program.
  var sdk: Int32 = 0
  var version = ""
  var protocolVersion: Int32 = 0
  var system = ""
  var systemVersion = ""
  var deviceModel = ""
  var browser = ""
  var browserVersion = ""
  var address = ""
  var network = ""
  var otherSDKs = ""
  var clientProtocol: Int32 = 0
  var capabilities: [LiveKitCapability] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &sdk)
    try fields.text(2, &version)
    fields.number(3, &protocolVersion)
    try fields.text(4, &system)
    try fields.text(5, &systemVersion)
    try fields.text(6, &deviceModel)
    try fields.text(7, &browser)
    try fields.text(8, &browserVersion)
    try fields.text(9, &address)
    try fields.text(10, &network)
    try fields.text(11, &otherSDKs)
    fields.number(12, &clientProtocol)
    try fields.choices(13, &capabilities)
  }
}

/// How a client wants to be connected.
struct LiveKitConnectionSettings: ProtoMessage {
  /// To everything, without asking.
  var isSubscribing = false
  var isAdaptive = false
  var allowsPause = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.flag(1, &isSubscribing)
    fields.flag(2, &isAdaptive)
    fields.flag(3, &allowsPause)
  }
}

/// What a client that comes back has.
struct LiveKitSyncState: ProtoMessage {
  var answer: LiveKitDescription?
  var subscription: LiveKitSubscription?
  var published: [LiveKitTrackPublished] = []
  var channels: [LiveKitChannel] = []
  var offer: LiveKitDescription?
  var paused: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &answer)
    try fields.message(2, &subscription)
    try fields.messages(3, &published)
    try fields.messages(4, &channels)
    try fields.message(5, &offer)
    try fields.texts(6, &paused)
  }
}

/// What a client comes with.
struct LiveKitJoinRequest: ProtoMessage {
  var client: LiveKitClientInfo?
  var settings: LiveKitConnectionSettings?
  var metadata = ""
  var attributes: [String: String] = [:]
  var tracks: [LiveKitAddTrack] = []
  var offer: LiveKitDescription?
  var isResuming = false
  var reason: Int32 = 0
  /// Whom it was, if it comes back.
  var sid = ""
  var state: LiveKitSyncState?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &client)
    try fields.message(2, &settings)
    try fields.text(3, &metadata)
    try fields.map(4, &attributes)
    try fields.messages(5, &tracks)
    try fields.message(6, &offer)
    fields.flag(7, &isResuming)
    fields.number(8, &reason)
    try fields.text(9, &sid)
    try fields.message(10, &state)
  }
}

/// How a request to join is packed.
enum LiveKitCompression: Int32, ProtoChoice {
  case none = 0, gzip = 1
}

/// A request to join as it stands in the url.
struct LiveKitWrappedJoin: ProtoMessage {
  var compression = LiveKitCompression.none
  var request: [UInt8] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.choice(1, &compression)
    fields.bytes(2, &request)
  }
}

/// What a server is.
struct LiveKitServerInfo: ProtoMessage {
  var edition: Int32 = 0
  var version = ""
  var protocolVersion: Int32 = 0
  var region = ""
  var node = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &edition)
    try fields.text(2, &version)
    fields.number(3, &protocolVersion)
    try fields.text(4, &region)
    try fields.text(5, &node)
  }
}

/// A codec that may be published.
struct LiveKitCodec: ProtoMessage {
  var mime = ""
  var fmtp = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &mime)
    try fields.text(2, &fmtp)
  }
}

/// What a server receives a client with.
struct LiveKitJoin: ProtoMessage {
  var room: LiveKitRoom?
  var participant: LiveKitParticipant?
  var others: [LiveKitParticipant] = []
  var serverVersion = ""
  var iceServers: [LiveKitICEServer] = []
  var isSubscriberPrimary = false
  var alternativeURL = ""
  var region = ""
  /// Seconds.
  var pingTimeout: Int32 = 0
  /// Seconds; 0 ends the official SDK.
  var pingInterval: Int32 = 0
  var server: LiveKitServerInfo?
  /// What frames of a server end with, which it makes itself.
  var trailer: [UInt8] = []
  var codecs: [LiveKitCodec] = []
  var isFastPublishing = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &room)
    try fields.message(2, &participant)
    try fields.messages(3, &others)
    try fields.text(4, &serverVersion)
    try fields.messages(5, &iceServers)
    fields.flag(6, &isSubscriberPrimary)
    try fields.text(7, &alternativeURL)
    try fields.text(9, &region)
    fields.number(10, &pingTimeout)
    fields.number(11, &pingInterval)
    try fields.message(12, &server)
    fields.bytes(13, &trailer)
    try fields.messages(14, &codecs)
    fields.flag(15, &isFastPublishing)
  }
}

/// What a server receives a client with that comes back.
struct LiveKitReconnect: ProtoMessage {
  var iceServers: [LiveKitICEServer] = []
  var server: LiveKitServerInfo?
  var lastMessage: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &iceServers)
    try fields.message(3, &server)
    fields.number(4, &lastMessage)
  }
}

/// What a client does then.
enum LiveKitLeaveAction: Int32, ProtoChoice {
  case disconnect = 0, resume = 1, reconnect = 2
}

/// Another place of a service.
struct LiveKitRegion: ProtoMessage {
  var region = ""
  var url = ""
  var distance: Int64 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &region)
    try fields.text(2, &url)
    fields.number(3, &distance)
  }
}

/// Other places of a service, the nearest first.
struct LiveKitRegions: ProtoMessage {
  var regions: [LiveKitRegion] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.messages(1, &regions)
  }
}

/// One side leaves.
struct LiveKitLeave: ProtoMessage {
  /// For clients that do not know `action`.
  var canReconnect = false
  var reason = LiveKitDisconnectReason.unknown
  var action = LiveKitLeaveAction.disconnect
  var regions: LiveKitRegions?

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.flag(1, &canReconnect)
    fields.choice(2, &reason)
    fields.choice(3, &action)
    try fields.message(4, &regions)
  }
}

/// Somebody was moved to another room.
struct LiveKitRoomMoved: ProtoMessage {
  var room: LiveKitRoom?
  var token = ""
  var participant: LiveKitParticipant?
  var others: [LiveKitParticipant] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &room)
    try fields.text(2, &token)
    try fields.message(3, &participant)
    try fields.messages(4, &others)
  }
}

/// Asks for a pong.
struct LiveKitPing: ProtoMessage {
  /// Milliseconds.
  var timestamp: Int64 = 0
  /// Of the last one, in milliseconds.
  var roundTrip: Int64 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &timestamp)
    fields.number(2, &roundTrip)
  }
}

/// The answer to a ping.
struct LiveKitPong: ProtoMessage {
  /// The timestamp of the ping.
  var pinged: Int64 = 0
  var timestamp: Int64 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &pinged)
    fields.number(2, &timestamp)
  }
}
