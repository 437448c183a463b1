import MediaCore

/// When the publisher of a stream is asked for a key frame: once for all receivers who want one, and not before there is room for it.
extension HubStreams {
  private static let requestPause: Int64 = 2_000_000_000
  private static let lossPause: Int64 = 500_000_000

  /// Whether the publisher of that stream is notified of a request: one that was requested and has not come yet is for whoever asks meanwhile.
  mutating func isToBeAsked(for id: StreamID, now: Int64) -> Bool {
    guard let number = numbers[id], let stream = published[number] else { return true }
    if let asked = stream.asked, now &- asked < HubStreams.requestPause { return false }
    published[number]?.asked = now
    return true
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
  mutating func asks(for number: UInt32, delay: Int64, target: Int, now: Int64) -> Bool {
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
}
