import MediaCore

/// Chooses what a stream makes by the bandwidth estimate. Pure: estimate and time in, choice out.
protocol Negotiator: Sendable {
  var current: VideoFormat? { get }
  /// Slower than the format's own frame rate; nil: that rate.
  var pace: FrameRate? { get }
  /// When `update` is worth calling again with the same estimate.
  var nextCheck: Int64? { get }
  /// Takes the estimate in bits a second (0: unlimited) and says whether the choice changed.
  mutating func update(estimate bits: UInt64, now: Int64) -> Bool
}

/// How long something better has been affordable, and the least estimate meanwhile.
struct Rise: Sendable {
  private var since: Int64?
  private var least = Double.infinity

  /// When it will have lasted long enough.
  var due: Int64? { since.map { $0 + FormatNegotiator.hold } }

  /// The least estimate, once it has lasted long enough, which ends it.
  mutating func lasting(_ isAffordable: Bool, _ estimate: Double, now: Int64) -> Double? {
    guard isAffordable else {
      end()
      return nil
    }
    let began = since ?? now
    since = began
    least = min(least, estimate)
    guard now - began >= FormatNegotiator.hold else { return nil }
    defer { end() }
    return least
  }

  mutating func end() { self = Rise() }
}
