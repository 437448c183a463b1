import MediaTransport

/// Which frames of a video stream a player is sent. Nothing that needs a frame which did not go is sent, and nothing while the path is
/// behind; then the next key frame is. Frames that no other needs are the first that are dropped. A value; time comes in.
struct ForwardingGate {
  /// Nanoseconds that frames may wait for the path, and those that no other needs.
  static let longestDelay: Int64 = 500_000_000
  static let droppableDelay: Int64 = 200_000_000
  /// A key frame is asked for when no more waits than this.
  static let shortDelay: Int64 = 100_000_000
  /// Nanoseconds between two requests: each costs all who receive the stream.
  static let requestPause: Int64 = 2_000_000_000
  /// The same after a loss that the player reports.
  static let lossPause: Int64 = 500_000_000

  /// Frames that no other needs are dropped, as the path has no room for them.
  var isThinned = false
  private var last: FrameID?
  private(set) var needsKeyFrame = true
  private var lastRequest: Int64?
  /// The path did not take a frame: it is not there yet, or was away.
  private var isRefused = false
  /// What a large key frame makes others wait is no reason to drop them: what waited behind it, until the queue is short again.
  private var allowed: Int64?
  private var isBehindKeyFrame = false

  /// What becomes of a frame: whether it is sent, and whether a key frame is to be asked for. `delay`: how long it would wait.
  mutating func take(
    _ id: FrameID, isKeyFrame: Bool, isDroppable: Bool = false, delay: Int64, now: Int64
  ) -> (isSent: Bool, wantsKeyFrame: Bool) {
    defer { last = id }
    if let last, id != last &+ 1, !isKeyFrame { needsKeyFrame = true }
    if isBehindKeyFrame {
      (isBehindKeyFrame, allowed) = (false, delay)
    } else if delay <= ForwardingGate.longestDelay {
      allowed = nil
    }
    if isDroppable, isThinned || delay > (allowed ?? 0) &+ ForwardingGate.droppableDelay { return (false, false) }
    let isLate = delay > (allowed ?? 0) &+ ForwardingGate.longestDelay
    if isLate { needsKeyFrame = true }
    if needsKeyFrame, isKeyFrame, delay <= ForwardingGate.longestDelay { (needsKeyFrame, isRefused) = (false, false) }
    guard needsKeyFrame else {
      if isKeyFrame { isBehindKeyFrame = true }
      return (true, false)
    }
    let pause = isRefused ? ForwardingGate.lossPause : ForwardingGate.requestPause
    return (false, delay <= ForwardingGate.shortDelay && asks(after: pause, now: now))
  }

  /// It did not go after all.
  mutating func notSent() { (needsKeyFrame, isRefused) = (true, true) }

  /// The player lost a frame for good; whether a key frame is to be asked for.
  mutating func lost(now: Int64) -> Bool { asks(after: ForwardingGate.lossPause, now: now) }

  /// Another stream follows, of which a key frame is asked for anyway.
  mutating func begin(now: Int64) {
    (last, needsKeyFrame, allowed, isBehindKeyFrame) = (nil, true, nil, false)
    lastRequest = now
  }

  private mutating func asks(after pause: Int64, now: Int64) -> Bool {
    if let lastRequest, now &- lastRequest < pause { return false }
    lastRequest = now
    return true
  }
}
