import MediaCore

/// An offer or an answer.
struct LiveKitDescription: ProtoMessage {
  /// "offer" or "answer".
  var type = ""
  var sdp = ""
  var id: UInt32 = 0
  /// The sid of the track of each media section, by its mid.
  var tracks: [String: String] = [:]

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &type)
    try fields.text(2, &sdp)
    fields.number(3, &id)
    try fields.map(4, &tracks)
  }
}

/// Which of a client's two connections is meant, where it has two.
enum LiveKitTarget: Int32, ProtoChoice {
  case publisher = 0, subscriber = 1
}

/// A candidate.
struct LiveKitTrickle: ProtoMessage {
  /// JSON of an RTCIceCandidateInit.
  var candidate = ""
  var target = LiveKitTarget.publisher
  var isLast = false

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &candidate)
    fields.choice(2, &target)
    fields.flag(3, &isLast)
  }
}

/// How many media sections a client is to offer more.
struct LiveKitSections: ProtoMessage {
  var audio: UInt32 = 0
  var video: UInt32 = 0

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &audio)
    fields.number(2, &video)
  }
}

/// A STUN or TURN server.
struct LiveKitICEServer: ProtoMessage {
  var urls: [String] = []
  var username = ""
  var credential = ""

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.texts(1, &urls)
    try fields.text(2, &username)
    try fields.text(3, &credential)
  }
}

/// A data channel of a client.
struct LiveKitChannel: ProtoMessage {
  var label = ""
  var id: UInt32 = 0
  var target = LiveKitTarget.publisher

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &label)
    fields.number(2, &id)
    fields.choice(3, &target)
  }
}
