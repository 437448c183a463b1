import CMediaSDK
import MediaCore

/// Samples become buffers of the wanted format and length.
struct AudioAssembler: ~Copyable {
  /// Where samples come from.
  struct Origin {
    /// Of the first sample, and from one to the next, in nanoseconds; a time of 0 is not known.
    var time: Int64
    var period: Double
    /// Samples that are still of the buffer before, and both buffers' numbers.
    var earlier: Int
    var earlierSequence: UInt64
    var sequence: UInt64
    /// Of all buffers that these samples come to be in.
    var flags: UInt32

    func time(of index: Int) -> Int64 {
      time == 0 ? 0 : time &+ Int64((Double(index) * period).rounded())
    }
  }

  private let format: AudioFormat
  private let pool: BufferPool
  private var scratch = SampleScratch()
  /// Being filled.
  private var frame: AudioFrame?
  private var filled = 0
  /// Whole, but possibly the last, which must say so.
  private var kept: AudioFrame?
  /// The next buffer follows a gap.
  var followsGap = false

  init(_ format: AudioFormat, pool: BufferPool) {
    self.format = format
    self.pool = pool
  }

  deinit {
    frame?.release()
    kept?.release()
  }

  var isEmpty: Bool { frame == nil && kept == nil }

  /// Adds interleaved samples of one channel or of as many as are wanted. With `isEnding` the last whole buffer waits for `finish`.
  mutating func add(
    _ samples: UnsafeBufferPointer<Float>, channels: Int, origin: Origin, isEnding: Bool, _ body: (AudioFrame) throws(MediaError) -> Void
  ) throws(MediaError) {
    guard let start = samples.baseAddress else { return }
    let count = samples.count / channels
    var index = 0
    while index < count {
      if self.frame == nil { self.frame = try begin(origin, at: index, left: count - index) }
      guard let frame else { return }
      let piece = min(frame.sampleCount - filled, count - index)
      write(start + index * channels, channels: channels, count: piece, to: frame)
      frame.native.pointee.flags |= origin.flags
      filled += piece
      index += piece
      if filled == frame.sampleCount { try complete(frame, isEnding: isEnding, body) }
    }
  }

  /// Gives what is inside, padded with silence to its length; the last buffer gets the flags.
  mutating func finish(flags: UInt32, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    if let frame {
      silence(frame, from: filled)
      try complete(frame, isEnding: flags != 0, body)
    }
    guard let last = kept else { return }
    kept = nil
    defer { last.release() }
    last.native.pointee.flags |= flags
    try body(last)
  }

  mutating func reset() {
    frame?.release()
    frame = nil
    kept?.release()
    kept = nil
    filled = 0
  }

  private mutating func begin(_ origin: Origin, at index: Int, left: Int) throws(MediaError) -> AudioFrame {
    let length = format.samplesPerBuffer == 0 ? min(left, Int(AudioFormat.mostSamples)) : Int(format.samplesPerBuffer)
    guard let frame = try AudioFrame.make(format, sampleCount: length, from: pool, deadline: 0) else {
      throw MediaError(.noMemory, "all buffers for converted audio are in use; release those that are no longer needed")
    }
    frame.native.pointee.timestamp_ns = origin.time(of: index)
    frame.native.pointee.sequence = index < origin.earlier ? origin.earlierSequence : origin.sequence
    if followsGap { frame.native.pointee.flags |= UInt32(MSDK_FRAME_DISCONTINUITY) }
    followsGap = false
    filled = 0
    return frame
  }

  private mutating func write(_ source: UnsafePointer<Float>, channels: Int, count: Int, to frame: AudioFrame) {
    let wanted = Int(format.channels)
    let place = filled * wanted
    switch (format.sampleFormat, channels == wanted) {
    case (.f32, true): (frame.f32.baseAddress.map { $0 + place })?.update(from: source, count: count * wanted)
    case (.f32, false): frame.f32.baseAddress.map { SampleMath.monoToStereo(source, $0 + place, count: count) }
    case (.s16, true): frame.s16.baseAddress.map { SampleMath.toS16(source, $0 + place, count: count * wanted) }
    case (.s16, false):
      let both = scratch.take(count * wanted)
      guard let both = both.baseAddress, let target = frame.s16.baseAddress else { return }
      SampleMath.monoToStereo(source, both, count: count)
      SampleMath.toS16(both, target + place, count: count * wanted)
    }
  }

  private mutating func complete(
    _ frame: AudioFrame, isEnding: Bool, _ body: (AudioFrame) throws(MediaError) -> Void
  ) throws(MediaError) {
    self.frame = nil
    filled = 0
    frame.native.pointee.level = frame.computedLevel
    let ready: AudioFrame
    if isEnding {
      let last = kept
      kept = frame
      guard let last else { return }
      ready = last
    } else {
      ready = frame
    }
    defer { ready.release() }
    try body(ready)
  }

  private func silence(_ frame: AudioFrame, from sample: Int) {
    let bytes = frame.bytes
    UnsafeMutableRawBufferPointer(rebasing: bytes[min(bytes.count, sample * format.stride)...]).initializeMemory(
      as: UInt8.self, repeating: 0)
  }
}
