import CMediaSDK
import MediaCore

/// What a member's machine knows of the hub's room: who is there, streams of others by the hub's numbers, streams of its own by its own, and the
/// places of both. Places that were used just now rest for a while, as packets of before may still be under way.
struct HubRoster {
  struct Own {
    let number: UInt32
    let slot: HubSlot
    let codec: UInt32
    var receivers = 0
    var isSpeaking = false
  }

  struct Other {
    let number: UInt32
    let userID: String
    let codec: UInt32
    var sink: (any EncodedSink)?
    var slot: HubSlot?
    /// Of the last unit that came.
    var picture: FrameID = 0
  }

  struct Places {
    private var rested: [HubSlot: Int64] = [:]
    private var taken: Set<HubSlot> = []
    private static let rest: Int64 = 2_000_000_000

    mutating func take(video: Bool, now: Int64) -> HubSlot? {
      let free = HubSlot.all(video: video).filter { !taken.contains($0) }
      // Low places first, so that few are ever used; if all are tired, the one that rested longest.
      let slot = free.first { now &- (rested[$0] ?? now &- Places.rest) >= Places.rest } ?? free.min { rested[$0] ?? 0 < rested[$1] ?? 0 }
      if let slot { taken.insert(slot) }
      return slot
    }

    mutating func giveBack(_ slot: HubSlot, now: Int64) {
      taken.remove(slot)
      rested[slot] = now
    }
  }

  /// Streams that a hub may tell of.
  static let mostOthers = 8192
  static let mostMembers = RoomAccess.mostMembers

  private(set) var own: [StreamID: Own] = [:]
  private var ownNumbers: [UInt32: StreamID] = [:]
  private var nextNumber: UInt32 = 1
  private(set) var others: [StreamID: Other] = [:]
  private var otherNumbers: [UInt32: StreamID] = [:]
  private var otherSlots: [HubSlot: StreamID] = [:]
  private var up = Places()
  private var down = Places()
  /// With what they say of themselves.
  var members: [String: ParticipantAttributes] = [:]

  // MARK: Its own

  /// nil: no place is left.
  mutating func publish(_ id: StreamID, codec: UInt32, video: Bool, now: Int64) -> Own? {
    guard own[id] == nil, let slot = up.take(video: video, now: now) else { return nil }
    let stream = Own(number: nextNumber, slot: slot, codec: codec)
    nextNumber &+= 1
    (own[id], ownNumbers[stream.number]) = (stream, id)
    return stream
  }

  mutating func unpublish(_ id: StreamID, now: Int64) -> Own? {
    guard let stream = own.removeValue(forKey: id) else { return nil }
    ownNumbers[stream.number] = nil
    up.giveBack(stream.slot, now: now)
    return stream
  }

  mutating func setSpeaking(_ id: StreamID, _ isSpeaking: Bool) { own[id]?.isSpeaking = isSpeaking }

  /// nil: it is not published any more.
  mutating func setReceivers(_ number: UInt32, _ count: Int) -> StreamID? {
    guard let id = ownNumbers[number] else { return nil }
    own[id]?.receivers = count
    return id
  }

  func own(_ number: UInt32) -> StreamID? { ownNumbers[number] }
  func own(at slot: HubSlot) -> StreamID? { own.first { $0.value.slot == slot }?.key }

  // MARK: Others

  /// Told of one more; nil for what cannot be.
  mutating func add(_ stream: HubNotice.Stream) -> StreamDescription? {
    guard others.count < HubRoster.mostOthers, otherNumbers[stream.number] == nil, HubStreams.isCarried(stream.codec) else {
      return nil
    }
    let id = StreamID.next()
    others[id] = Other(number: stream.number, userID: stream.userID, codec: stream.codec)
    otherNumbers[stream.number] = id
    var description = StreamDescription(id: id, userID: stream.userID, codec: stream.codec, format: stream.format)
    description.isMuted = stream.isMuted
    return description
  }

  mutating func remove(_ number: UInt32, now: Int64) -> StreamID? {
    guard let id = otherNumbers.removeValue(forKey: number) else { return nil }
    _ = endReceiving(id, now: now)
    others[id] = nil
    return id
  }

  func other(_ number: UInt32) -> StreamID? { otherNumbers[number] }
  /// Where another's stream is received; nil: it is not.
  func slot(of number: UInt32) -> HubSlot? { otherNumbers[number].flatMap { others[$0]?.slot } }

  /// nil: it is received already, is gone, or no place is left.
  mutating func receive(_ id: StreamID, _ sink: any EncodedSink, now: Int64) -> (number: UInt32, slot: HubSlot)? {
    guard let stream = others[id], stream.sink == nil else { return nil }
    guard let slot = down.take(video: stream.codec == UInt32(MSDK_CODEC_VP8), now: now) else { return nil }
    others[id]?.sink = sink
    others[id]?.slot = slot
    otherSlots[slot] = id
    return (stream.number, slot)
  }

  mutating func endReceiving(_ id: StreamID, now: Int64) -> UInt32? {
    guard let stream = others[id], let slot = stream.slot else { return nil }
    others[id]?.sink = nil
    others[id]?.slot = nil
    otherSlots[slot] = nil
    down.giveBack(slot, now: now)
    return stream.number
  }

  /// A frame came, after one that did not: whose it is, and which of its stream.
  mutating func arrived(_ slot: HubSlot, _ codec: UInt32, isAfterGap: Bool = false) -> (sink: any EncodedSink, picture: FrameID)? {
    guard let id = otherSlots[slot], var stream = others[id], stream.codec == codec, let sink = stream.sink else { return nil }
    stream.picture &+= isAfterGap ? 2 : 1
    others[id] = stream
    return (sink, stream.picture)
  }

  /// So many frames did not come.
  mutating func missed(_ count: Int, at slot: HubSlot) {
    if let id = otherSlots[slot] { others[id]?.picture &+= FrameID(clamping: count) }
  }
}
