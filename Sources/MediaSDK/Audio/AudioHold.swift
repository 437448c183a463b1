import MediaCore

/// Sound without times of its own that comes after a pause of a live source. Either the source paused, or it was held up and hands over what it
/// captured meanwhile; that shows at once, as what was captured meanwhile fills the pause, neither less nor more. So long the first of it waits.
/// Pure: time in, answers out.
struct AudioHold {
  private static let length: Int64 = 20_000_000
  private static let tolerance: Int64 = 10_000_000
  /// No longer pause is looked into.
  static let longestPause: Int64 = 10_000_000_000
  /// So many buffers in a row, each written when it was captured, are of a live source.
  static let leastLive = 5

  /// When the first buffer after the pause came.
  let start: Int64
  private let duration: Int64

  init(at now: Int64, duration: Int64) {
    (start, self.duration) = (now, duration)
  }

  var end: Int64 { start &+ AudioHold.length }

  /// Of sound that goes on where that before the pause ended, and ends then.
  func isFilled(by time: Int64) -> Bool { (time &- start).magnitude <= UInt64(duration &+ AudioHold.tolerance) }

  /// What is written for later, by a file or by synthetic speech, is not of the pause.
  func isExceeded(by time: Int64) -> Bool { time > start &+ duration &+ AudioHold.tolerance }
}

extension OutgoingAudio.Guarded {
  private static let longestPause: Int64 = 100_000_000
  private static let tolerance: Int64 = 10_000_000

  /// The time that was given; or where the sound before ended, unless that was long ago: what is handed over now has just ended.
  mutating func stamp(_ given: Int64, _ now: Int64, _ duration: Int64, rate: UInt32) -> Int64 {
    let begin = now - duration
    guard given != 0 else { return times.take(follow(begin, now, duration, rate: rate)) }
    decideHold(rate: rate, isOver: true)
    live = 0
    let end = next(rate: rate).flatMap { $0 >= begin - OutgoingAudio.Guarded.longestPause ? $0 : nil } ?? begin
    return times.take(
      CaptureTimes.Given(time: given), live: begin, next: end, earliest: times.last &+ 1, on: life.publication?.session.captureLine)
  }

  /// Of sound without times of its own. A source whose clock is not ours is followed, by a thousandth at most.
  private mutating func follow(_ begin: Int64, _ now: Int64, _ duration: Int64, rate: UInt32) -> Int64 {
    // A burst is ahead, and tells nothing of a clock.
    let isBurst = !pending.isEmpty || acceptedAt > now - duration / 2
    guard let next = next(rate: rate) else { return max(begin, times.last &+ 1) }
    if hold != nil { return next }
    guard next >= begin - OutgoingAudio.Guarded.longestPause else {
      if live >= AudioHold.leastLive, pending.isEmpty, begin - next <= AudioHold.longestPause {
        hold = AudioHold(at: now, duration: duration)
        return next
      }
      live = 0
      return max(begin, times.last &+ 1)
    }
    guard !isBurst else {
      live = 0
      return next
    }
    live += 1
    guard abs(begin - next) > OutgoingAudio.Guarded.tolerance else { return next }
    return next + (begin > next ? duration / 1000 : -duration / 1000)
  }

  func next(rate: UInt32) -> Int64? {
    position.map { $0.anchor &+ MediaTime.nanoseconds(fromUnits: $0.samples, rate: rate) }
  }

  /// Whether it was a pause: then what waits has just ended, and what waits with it follows. Nothing is decided before it is known.
  mutating func decideHold(rate: UInt32, isOver: Bool) {
    guard let hold, let next = next(rate: rate), isOver || hold.isExceeded(by: next) else { return }
    self.hold = nil
    guard !hold.isFilled(by: next), let first = pending.first, let position else { return }
    live = 0
    let later = hold.start - first.duration - first.timestamp
    for _ in 0..<pending.count {
      guard var moved = pending.pop() else { break }
      moved.timestamp += later
      moved.frame.stamp(sequence: moved.sequence, timestamp: moved.timestamp)
      _ = pending.push(moved)
    }
    self.position = (position.anchor + later, position.samples)
    times.move(by: later)
  }
}
