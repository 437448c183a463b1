import Glibc
import MediaRuntime
import MediaTransport

@testable import MediaCore
@testable import MediaSDK

/// A mixer on a clock of its own, and senders whose buffers come as a test says.
final class MixBench {
  /// One sender of a steady sound.
  final class Sender {
    let source: MixerSource
    let frame: AudioFrame
    let period: Int64
    /// How much later than its time a buffer comes; nil: never. Who stays away for good says so by `stop`.
    var delay: (Int) -> Int64? = { _ in 0 }
    /// The samples of each buffer, where they are not all alike: given when the buffer was captured after the bench's beginning.
    var fill: ((AudioFrame, Int64) -> Void)?
    /// When a buffer is captured, after the bench's beginning.
    private let captured: (Int) -> Int64
    fileprivate var index = 0
    fileprivate var stops = Int.max

    fileprivate init(_ source: MixerSource, _ frame: AudioFrame, ppm: Int64) {
      (self.source, self.frame) = (source, frame)
      let length = frame.native.pointee.duration_ns
      period = length
      // A fast clock makes its samples in less time.
      captured = { Int64($0) * length - Int64($0) * length / 1000 * ppm / 1000 }
    }

    /// Its last buffer is that one.
    func stop(after index: Int) { stops = index }

    fileprivate func arrival() -> Int64? {
      while index <= stops {
        if let delay = delay(index) { return captured(index) + period + delay }
        index += 1
      }
      return nil
    }

    fileprivate func push(_ start: Int64) {
      frame.native.pointee.timestamp_ns = start + captured(index)
      fill?(frame, captured(index))
      source.push(frame, now: start + (arrival() ?? 0))
      index += 1
    }

    deinit {
      frame.release()
    }
  }

  let clock = VirtualClock()
  let mixer: AudioMixer
  let format: AudioFormat
  /// What was mixed last, `kept` buffers of it at most; and when each was due.
  var mixed: [HeardBuffer] = []
  var times: [Int64] = []
  var kept = Int.max
  /// The steepest bend between three samples in a row, of all that was mixed since it was last set to 0.
  var bend: Float = 0
  private var senders: [Sender] = []
  private var due: Int64
  private let start: Int64
  private var last: (Float, Float) = (0, 0)

  init(_ format: AudioFormat = AudioFormat(.f32, sampleRate: 48_000, channels: 1, samplesPerBuffer: 960)) {
    self.format = format
    mixer = AudioMixer(format, clock: clock)
    start = clock.now()
    due = start
  }

  var elapsed: Int64 { clock.now() - start }

  /// A sender whose buffers are all alike: `value` gives the samples of one.
  func sender(
    _ number: UInt64 = 1, _ format: AudioFormat? = nil, ppm: Int64 = 0, _ value: (Int) -> Float = { _ in 0.25 }
  ) throws -> Sender {
    let frame = try Make.frame(format ?? self.format)
    frame.write(value)
    frame.native.pointee.level = frame.computedLevel
    let sender = Sender(mixer.source(for: StreamID(value: number)), frame, ppm: ppm)
    // Who comes later begins now.
    sender.index = Int((elapsed + sender.period - 1) / sender.period)
    senders.append(sender)
    return sender
  }

  /// A tone of which a buffer holds a whole number of waves.
  func tone(
    _ number: UInt64 = 1, _ format: AudioFormat? = nil, ppm: Int64 = 0, waves: Int = 8, amplitude: Float = 0.4
  ) throws -> Sender {
    let count = Float((format ?? self.format).samplesPerBuffer)
    return try sender(number, format, ppm: ppm) { amplitude * sinf(2 * .pi * Float(waves * $0) / count) }
  }

  func run(_ nanoseconds: Int64) throws {
    let end = clock.now() + nanoseconds
    while true {
      let next = senders.compactMap { sender in sender.arrival().map { (time: start + $0, sender: sender) } }.min { $0.time < $1.time }
      if let next, next.time <= due, next.time <= end {
        try clock.advance(by: max(0, next.time - clock.now()))
        next.sender.push(start)
      } else if due <= end {
        try clock.advance(by: max(0, due - clock.now()))
        due = mixer.mixDue { take($0) }
      } else {
        return try clock.advance(by: end - clock.now())
      }
    }
  }

  private func take(_ frame: AudioFrame) {
    let channels = Int(format.channels)
    for index in stride(from: 0, to: frame.f32.count, by: channels) {
      let sample = frame.f32[index]
      bend = max(bend, abs(sample - 2 * last.1 + last.0))
      last = (last.1, sample)
    }
    if mixed.count >= kept {
      mixed.removeFirst()
      times.removeFirst()
    }
    mixed.append(HeardBuffer(frame))
    times.append(clock.now() - start)
  }

  /// The first channel of what was mixed in that time, in milliseconds.
  func samples(_ milliseconds: Range<Int64>) -> [Float] {
    zip(times, mixed).filter { milliseconds.contains($0.0 / millisecond) }.flatMap { $0.1.left }
  }
}
