import MediaCore

/// The capture times of a stream of samples: counted from one of them, so that no rounding adds up, and drawn after what buffers say.
struct AudioTimeline {
  /// Farther off than this a buffer is not the next one.
  static let tolerance: Int64 = 20_000_000

  private let rate: UInt32
  /// The time of a sample, 0 while none is known, and the samples since.
  private var anchor: Int64 = 0
  private var count: Int64 = 0

  init(rate: UInt32) { self.rate = rate }

  /// Of the next sample; 0 while it is not known.
  var next: Int64 { anchor == 0 ? 0 : anchor &+ MediaTime.nanoseconds(fromUnits: count, rate: rate) }

  /// Whether a buffer of that time (0: not known) goes on where the last one ended.
  func continues(at time: Int64) -> Bool {
    guard time != 0, anchor != 0 else { return true }
    return distance(to: time) <= UInt64(AudioTimeline.tolerance)
  }

  /// A buffer begins. Times that are right to a sample are not followed: what they differ by is rounding.
  mutating func begin(at time: Int64) {
    guard time != 0, anchor == 0 || distance(to: time) > 1_000_000_000 / UInt64(max(1, rate)) else { return }
    anchor = time
    count = 0
  }

  mutating func advance(_ samples: Int) { count &+= Int64(samples) }

  private func distance(to time: Int64) -> UInt64 {
    let (difference, overflow) = time.subtractingReportingOverflow(next)
    return overflow ? .max : difference.magnitude
  }
}
