import CMediaSDK
import MediaCore

/// Sound that goes on after its end was flushed: its source was late, and silence stands where the sound belongs. What is heard must not take longer
/// than it took to capture, or the receiver would be late by that silence for good. So as much of the beginning is shortened: what belongs in the
/// place of the silence fades into what follows it.
struct AudioRejoin {
  private static let fadeIn: Int64 = 5_000_000

  private let format: AudioFormat
  /// Samples per channel for which there is silence already.
  private let length: Int
  private let edge: Int
  /// What they are, interleaved.
  private var earlier: [Float] = []
  /// How many of those that follow were mixed with them.
  private var mixed = 0

  /// Nil for a frame that does not begin before `end`, where the silence ends, or begins before it by more than `most`: then its time was set.
  init?(_ frame: AudioFrame, silentUntil end: Int64, most: Int64) {
    let position = frame.position(of: end)
    format = frame.format
    let limit = MediaTime.units(fromNanoseconds: most, rate: format.sampleRate)
    guard frame.timestamp != 0, position > 0, position <= limit else { return nil }
    length = Int(position)
    edge = max(1, min(length, Int(MediaTime.units(fromNanoseconds: AudioRejoin.fadeIn, rate: format.sampleRate))))
    earlier.reserveCapacity(length * Int(format.channels))
  }

  var isOver: Bool { mixed >= length }

  func fits(_ frame: AudioFrame) -> Bool { frame.format.isSameSound(as: format) }

  /// What is left of the next frame, with a reference for the caller; nil when nothing is.
  mutating func take(_ frame: AudioFrame, from pool: BufferPool) throws(MediaError) -> AudioFrame? {
    let channels = Int(format.channels)
    let skipped = min(frame.sampleCount, length - earlier.count / channels)
    for index in 0..<skipped * channels { earlier.append(AudioRejoin.sample(frame, index)) }
    guard skipped < frame.sampleCount else { return nil }
    guard let rest = try AudioFrame.make(frame.format, sampleCount: frame.sampleCount - skipped, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "all buffers for audio that is shortened are in use")
    }
    rest.bytes.copyMemory(from: UnsafeRawBufferPointer(rebasing: UnsafeRawBufferPointer(frame.bytes)[(skipped * format.stride)...]))
    rest.copyIdentity(from: frame)
    rest.native.pointee.timestamp_ns = frame.timestamp &+ format.duration(ofSamples: skipped)
    let count = min(rest.sampleCount, length - mixed)
    for index in 0..<count * channels {
      let place = mixed + index / channels
      let share = Float(place + 1) / Float(length)
      let sample = earlier[place * channels + index % channels] * (1 - share) + AudioRejoin.sample(rest, index) * share
      AudioRejoin.set(rest, index, sample * min(1, Float(place) / Float(edge)))
    }
    mixed += count
    rest.native.pointee.level = rest.computedLevel
    return rest
  }

  private static func sample(_ frame: AudioFrame, _ index: Int) -> Float {
    frame.format.sampleFormat == .f32 ? frame.f32[index] : Float(frame.s16[index])
  }

  private static func set(_ frame: AudioFrame, _ index: Int, _ value: Float) {
    if frame.format.sampleFormat == .f32 {
      frame.f32[index] = value
    } else {
      frame.s16[index] = Int16(max(-32768, min(32767, value.rounded())))
    }
  }
}
