import MediaCore
import MediaRTP
import MediaSRTP

/// Where media of a stream travels: its place among those of one end, which its SSRC says (`MediaParameters`). The receiver's end chooses for what comes
/// down, the sender's for what goes up, so that both are known before the first packet. Pictures below 30, sound above.
struct HubSlot: Hashable, Sendable {
  static let perKind: UInt8 = 30
  let index: UInt8

  /// nil: there is no such place.
  init?(index: UInt8) {
    guard index < HubSlot.perKind * 2 else { return nil }
    self.index = index
  }

  var isVideo: Bool { index < HubSlot.perKind }

  static func all(video: Bool) -> [HubSlot] {
    (0..<HubSlot.perKind).compactMap { HubSlot(index: video ? $0 : $0 + HubSlot.perKind) }
  }
}

/// What a member's machine asks of the hub. Streams of its own have numbers of its own, others those that the hub gave them.
enum HubRequest: Sendable {
  struct Hello: Sendable {
    var room: String
    var member: Member
    var token: AccessToken
    var profile: SRTPProfile
    /// Of whoever was here and comes back: the ticket from his welcome, and how many messages he had.
    var former: (ticket: [UInt8], received: UInt64)?
  }

  case hello(Hello)
  /// How many messages came; sent when nothing else is, so that the other end knows that it is heard.
  case received(UInt64)
  case leave
  case publish(UInt32, HubSlot, codec: UInt32, format: StreamFormat)
  case unpublish(UInt32)
  case setFormat(UInt32, StreamFormat)
  case setMuted(UInt32, Bool)
  case setSpeaking(UInt32, Bool, level: UInt32)
  case subscribe(UInt32, HubSlot)
  case unsubscribe(UInt32)
  case requestKeyFrame(UInt32)
  case remove(userID: String, reason: String)
  case mute(userID: String, Bool)
  case renew(AccessToken)
  /// nil: removed.
  case setAttribute(String, String?)
  case prefer(UInt32, VideoPreference)

  /// Whether it is counted, kept until it was received, and said again by whoever comes back.
  var isCounted: Bool {
    switch self {
    case .hello, .received, .leave: false
    default: true
    }
  }

  // MARK: Writing

  func write(to writer: inout PacketWriter) {
    switch self {
    case .hello(let hello):
      writer.u8(1)
      HubRequest.write(hello, to: &writer)
    case .received(let count):
      writer.u8(2)
      writer.u64(count)
    case .leave: writer.u8(3)
    case .publish(let stream, let slot, let codec, let format):
      writer.u8(16)
      writer.u32(stream)
      writer.u8(slot.index)
      writer.u32(codec)
      writer.format(format)
    case .unpublish(let stream): HubRequest.write(17, stream, to: &writer)
    case .setFormat(let stream, let format):
      HubRequest.write(18, stream, to: &writer)
      writer.format(format)
    case .setMuted(let stream, let isMuted):
      HubRequest.write(19, stream, to: &writer)
      writer.flag(isMuted)
    case .setSpeaking(let stream, let isSpeaking, let level):
      HubRequest.write(20, stream, to: &writer)
      writer.flag(isSpeaking)
      writer.u8(UInt8(clamping: level))
    case .subscribe(let stream, let slot):
      HubRequest.write(21, stream, to: &writer)
      writer.u8(slot.index)
    case .unsubscribe(let stream): HubRequest.write(22, stream, to: &writer)
    case .requestKeyFrame(let stream): HubRequest.write(23, stream, to: &writer)
    case .remove(let userID, let reason):
      writer.u8(24)
      writer.name(userID)
      writer.text(reason, atMost: HubWire.longestWords)
    case .mute(let userID, let isMuted):
      writer.u8(25)
      writer.name(userID)
      writer.flag(isMuted)
    case .renew(let token):
      writer.u8(26)
      writer.text(token.value, atMost: HubWire.longestToken)
    case .setAttribute(let key, let value):
      writer.u8(27)
      writer.name(key)
      writer.flag(value != nil)
      if let value { writer.value(value) }
    case .prefer(let stream, let preference):
      HubRequest.write(28, stream, to: &writer)
      writer.preference(preference)
    }
  }

  private static func write(_ type: UInt8, _ stream: UInt32, to writer: inout PacketWriter) {
    writer.u8(type)
    writer.u32(stream)
  }

  private static func write(_ hello: Hello, to writer: inout PacketWriter) {
    writer.u8(HubWire.version)
    writer.name(hello.room)
    writer.name(hello.member.userID)
    writer.text(hello.member.displayName, atMost: HubWire.longestName)
    writer.flag(hello.member.decodes != nil)
    let codecs = (hello.member.decodes ?? []).prefix(HubWire.mostCodecs)
    writer.u8(UInt8(codecs.count))
    for codec in codecs { writer.u32(codec) }
    writer.attributes(hello.member.attributes)
    writer.text(hello.token.value, atMost: HubWire.longestToken)
    writer.u8(hello.profile.hubNumber)
    writer.flag(hello.former != nil)
    if let former = hello.former {
      writer.block(former.ticket)
      writer.u64(former.received)
    }
  }

  // MARK: Reading

  init(parsing bytes: UnsafeRawBufferPointer) throws(PacketError) {
    var reader = PacketReader(bytes)
    switch try reader.u8() {
    case 1: self = .hello(try HubRequest.hello(from: &reader))
    case 2: self = .received(try reader.u64())
    case 3: self = .leave
    case 16: self = .publish(try reader.u32(), try HubRequest.slot(from: &reader), codec: try reader.u32(), format: try reader.format())
    case 17: self = .unpublish(try reader.u32())
    case 18: self = .setFormat(try reader.u32(), try reader.format())
    case 19: self = .setMuted(try reader.u32(), try reader.flag())
    case 20: self = .setSpeaking(try reader.u32(), try reader.flag(), level: UInt32(try reader.u8()))
    case 21: self = .subscribe(try reader.u32(), try HubRequest.slot(from: &reader))
    case 22: self = .unsubscribe(try reader.u32())
    case 23: self = .requestKeyFrame(try reader.u32())
    case 24: self = .remove(userID: try reader.name(), reason: try reader.text(atMost: HubWire.longestWords))
    case 25: self = .mute(userID: try reader.name(), try reader.flag())
    case 26: self = .renew(AccessToken(try reader.text(atMost: HubWire.longestToken)))
    case 27: self = .setAttribute(try reader.key(), try reader.flag() ? try reader.value() : nil)
    case 28: self = .prefer(try reader.u32(), try reader.preference())
    default: throw PacketError("hub: a message of an unknown type")
    }
    try reader.end()
  }

  private static func slot(from reader: inout PacketReader) throws(PacketError) -> HubSlot {
    guard let slot = HubSlot(index: try reader.u8()) else { throw PacketError("hub: a slot that does not exist") }
    return slot
  }

  private static func hello(from reader: inout PacketReader) throws(PacketError) -> Hello {
    guard try reader.u8() == HubWire.version else { throw PacketError("hub: an unknown version; accepted: 4") }
    let room = try reader.name()
    var member = Member(userID: try reader.name(), displayName: try reader.text(atMost: HubWire.longestName))
    let (says, count) = (try reader.flag(), Int(try reader.u8()))
    guard count <= HubWire.mostCodecs else { throw PacketError("hub: more than 32 codecs") }
    var codecs: [UInt32] = []
    for _ in 0..<count { codecs.append(try reader.u32()) }
    member.decodes = says ? codecs : nil
    member.attributes = try reader.attributes()
    let token = AccessToken(try reader.text(atMost: HubWire.longestToken))
    let profile = try SRTPProfile(hubNumber: reader.u8())
    var hello = Hello(room: room, member: member, token: token, profile: profile)
    if try reader.flag() { hello.former = (try reader.block(HubWire.ticketSize), try reader.u64()) }
    return hello
  }
}
