import MediaCore
import MediaRTP

/// What the hub tells a member's machine. Streams of others have numbers that the hub gives them; the member's own have his.
enum HubNotice: Sendable {
  struct Welcome: Sendable {
    var permissions: Permissions
    /// Shown by whoever comes back after his connection broke.
    var ticket: [UInt8]
    var terms: MediaParameters
  }

  struct Stream: Sendable {
    var number: UInt32
    var userID: String
    var codec: UInt32
    var format: StreamFormat
    var isMuted: Bool
  }

  case welcome(Welcome)
  case received(UInt64)
  /// Refused, put out, or the hub ends.
  case ended(MediaError)
  /// Here again; so many messages of his the hub had.
  case resumed(UInt64)
  case joined(Member)
  case left(userID: String)
  case streamAdded(Stream)
  case streamRemoved(UInt32)
  case streamMuted(UInt32, Bool)
  case speaking(UInt32, userID: String, Bool, level: UInt32)
  case moderated(by: String, Moderation, reason: String)
  case keyFrameRequested(UInt32)
  case receivers(UInt32, Int)
  /// Of a member, or of whoever is notified.
  case permissionsChanged(userID: String, Permissions)
  /// Nanoseconds that remain.
  case accessExpiring(Int64)
  /// nil: it was renewed.
  case accessRenewed(MediaError?)
  /// nil: removed.
  case attribute(userID: String, String, String?)
  /// All of a member, for whoever was not notified of each.
  case attributes(userID: String, ParticipantAttributes)
  /// Of a stream of the member's, by those who receive it.
  case wanted(UInt32, VideoPreference)

  var isCounted: Bool {
    switch self {
    case .welcome, .received, .ended, .resumed: false
    default: true
    }
  }

  // MARK: Writing

  func write(to writer: inout PacketWriter) {
    switch self {
    case .welcome(let welcome):
      writer.u8(1)
      writer.u32(welcome.permissions.rawValue)
      writer.block(welcome.ticket)
      welcome.terms.write(to: &writer)
    case .received(let count):
      writer.u8(2)
      writer.u64(count)
    case .ended(let error):
      writer.u8(3)
      writer.u32(UInt32(bitPattern: error.status.rawValue))
      writer.text(error.text, atMost: HubWire.longestWords)
    case .resumed(let count):
      writer.u8(4)
      writer.u64(count)
    case .joined(let member): HubNotice.write(member, to: &writer)
    case .left(let userID):
      writer.u8(17)
      writer.name(userID)
    case .streamAdded(let stream):
      writer.u8(18)
      writer.u32(stream.number)
      writer.name(stream.userID)
      writer.u32(stream.codec)
      writer.format(stream.format)
      writer.flag(stream.isMuted)
    case .streamRemoved(let number):
      writer.u8(19)
      writer.u32(number)
    case .streamMuted(let number, let isMuted):
      writer.u8(20)
      writer.u32(number)
      writer.flag(isMuted)
    case .speaking(let number, let userID, let isSpeaking, let level):
      writer.u8(21)
      writer.u32(number)
      writer.name(userID)
      writer.flag(isSpeaking)
      writer.u8(UInt8(clamping: level))
    case .moderated(let userID, let moderation, let reason):
      writer.u8(22)
      writer.name(userID)
      writer.u8(UInt8(truncatingIfNeeded: moderation.rawValue))
      writer.text(reason, atMost: HubWire.longestWords)
    case .keyFrameRequested(let number):
      writer.u8(23)
      writer.u32(number)
    case .receivers(let number, let count):
      writer.u8(24)
      writer.u32(number)
      writer.u32(UInt32(clamping: count))
    case .permissionsChanged(let userID, let permissions):
      writer.u8(25)
      writer.name(userID)
      writer.u32(permissions.rawValue)
    case .accessExpiring(let remaining):
      writer.u8(26)
      writer.u64(UInt64(bitPattern: remaining))
    case .accessRenewed(let error):
      writer.u8(27)
      writer.flag(error == nil)
      writer.text(error?.text ?? "", atMost: HubWire.longestWords)
    case .attribute(let userID, let key, let value):
      writer.u8(28)
      writer.name(userID)
      writer.name(key)
      writer.flag(value != nil)
      if let value { writer.value(value) }
    case .attributes(let userID, let attributes):
      writer.u8(29)
      writer.name(userID)
      writer.attributes(attributes)
    case .wanted(let number, let preference):
      writer.u8(30)
      writer.u32(number)
      writer.preference(preference)
    }
  }

  private static func write(_ member: Member, to writer: inout PacketWriter) {
    writer.u8(16)
    writer.name(member.userID)
    writer.text(member.displayName, atMost: HubWire.longestName)
    writer.u32(member.permissions.rawValue)
    writer.flag(member.decodes != nil)
    let codecs = (member.decodes ?? []).prefix(HubWire.mostCodecs)
    writer.u8(UInt8(codecs.count))
    for codec in codecs { writer.u32(codec) }
    writer.attributes(member.attributes)
  }

  // MARK: Reading

  init(parsing bytes: UnsafeRawBufferPointer) throws(PacketError) {
    var reader = PacketReader(bytes)
    switch try reader.u8() {
    case 1:
      self = .welcome(
        Welcome(
          permissions: try reader.permissions(), ticket: try reader.block(HubWire.ticketSize), terms: try MediaParameters(from: &reader)))
    case 2: self = .received(try reader.u64())
    case 3:
      let status = Status(foreign: Int32(bitPattern: try reader.u32()))
      self = .ended(MediaError(status, try reader.text(atMost: HubWire.longestWords)))
    case 4: self = .resumed(try reader.u64())
    case 16: self = .joined(try HubNotice.member(from: &reader))
    case 17: self = .left(userID: try reader.name())
    case 18:
      self = .streamAdded(
        Stream(
          number: try reader.u32(), userID: try reader.name(), codec: try reader.u32(), format: try reader.format(),
          isMuted: try reader.flag()))
    case 19: self = .streamRemoved(try reader.u32())
    case 20: self = .streamMuted(try reader.u32(), try reader.flag())
    case 21: self = .speaking(try reader.u32(), userID: try reader.name(), try reader.flag(), level: UInt32(try reader.u8()))
    case 22: self = try HubNotice.moderated(from: &reader)
    case 23: self = .keyFrameRequested(try reader.u32())
    case 24: self = .receivers(try reader.u32(), Int(try reader.u32()))
    case 25: self = .permissionsChanged(userID: try reader.name(), try reader.permissions())
    case 26: self = .accessExpiring(try HubNotice.remaining(from: &reader))
    case 27: self = try HubNotice.renewed(from: &reader)
    case 28: self = .attribute(userID: try reader.name(), try reader.key(), try reader.flag() ? try reader.value() : nil)
    case 29: self = .attributes(userID: try reader.name(), try reader.attributes())
    case 30: self = .wanted(try reader.u32(), try reader.preference())
    default: throw PacketError("hub: a message of an unknown type")
    }
    try reader.end()
  }

  private static func remaining(from reader: inout PacketReader) throws(PacketError) -> Int64 {
    let remaining = Int64(bitPattern: try reader.u64())
    guard (0...AccessGrant.lifetimes.upperBound).contains(remaining) else { throw PacketError("hub: a remaining time that cannot be") }
    return remaining
  }

  /// Every refusal of a renewal is one of permission.
  private static func renewed(from reader: inout PacketReader) throws(PacketError) -> HubNotice {
    let (isRenewed, words) = (try reader.flag(), try reader.text(atMost: HubWire.longestWords))
    guard !isRenewed || words.isEmpty else { throw PacketError("hub: a renewed access with a reason") }
    return .accessRenewed(isRenewed ? nil : MediaError(.permission, words))
  }

  private static func moderated(from reader: inout PacketReader) throws(PacketError) -> HubNotice {
    let userID = try reader.name()
    guard let moderation = Moderation(rawValue: UInt32(try reader.u8())) else { throw PacketError("hub: an unknown moderation") }
    return .moderated(by: userID, moderation, reason: try reader.text(atMost: HubWire.longestWords))
  }

  private static func member(from reader: inout PacketReader) throws(PacketError) -> Member {
    var member = Member(userID: try reader.name(), displayName: try reader.text(atMost: HubWire.longestName))
    member.permissions = try reader.permissions()
    let (says, count) = (try reader.flag(), Int(try reader.u8()))
    guard count <= HubWire.mostCodecs else { throw PacketError("hub: more than 32 codecs") }
    var codecs: [UInt32] = []
    for _ in 0..<count { codecs.append(try reader.u32()) }
    member.decodes = says ? codecs : nil
    member.attributes = try reader.attributes()
    member.takesRaw = false
    return member
  }
}
