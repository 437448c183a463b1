import MediaCore

/// When the next buffer of sound may leave: in real time, but for what a live source does. It may be early by one buffer or 20 ms, and catch up
/// what it was late by: up to 100 ms, or ten seconds where the times of its capture say that nothing is missing between it and the sound before. What
/// begins after a pause is not late. A buffer that alone waits for less than its own length is that of a source whose clock is fast: then the pace is
/// a thousandth faster than real time, so that no queue builds up. Somebody who sends ahead leaves in real time exactly.
/// Pure: time in, time out.
struct AudioPacer {
  private static let mostCatchUp: Int64 = 100_000_000
  private static let mostCatchUpInOne: Int64 = 10_000_000_000
  private static let tolerance: Int64 = 5_000_000
  private let lead: Int64
  /// When the sound that left so far is over; the least number before the first.
  private var end = Int64.min
  /// Where the sound that left last ended, by the times of its capture.
  private var capturedEnd: Int64?
  /// Sound that left at once though its source had been held up for longer than it may be by itself.
  private(set) var caughtUp: Int64 = 0

  init(bufferDuration: Int64) {
    lead = max(20_000_000, bufferDuration)
  }

  /// When the next buffer may leave.
  var due: Int64 { end == .min ? .min : end - lead }

  mutating func leave(at now: Int64, duration: Int64, captured: Int64? = nil, isFast: Bool = false) {
    if end < now - AudioPacer.mostCatchUp {
      if end >= now - AudioPacer.mostCatchUpInOne, goesOn(captured) { caughtUp &+= duration } else { end = now }
    }
    capturedEnd = captured.map { $0 &+ duration }
    end += isFast ? duration - duration / 1000 : duration
  }

  private func goesOn(_ captured: Int64?) -> Bool {
    guard let captured, let capturedEnd else { return false }
    return (captured &- capturedEnd).magnitude <= UInt64(AudioPacer.tolerance)
  }

  /// What leaves next is the first again.
  mutating func reset() {
    (end, capturedEnd) = (.min, nil)
  }
}
