/// The capture times of one stream that comes, on the clock here: as the sender's reports say, else from its first arrival on.
struct CaptureLine {
  private var origin: (stamp: Int64, time: Int64)
  private var last: (stamp: Int64, time: Int64)?
  /// A stamp that leads farther away from now begins another time line.
  private static let furthest: UInt64 = 10_000_000_000

  init(_ stamp: Int64, at time: Int64) {
    origin = (stamp, time)
  }

  /// Of a stamp in nanoseconds. A better knowledge of the sender's clock may move the line back: then times pass at half their pace until they are
  /// right, so that neither order nor rhythm is lost to a recorder. Stamps that go back are the sender's own, and are followed.
  mutating func time(_ stamp: Int64, captured: Int64?, at now: Int64) -> Int64 {
    if let captured { origin = (stamp, captured) }
    var time = origin.time &+ (stamp &- origin.stamp)
    if (time &- now).magnitude > CaptureLine.furthest {
      origin = (stamp, now)
      (time, last) = (now, nil)
    }
    if let last, stamp >= last.stamp { time = max(time, last.time &+ max(1, (stamp &- last.stamp) / 2)) }
    last = (stamp, time)
    return time
  }
}
