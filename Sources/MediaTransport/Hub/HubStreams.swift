import CMediaSDK
import MediaCore

/// Which streams a member of a hub sends, which he was told of and which he receives; by his numbers, the hub's numbers and their places.
struct HubStreams {
  struct Published {
    let id: StreamID
    let slot: HubSlot
    let codec: UInt32
    /// Of the last unit that came.
    var picture: FrameID = 0
    /// When a key frame was requested that has not come yet.
    var asked: Int64?
  }

  struct Offered {
    let id: StreamID
    let codec: UInt32
    let isScreen: Bool
    var isSpeaking = false
    var received: Received?
  }

  struct Received {
    let slot: HubSlot
    /// Pictures are left out before the next one that needs none.
    var needsKeyFrame: Bool
    /// The room asks for one when it is subscribed to.
    var lastRequest: Int64
    /// A picture did not go out since one that needs none was asked for. Of a source that sends no more the next request cannot wait for another.
    var isMissing = false
    /// Of the key frame that went out last, until the queue behind it is short again; 0: it is.
    var keyFrameSize = 0
    /// What its units take, those that are left out included.
    var load = HubLoad()

    /// Takes its part of the way now.
    var isFlowing: Bool { !needsKeyFrame }
  }

  var published: [UInt32: Published] = [:]
  private(set) var numbers: [StreamID: UInt32] = [:]
  private var publishedAt: [HubSlot: UInt32] = [:]
  var offered: [UInt32: Offered] = [:]
  private var next: UInt32 = 1
  private var receivedAt: Set<HubSlot> = []
  /// When a stream was made to give way last.
  var lastCut = -HubStreams.cutPause

  /// What the way would have to carry for a stream that was left out for want of room; 0: none is.
  var wanted = 0

  /// What passes a hub: encoded, with a payload format.
  static func isCarried(_ codec: UInt32) -> Bool { codec == UInt32(MSDK_CODEC_VP8) || codec == UInt32(MSDK_CODEC_OPUS) }

  /// Whether a stream of that codec has its place there.
  static func fits(_ codec: UInt32, _ slot: HubSlot) -> Bool { codec == UInt32(slot.isVideo ? MSDK_CODEC_VP8 : MSDK_CODEC_OPUS) }

  // MARK: Of the member

  /// False: number or place are taken.
  mutating func publish(_ number: UInt32, _ stream: Published) -> Bool {
    guard published[number] == nil, publishedAt[stream.slot] == nil else { return false }
    (published[number], numbers[stream.id], publishedAt[stream.slot]) = (stream, number, number)
    return true
  }

  mutating func unpublish(_ number: UInt32) -> StreamID? {
    guard let stream = published.removeValue(forKey: number) else { return nil }
    (numbers[stream.id], publishedAt[stream.slot]) = (nil, nil)
    return stream.id
  }

  /// A frame came, after one that did not: where it belongs.
  mutating func arrived(_ slot: HubSlot, _ codec: UInt32, isKeyFrame: Bool, isAfterGap: Bool = false) -> (id: StreamID, picture: FrameID)? {
    guard let number = publishedAt[slot], var stream = published[number], stream.codec == codec else { return nil }
    stream.picture &+= isAfterGap ? 2 : 1
    if isKeyFrame { stream.asked = nil }
    published[number] = stream
    return (stream.id, stream.picture)
  }

  /// So many frames did not come.
  mutating func missed(_ count: Int, at slot: HubSlot) {
    if let number = publishedAt[slot] { published[number]?.picture &+= FrameID(clamping: count) }
  }

  // MARK: Of others

  mutating func offer(_ id: StreamID, codec: UInt32, isScreen: Bool = false) -> UInt32 {
    defer { next &+= 1 }
    (offered[next], numbers[id]) = (Offered(id: id, codec: codec, isScreen: isScreen), next)
    return next
  }

  /// The number it had, and the place on which it was received.
  mutating func withdraw(_ id: StreamID) -> (number: UInt32, slot: HubSlot?)? {
    guard let number = numbers.removeValue(forKey: id), let stream = offered.removeValue(forKey: number) else { return nil }
    if let slot = stream.received?.slot { receivedAt.remove(slot) }
    wanted = 0
    return (number, stream.received?.slot)
  }

  /// Of a stream of either side.
  func number(of id: StreamID) -> UInt32? { numbers[id] }

  /// It was told of once; it may be gone since.
  func wasOffered(_ number: UInt32) -> Bool { number < next && number > 0 }

  /// False: the place is taken, or for another kind.
  mutating func receive(_ number: UInt32, at slot: HubSlot, now: Int64) -> Bool {
    guard let stream = offered[number], stream.received == nil, HubStreams.fits(stream.codec, slot) else { return false }
    guard receivedAt.insert(slot).inserted else { return false }
    offered[number]?.received = Received(slot: slot, needsKeyFrame: slot.isVideo, lastRequest: now)
    return true
  }

  mutating func endReceiving(_ number: UInt32) -> (id: StreamID, slot: HubSlot)? {
    guard let stream = offered[number], let slot = stream.received?.slot else { return nil }
    offered[number]?.received = nil
    wanted = 0
    receivedAt.remove(slot)
    return (stream.id, slot)
  }

  mutating func setSpeaking(_ number: UInt32, _ isSpeaking: Bool) { offered[number]?.isSpeaking = isSpeaking }

  /// Pictures that are received: none of them is of use before the next that needs none.
  var receivedPictures: [StreamID] { offered.values.filter { $0.received?.slot.isVideo == true }.map(\.id) }
}
