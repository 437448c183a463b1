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

  private(set) var published: [UInt32: Published] = [:]
  private var numbers: [StreamID: UInt32] = [:]
  private var publishedAt: [HubSlot: UInt32] = [:]
  private(set) var offered: [UInt32: Offered] = [:]
  private var next: UInt32 = 1
  private var receivedAt: Set<HubSlot> = []
  /// When a stream was made to give way last.
  private var lastCut = -HubStreams.cutPause

  /// What the way would have to carry for a stream that was left out for want of room; 0: none is.
  private(set) var wanted = 0

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

  /// Whether the publisher of that stream is notified of a request: one that was requested and has not come yet is for whoever asks meanwhile.
  mutating func isToBeAsked(for id: StreamID, now: Int64) -> Bool {
    guard let number = numbers[id], let stream = published[number] else { return true }
    if let asked = stream.asked, now &- asked < HubStreams.requestPause { return false }
    published[number]?.asked = now
    return true
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

  /// Where a unit goes out; nil: not at all. A picture does not when it needs one that did not, or the way is behind by too much: `delay` is what
  /// it would wait, `waiting` how many bytes that is, `target` what the way carries. The streams that take most of it give way first, and come back
  /// when there is room for all that they take. While a key frame is under way no other one goes out that takes long: it would delay the first.
  /// Also whether the publisher is to be asked for a picture that needs none, once there is room for it.
  mutating func leave(
    _ number: UInt32, size: Int, isKeyFrame: Bool, delay: Int64, waiting: Int = 0, target: Int, isUnderWay: Bool = false, now: Int64
  ) -> (slot: HubSlot?, wantsKeyFrame: Bool) {
    offered[number]?.received?.load.add(size, now: now)
    guard let stream = offered[number], let received = stream.received else { return (nil, false) }
    guard received.slot.isVideo else { return (received.slot, false) }
    if isKeyFrame, isUnderWay, 8 * Double(size) / Double(max(1, target)) > Double(HubStreams.longestDelay) / 1e9 {
      leftOut(number)
      return (nil, false)
    }
    if delay <= HubStreams.longestDelay {
      if !isUnderWay { offered[number]?.received?.keyFrameSize = 0 }
    } else if received.keyFrameSize == 0 {
      cut(number, delay: delay, now: now)
    } else if waiting + size > HubStreams.mostBehind(received.keyFrameSize, target, isScreen: stream.isScreen) {
      offered[number]?.received?.needsKeyFrame = true
    }
    if offered[number]?.received?.needsKeyFrame == false {
      if isKeyFrame { offered[number]?.received?.keyFrameSize = size }
      return (received.slot, false)
    }
    if isKeyFrame, delay <= HubStreams.longestDelay, hasRoom(for: number, target, now) {
      offered[number]?.received?.needsKeyFrame = false
      offered[number]?.received?.isMissing = false
      offered[number]?.received?.keyFrameSize = size
      wanted = 0
      return (received.slot, false)
    }
    offered[number]?.received?.isMissing = true
    return (nil, !isUnderWay && asks(for: number, delay: delay, target: target, now: now))
  }

  /// Bytes that may wait, a key frame of that size among them. A large one takes long, which is no reason to drop what follows it: half a second of
  /// that may wait behind it, and of a screen, which is read and not conversed with, as much as the next key frame would take.
  private static func mostBehind(_ keyFrame: Int, _ target: Int, isScreen: Bool) -> Int {
    let half = Int(Double(longestDelay) / 8e9 * Double(target))
    // Headers and the like: a twentieth.
    return keyFrame / 20 * (isScreen ? 42 : 21) + half
  }

  /// The member lost a picture for good, and can show nothing before the next key frame: of which stream it is to be requested now; nil: of none,
  /// as that is done when there is room.
  mutating func lose(receivedAt slot: HubSlot, delay: Int64, target: Int, now: Int64) -> StreamID? {
    guard let (number, stream) = offered.first(where: { $0.value.received?.slot == slot }), let received = stream.received else {
      return nil
    }
    let wasFlowing = received.isFlowing
    leftOut(number)
    guard wasFlowing, delay <= HubStreams.longestDelay, now &- received.lastRequest >= HubStreams.lossPause else { return nil }
    offered[number]?.received?.lastRequest = now
    offered[number]?.received?.isMissing = false
    return stream.id
  }

  /// A key frame is wanted of a stream of which nothing was lost; false: it is requested when there is room.
  mutating func request(_ number: UInt32, delay: Int64, now: Int64) -> Bool {
    guard let received = offered[number]?.received else { return false }
    guard received.isFlowing, delay <= HubStreams.longestDelay else {
      leftOut(number)
      return false
    }
    offered[number]?.received?.lastRequest = now
    return true
  }

  /// Whether a picture that needs none is to be asked for now, as there is room for it. Each costs all who receive the stream.
  private mutating func asks(for number: UInt32, delay: Int64, target: Int, now: Int64) -> Bool {
    guard let received = offered[number]?.received, received.needsKeyFrame, received.isMissing, hasRoom(for: number, target, now),
      delay < HubStreams.shortDelay, now &- received.lastRequest >= HubStreams.requestPause
    else { return false }
    offered[number]?.received?.lastRequest = now
    offered[number]?.received?.isMissing = false
    return true
  }

  /// The streams of which a picture did not go out that nothing has followed, and for which there is room now; and when to look again, `.max`: not
  /// before another picture. What was left out last of a page that stands still would otherwise never come.
  mutating func asks(
    delay: Int64, target: Int, now: Int64, isUnderWay: (HubSlot) -> Bool = { _ in false }
  ) -> (streams: [StreamID], next: Int64) {
    var streams: [StreamID] = []
    var next = Int64.max
    for (number, stream) in offered {
      guard let received = stream.received, received.needsKeyFrame, received.isMissing else { continue }
      if !isUnderWay(received.slot), asks(for: number, delay: delay, target: target, now: now) {
        streams.append(stream.id)
      } else {
        next = min(next, max(now &+ HubStreams.look, received.lastRequest &+ HubStreams.requestPause))
      }
    }
    return (streams, next)
  }

  /// Beside all that flows, with a tenth to spare. Where no other pictures flow the stream that takes least disturbs nobody; and of one of which
  /// nothing has come yet nothing is known.
  private mutating func hasRoom(for number: UInt32, _ target: Int, _ now: Int64) -> Bool {
    guard let own = offered[number]?.received?.load.rate(at: now), own > 0 else { return true }
    var others = 0
    var isFirst = true
    for (other, stream) in offered where other != number {
      guard let received = stream.received else { continue }
      let rate = received.load.rate(at: now)
      if received.slot.isVideo, received.isFlowing || (rate, other) < (own, number) { isFirst = false }
      if !received.slot.isVideo || received.isFlowing { others += rate }
    }
    if isFirst { return true }
    let all = (own + others) / 10 * 11
    if all > target { wanted = all }
    return all <= target
  }

  /// The costliest, and where that is not enough one more each time that it should have shown; and whoever comes while far too much waits.
  private mutating func cut(_ number: UInt32, delay: Int64, now: Int64) {
    if delay > 2 * HubStreams.longestDelay { offered[number]?.received?.needsKeyFrame = true }
    guard now &- lastCut >= HubStreams.cutPause else { return }
    var costliest: (number: UInt32, rate: Int)?
    for (number, stream) in offered {
      guard let received = stream.received, received.slot.isVideo, received.isFlowing else { continue }
      let rate = received.load.rate(at: now)
      if let other = costliest, (other.rate, other.number) > (rate, number) { continue }
      costliest = (number, rate)
    }
    guard let costliest else { return }
    offered[costliest.number]?.received?.needsKeyFrame = true
    lastCut = now
  }

  /// It did not go out after all.
  mutating func leftOut(_ number: UInt32) {
    offered[number]?.received?.needsKeyFrame = true
    offered[number]?.received?.isMissing = true
  }

  private static let longestDelay: Int64 = 500_000_000
  private static let shortDelay: Int64 = 50_000_000
  private static let requestPause: Int64 = 2_000_000_000
  private static let lossPause: Int64 = 500_000_000
  private static let cutPause: Int64 = 250_000_000
  /// How often it is looked whether there is room again.
  static let look: Int64 = 250_000_000
}
