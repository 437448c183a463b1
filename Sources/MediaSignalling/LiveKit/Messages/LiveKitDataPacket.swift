import MediaCore

/// A message of one participant for others, over a data channel. What it carries is handed on as it is.
public struct LiveKitDataPacket: ProtoMessage {
  /// Who sends it.
  var identity = ""
  /// For whom it is, as it says beside its content.
  fileprivate(set) var destinations: [String] = []
  var sid = ""
  /// Data of a program, as it came.
  private var user: [UInt8]?
  /// What it says; nil: it cannot be read, or there is none.
  private var envelope: LiveKitUserEnvelope?
  private var rest: [UInt8] = []

  init() {}

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(4, &identity)
    try fields.texts(5, &destinations)
    try fields.text(17, &sid)
    fields.bytes(2, &user)
    fields.rest(&rest)
  }

  /// Throws `.corrupt` and `.limit` for what is none.
  public init(_ bytes: [UInt8]) throws(MediaError) {
    try self.init(reading: bytes)
    envelope = user.flatMap { try? LiveKitUserEnvelope(reading: $0) }
  }

  /// For whom it is. Both empty: for everybody. nil: data of a program that cannot be read, which is for nobody. LiveKit's SDK for browsers names
  /// recipients in that data alone.
  public var recipients: (identities: [String], sids: [String])? {
    guard user != nil else { return (destinations, []) }
    return envelope.map { (destinations + $0.destinations, $0.destinationSIDs) }
  }

  private var content: [UInt8] {
    var copy = self
    (copy.identity, copy.sid, copy.destinations) = ("", "", [])
    return copy.encoded
  }

  /// What a program sends with it, or a part of a call or of a stream; nil: it is of another kind. Throws `.corrupt` and `.limit`.
  public func userData() throws(MediaError) -> LiveKitUserData? {
    let (packet, destinations) = (try LiveKitDataContent(reading: content), recipients?.identities ?? [])
    if let sealed = packet.sealed {
      var data = LiveKitUserData(
        identity: identity, bytes: sealed.text, topic: "", isLossy: packet.kind == .lossy, destinations: destinations)
      data.content = .sealed(nonce: sealed.nonce, index: sealed.index)
      return data
    }
    if packet.stream.isEncrypted { return nil }
    if let (content, bytes) = packet.part {
      var data = LiveKitUserData(identity: identity, bytes: bytes, topic: "", isLossy: false, destinations: destinations)
      data.content = content
      return data
    }
    guard let user = packet.user else { return nil }
    return LiveKitUserData(
      identity: identity.isEmpty ? user.identity : identity, bytes: user.payload, topic: user.topic, isLossy: packet.kind == .lossy,
      destinations: destinations)
  }

  /// As others get it: whoever sends it does not say who they are.
  public func from(_ identity: String, sid: String) -> [UInt8] {
    var copy = self
    (copy.identity, copy.sid, copy.destinations) = (identity, sid, [])
    if var envelope {
      (envelope.identity, envelope.sid) = (identity, sid)
      copy.user = envelope.encoded
    }
    return copy.encoded
  }
}

/// Data of a program, as a packet carries it.
public struct LiveKitUserData: Sendable, Equatable {
  /// Who sends it; empty: the server.
  public var identity: String
  /// It may be empty.
  public var bytes: [UInt8]
  /// Empty: there is none.
  public var topic: String
  /// It may be lost, and may overtake others.
  public var isLossy: Bool
  /// For whom it is. Empty: for everybody.
  public var destinations: [String]
  /// What it is.
  public var content = DataContent.user

  /// Parts as they stand.
  public init(identity: String, bytes: [UInt8], topic: String, isLossy: Bool, destinations: [String]) {
    (self.identity, self.bytes, self.topic, self.isLossy, self.destinations) = (identity, bytes, topic, isLossy, destinations)
  }

  /// `sid`: of the sender, in the room; empty: the server knows it.
  public func packet(sid: String) -> [UInt8] {
    var (packet, envelope) = (LiveKitDataContent(), LiveKitDataPacket())
    packet.kind = isLossy ? .lossy : .reliable
    switch content {
    case .user: packet.user = LiveKitUserPacket(sid: sid, payload: bytes, topic: topic, identity: identity, destinations: destinations)
    case .call(let part): packet.call = LiveKitRemoteCall(part, payload: bytes)
    case .stream(let part): packet.stream = LiveKitDataStream(part, bytes: bytes)
    case .sealed(let nonce, let index): packet.sealed = LiveKitSealedData(nonce: nonce, index: index, text: bytes)
    }
    (envelope.identity, envelope.destinations, envelope.sid) = (identity, destinations, sid)
    return packet.encoded + envelope.encoded
  }
}

/// What of data is encrypted from end to end (LiveKit's EncryptedPacketPayload).
public struct LiveKitPrivateData: ProtoMessage {
  private var user: LiveKitUserPacket?
  private var call = LiveKitRemoteCall()
  private var stream = LiveKitDataStream()

  init() {}

  /// nil: it is encrypted already.
  public init?(_ content: DataContent, _ bytes: [UInt8], topic: String) {
    switch content {
    case .user: user = LiveKitUserPacket(payload: bytes, topic: topic)
    case .call(let part): call = LiveKitRemoteCall(part, payload: bytes)
    case .stream(let part): stream = LiveKitDataStream(part, bytes: bytes)
    case .sealed: return nil
    }
  }

  /// Throws `.corrupt` and `.limit` for what is none.
  public init(_ bytes: [UInt8]) throws(MediaError) { try self.init(reading: bytes) }

  /// What is encrypted.
  public var bytes: [UInt8] { encoded }

  /// nil: it is of another kind.
  public var data: (content: DataContent, bytes: [UInt8], topic: String)? {
    if let (part, payload) = call.part { return (.call(part), payload, "") }
    if let (part, chunk) = stream.part { return (.stream(part), chunk, "") }
    return user.map { (.user, $0.payload, $0.topic) }
  }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.message(1, &user)
    try call.visit(&fields, first: 4)
    try stream.visit(&fields, first: 7)
  }
}

/// How a packet is sent.
enum LiveKitDataKind: Int32, ProtoNamedChoice {
  case reliable = 0, lossy = 1

  static var names: String { "RELIABLE LOSSY" }
}

/// What of a packet is handed on as it is.
private struct LiveKitDataContent: ProtoMessage {
  var kind = LiveKitDataKind.reliable
  var user: LiveKitUserPacket?
  var call = LiveKitRemoteCall()
  var stream = LiveKitDataStream()
  var sealed: LiveKitSealedData?

  /// Of a call or of a stream; nil: neither.
  var part: (DataContent, bytes: [UInt8])? {
    if let (part, payload) = call.part { return (.call(part), payload) }
    return stream.part.map { (.stream($0), $1) }
  }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.choice(1, &kind)
    try fields.message(2, &user)
    try call.visit(&fields, first: 10)
    try stream.visit(&fields, first: 13)
    try fields.message(18, &sealed)
  }
}

private struct LiveKitSealedData: ProtoMessage {
  /// AES-GCM. Data of another type comes as if it were of this one, and no key opens it.
  private var type: UInt32 = 1
  var nonce: [UInt8] = []
  var index: UInt32 = 0
  var text: [UInt8] = []

  init() {}

  init(nonce: [UInt8], index: UInt32, text: [UInt8]) { (self.nonce, self.index, self.text) = (nonce, index, text) }

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    fields.number(1, &type)
    fields.bytes(2, &nonce)
    fields.number(3, &index)
    fields.bytes(4, &text)
  }
}

/// What data of a program says of its sender and its recipients; the rest is handed on as it is.
private struct LiveKitUserEnvelope: ProtoMessage {
  var sid = ""
  var identity = ""
  var destinationSIDs: [String] = []
  var destinations: [String] = []
  private var rest: [UInt8] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    try fields.texts(3, &destinationSIDs)
    try fields.text(5, &identity)
    try fields.texts(6, &destinations)
    fields.rest(&rest)
  }
}

private struct LiveKitUserPacket: ProtoMessage {
  var sid = ""
  var payload: [UInt8] = []
  var topic = ""
  var identity = ""
  var destinations: [String] = []

  mutating func visit(_ fields: inout ProtoFields) throws(MediaError) {
    try fields.text(1, &sid)
    fields.bytes(2, &payload)
    try fields.text(4, &topic)
    try fields.text(5, &identity)
    try fields.texts(6, &destinations)
  }
}
