import MediaCore

/// Which frames of others a member is sent, when the network path has no room for all of them.
extension HubStreams {
  static let longestDelay: Int64 = 500_000_000
  static let shortDelay: Int64 = 50_000_000
  static let cutPause: Int64 = 250_000_000
  /// How often it is looked whether there is room again.
  static let look: Int64 = 250_000_000

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

  /// Beside all that flows, with a tenth to spare. Where no other pictures flow the stream that takes least disturbs nobody; and of one of which
  /// nothing has come yet nothing is known.
  mutating func hasRoom(for number: UInt32, _ target: Int, _ now: Int64) -> Bool {
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
}
