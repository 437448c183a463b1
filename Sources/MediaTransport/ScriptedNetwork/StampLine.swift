import MediaCore

/// The stamps of one stream: a capture time that makes no sense, or one that repeats, does not disturb the time line, which goes on from where it
/// was.
struct StampLine {
  private var last: (units: Int64, time: Int64)?
  /// From the stream's own stamps to these.
  private var offset: Int64 = 0
  private let rate: UInt32

  init(rate: UInt32) {
    self.rate = rate
  }

  /// Of what was captured then and is sent now: above all that went before.
  mutating func units(captured: Int64, now: Int64) -> Int64 {
    let own = MediaTime.units(fromNanoseconds: captured, rate: rate)
    guard let last else {
      self.last = (own, now)
      return own
    }
    let expected = last.units &+ max(1, MediaTime.units(fromNanoseconds: now &- last.time, rate: rate))
    var units = own &+ offset
    // More than a second off what the time of sending leads to expect.
    if units <= last.units || (units &- expected).magnitude > UInt64(rate) {
      offset = expected &- own
      units = expected
    }
    self.last = (units, now)
    return units
  }
}
