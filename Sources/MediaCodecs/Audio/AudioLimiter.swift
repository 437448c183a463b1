/// Keeps sound within -1...1 without bending it. What stays within passes bit for bit; what does not makes everything quieter, all channels
/// alike: down before the peak comes, because it looks 4 ms ahead, at one level while the peaks of a tone from 20 Hz on follow each other, and
/// slowly up again. All that comes out is late by that look ahead. For one thread at a time.
public struct AudioLimiter {
  private static let lookAheadMilliseconds = 4
  private static let holdMilliseconds = 25
  /// In which the way back to 1 shrinks to a 2.7th.
  private static let releaseMilliseconds = 100

  /// By how many frames (samples of each channel) sound comes out late.
  public let delay: Int
  private let channels: Int
  private let release: Float
  /// The last `delay` frames, the oldest at `oldest`.
  private var delayed: [Float]
  private var oldest = 0
  /// Of the frames within the hold, those whose gain is below that of all later ones: ever greater gains, a ring.
  private var lows: [(frame: Int, gain: Float)]
  private var firstLow = 0
  private var lowCount = 0
  private let held: Int
  private var frame = 0
  /// What the lowest of them asks for, and slowly up from it.
  private var envelope: Float = 1
  /// Its last `delay + 1` values and their sum: their mean is the gain, which so is never above what a frame that comes out asks for.
  private var recent: [Float]
  private var nextRecent = 0
  private var sum: Double
  /// How many frames ago the envelope was below 1, at most `recent.count`.
  private var calm: Int

  /// Allocates all memory that is needed later. `sampleRate` is in Hz.
  public init(sampleRate: Int, channels: Int) {
    self.channels = channels
    delay = sampleRate * AudioLimiter.lookAheadMilliseconds / 1000
    held = delay + sampleRate * AudioLimiter.holdMilliseconds / 1000
    release = 1000 / Float(sampleRate * AudioLimiter.releaseMilliseconds)
    delayed = Array(repeating: 0, count: delay * channels)
    lows = Array(repeating: (0, 1), count: held + 1)
    recent = Array(repeating: 1, count: delay + 1)
    sum = Double(delay + 1)
    calm = delay + 1
  }

  /// Puts that many interleaved samples, whole frames, in place of those that came `delay` frames before them.
  public mutating func limit(_ samples: UnsafeMutablePointer<Float>, count: Int) {
    let isQuiet = calm == recent.count && lowCount == 0 && SampleMath.peak(samples, count: count) <= 1
    for index in stride(from: 0, to: count, by: channels) {
      let gain = isQuiet ? 1 : gain(after: loudest(samples + index))
      for channel in 0..<channels {
        let sample = delayed[oldest + channel]
        delayed[oldest + channel] = samples[index + channel]
        // The product is rounded, and infinity has none.
        samples[index + channel] = gain == 1 ? sample : max(-1, min(1, sample * gain))
      }
      oldest = oldest + channels == delayed.count ? 0 : oldest + channels
    }
  }

  private func loudest(_ samples: UnsafeMutablePointer<Float>) -> Float {
    var loudest: Float = 0
    for channel in 0..<channels { loudest = max(loudest, samples[channel].magnitude) }
    return loudest
  }

  /// Of the frame that comes out, after one of that peak came in.
  private mutating func gain(after peak: Float) -> Float {
    note(peak > 1 ? 1 / peak : 1)
    let wanted = lowCount > 0 ? lows[firstLow].gain : 1
    envelope = wanted < envelope ? wanted : envelope + (wanted - envelope) * release
    // Near enough to 1 that nobody hears the step, and far enough for a Float to get there.
    if wanted == 1, envelope > 0.999 { envelope = 1 }
    calm = envelope == 1 ? min(calm + 1, recent.count) : 0
    sum += Double(envelope) - Double(recent[nextRecent])
    recent[nextRecent] = envelope
    nextRecent = nextRecent + 1 == recent.count ? 0 : nextRecent + 1
    guard calm == recent.count else { return min(1, Float(sum / Double(recent.count))) }
    // What rounding left in it goes.
    sum = Double(recent.count)
    return 1
  }

  private mutating func note(_ gain: Float) {
    frame += 1
    if lowCount > 0, lows[firstLow].frame <= frame - held {
      firstLow = firstLow + 1 == lows.count ? 0 : firstLow + 1
      lowCount -= 1
    }
    guard gain < 1 else { return }
    while lowCount > 0, lows[(firstLow + lowCount - 1) % lows.count].gain >= gain { lowCount -= 1 }
    lows[(firstLow + lowCount) % lows.count] = (frame, gain)
    lowCount += 1
  }
}
