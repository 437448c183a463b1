/// When a stream's first sender reports leave: with its first packet, so that the other end knows from the beginning when what comes was captured
/// (RFC 6051, section 2.1), and, as that may be lost, with later packets until the other end says that it has one.
struct Announcement {
  var isHeard = false
  private var count = 0
  private var next = Int64.min
  /// Others speak only of what came by the schedule.
  private static let most = 4
  private static let pause: Int64 = 100_000_000

  /// Asked for with each packet; what is due counts as sent.
  mutating func isDue(at now: Int64) -> Bool {
    guard !isHeard, count < Announcement.most, now >= next else { return false }
    next = now &+ Announcement.pause << Int64(count)
    count += 1
    return true
  }
}
