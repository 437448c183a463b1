/// One sender, whose streams share a wall clock (RFC 3550, sections 6.4.1 and 6.5.1): those of one CNAME. A stream that was not named yet is alone
/// with its clock, or of the only other end that there is (`RTPSettings.reportsAtOnce`).
final class RemoteEnd {
  var cname: String?
  var clock = RemoteClock()

  init(cname: String? = nil) {
    self.cname = cname
  }
}

/// Keeps the streams of a sender in step: what comes sooner is held back until what comes later is there, little by little, so that neither
/// stumbles. Looks at them ten times a second. Streams of several people that one end passes on need not wait for each other.
struct LipSync {
  static let interval: Int64 = 100_000_000
  /// Of the delay, at each look: 80 ms a second.
  static let step: Int64 = 8_000_000
  /// What was not heard for so long does not hold others back.
  static let silence: Int64 = 5_000_000_000

  /// Never held back for longer than this.
  let longest: Int64
  private var next: Int64 = .min

  init(longest: Int64) {
    self.longest = min(max(0, longest), 5_000_000_000)
  }

  /// When it looks again; never where there is nothing to be kept in step.
  mutating func update(_ streams: [ReceivingStream], now: Int64) -> Int64 {
    // What is alone is held back no longer.
    guard longest > 0, streams.count > 1 || streams.contains(where: { $0.hold > 0 }) else { return .max }
    guard now >= next else { return next }
    next = now &+ LipSync.interval
    for stream in streams { stream.latency = now &- stream.lastHeard > LipSync.silence ? nil : stream.measuredLatency }
    for stream in streams {
      guard stream.end.cname != nil, let own = stream.latency else { continue }
      var slowest = own
      for other in streams where other.end === stream.end && other.person == stream.person { slowest = max(slowest, other.latency ?? own) }
      let wish = min(slowest &- own, longest)
      stream.hold += min(max(wish - stream.hold, -LipSync.step), LipSync.step)
    }
    return next
  }
}
