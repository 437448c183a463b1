import MediaCore

/// When the next buffer of sound may leave: in real time, but for what a live source does. It may be early by one buffer or 20 ms, and catch up
/// what it was late by, up to 100 ms. A buffer that alone waits for less than its own length is that of a source whose clock is fast: then the pace is
/// a thousandth faster than real time, so that no queue builds up. Somebody who sends ahead leaves in real time exactly.
/// Pure: time in, time out.
struct AudioPacer {
  private static let mostCatchUp: Int64 = 100_000_000
  private let lead: Int64
  /// When the sound that left so far is over; the least number before the first.
  private var end = Int64.min

  init(bufferDuration: Int64) {
    lead = max(20_000_000, bufferDuration)
  }

  /// When the next buffer may leave.
  var due: Int64 { end == .min ? .min : end - lead }

  mutating func leave(at now: Int64, duration: Int64, isFast: Bool = false) {
    if end < now - AudioPacer.mostCatchUp { end = now }
    end += isFast ? duration - duration / 1000 : duration
  }

  /// What leaves next is the first again.
  mutating func reset() {
    end = .min
  }
}
