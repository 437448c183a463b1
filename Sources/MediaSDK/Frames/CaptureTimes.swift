import MediaCore

/// The capture times of one stream's frames, on the engine's clock. The times that a program gives may be of a clock of its own, a count
/// from 0 say: one that is farther from now than any frame can be, or that jumps back, begins a time line, by which those after it are
/// shifted. The line is the session's: its other streams join it, so that audio and video stay in step. Pure: times in, time out.
struct CaptureTimes {
  /// What a program gives for the time 0, as 0 itself means none.
  static let zero = Int64.min
  /// What comes with a frame; a time of 0 is none.
  struct Given {
    let time: Int64
    /// A program says it of this frame: not so a frame that is sent again, which has the time of its first sending, and what a producer
    /// makes, which is paced here.
    var mayBeginLine = true

    fileprivate var count: Int64 { time == CaptureTimes.zero ? 0 : time }
  }

  private static let mostBehind: Int64 = 10_000_000_000
  /// Audio may be queued for that long.
  private static let mostAhead: Int64 = 60_000_000_000
  /// Of a line that another stream began: who is farther behind does not go by that.
  private static let mostBehindOfOthers: Int64 = 1_000_000_000

  private var shift: Int64 = 0
  /// Of the frame before.
  private(set) var last = Int64.min

  /// The time of a frame for which the program gives none.
  mutating func take(_ time: Int64) -> Int64 {
    last = time
    return time
  }

  /// The frames before were captured later than it seemed.
  mutating func move(by later: Int64) {
    last &+= later
  }

  /// What was captured from then on was dropped: it may come again.
  mutating func forget(from time: Int64) {
    last = time &- 1
  }

  /// The time of a frame for which the program gives `given`. `live`: when it was captured if it was sent at once; `next`: what it gets if
  /// it begins a line; `earliest`: what does not jump back; `line`: the session's, locked only for a frame that leaves the stream's own.
  mutating func take(_ given: Given, live: Int64, next: Int64, earliest: Int64, on line: Monitor<Int64?>?) -> Int64 {
    if let time = goOn(given, live, earliest) { return time }
    guard let line else {
      var none: Int64?
      return take(given, live: live, next: next, earliest: earliest, &none)
    }
    return line.withLock { take(given, live: live, next: next, earliest: earliest, &$0) }
  }

  mutating func take(_ given: Given, live: Int64, next: Int64, earliest: Int64, _ line: inout Int64?) -> Int64 {
    if let time = goOn(given, live, earliest) { return time }
    guard given.mayBeginLine else { return take(max(next, earliest)) }
    if CaptureTimes.fits(given.count, live, earliest, CaptureTimes.mostBehind) {
      // Of the engine's clock again.
      shift = 0
    } else if let line, CaptureTimes.fits(given.count &+ line, live, earliest, CaptureTimes.mostBehindOfOthers) {
      shift = line
    } else {
      shift = max(next, earliest) &- given.count
      line = shift
    }
    return take(given.count &+ shift)
  }

  /// On the line that the stream has; nil if the frame cannot be of it.
  private mutating func goOn(_ given: Given, _ live: Int64, _ earliest: Int64) -> Int64? {
    let time = given.count &+ shift
    return CaptureTimes.fits(time, live, earliest, CaptureTimes.mostBehind) ? take(time) : nil
  }

  private static func fits(_ time: Int64, _ live: Int64, _ earliest: Int64, _ most: Int64) -> Bool {
    time >= earliest && time >= live &- most && time <= live &+ mostAhead
  }
}
