/// By what the other end knows from the beginning when what comes was captured: a stream's first sender reports leave with its first packet (RFC
/// 6051, section 2.1), and, as that may be lost, with later packets until the other end says that it has one. Reports may be overtaken, too: each
/// frame says it itself until then (abs-capture-time), and one in a second afterwards.
struct Announcement {
  var isHeard = false
  private var began: Int64?
  private var said = Int64.min
  private var count = 0
  private var next = Int64.min
  /// Others speak only of what came by the schedule.
  private static let most = 4
  private static let pause: Int64 = 100_000_000
  /// Whoever sends no reports in that time sends none at all.
  private static let patience: Int64 = 10_000_000_000
  private static let interval: Int64 = 1_000_000_000

  /// Asked for with each packet; what is due counts as sent.
  mutating func isDue(at now: Int64) -> Bool {
    guard !isHeard, count < Announcement.most, now >= next else { return false }
    next = now &+ Announcement.pause << Int64(count)
    count += 1
    return true
  }

  /// Whether that frame is to say when it was captured. Asked for with each; what is due counts as said.
  mutating func saysCapture(at now: Int64) -> Bool {
    let start = began ?? now
    began = start
    guard (!isHeard && now &- start < Announcement.patience) || said == .min || now &- said >= Announcement.interval else { return false }
    said = now
    return true
  }
}
