import MediaCore

/// When the next buffer of sound may leave: in real time, but for what a live source does. It may be early by one buffer or 20 ms, and catch up
/// what it was late by, up to 100 ms. While no more than two buffers wait the pace is a thousandth faster than real time, so that a source
/// whose clock is fast by less never builds up a queue; a queue that stays full is somebody sending ahead, and leaves in real time exactly.
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

  mutating func leave(at now: Int64, duration: Int64, waiting: Int) {
    if end < now - AudioPacer.mostCatchUp { end = now }
    end += waiting <= 2 ? duration - duration / 1000 : duration
  }

  /// What leaves next is the first again.
  mutating func reset() {
    end = .min
  }
}
