import CMediaSDK
import MediaCore

/// A stream of buffers turned into another: sample format, channels, rate, length of buffers. Used by one thread at a time.
///
/// Buffers that fit pass as they are. All others go through floats, which hold s16 exactly: down to one channel, resampled, up to two.
public final class AudioConverter: @unchecked Sendable {
  /// Samples per channel that are remembered, so that a resampler can begin in mid-sound.
  private static let memory = 64

  /// The format of the buffers that come out.
  public let wanted: AudioFormat
  private var assembler: AudioAssembler
  private var input: AudioFormat?
  private var timeline = AudioTimeline(rate: 48_000)
  private var resampler: AudioResampler?
  private var drift: Int32 = 0
  private var sequence: UInt64 = 0
  private var floats = SampleScratch()
  private var mixed = SampleScratch()
  private var resampled = SampleScratch()
  /// The last samples that went by without a resampler.
  private var history = SampleScratch()
  private var remembered = 0

  /// Lengths are as they come out where `wanted.samplesPerBuffer` is 0.
  public init(to wanted: AudioFormat, pool: BufferPool) {
    self.wanted = wanted
    assembler = AudioAssembler(wanted, pool: pool)
  }

  /// Calls `body` with each buffer that is whole now; it is borrowed: retain to keep. The timestamp is of the first sample, the sequence
  /// that of the buffer which it came from; CORRUPT and END are carried, and the level is computed unless a buffer passes as it is.
  ///
  /// After MSDK_FRAME_DISCONTINUITY, a change of the input's format, or a time that is more than 20 ms off, what is inside is given first,
  /// a buffer of fixed length padded with silence, and the next buffer carries DISCONTINUITY. `.noMemory` when the pool is empty (at END it
  /// must have two): what was inside is lost, and the next buffer says so; the same when `body` throws. `body` calls nothing here but
  /// `setDrift`.
  public func convert(_ frame: AudioFrame, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    do throws(MediaError) {
      try admit(frame, body)
      if try pass(frame, body) { return }
      try transform(frame, body)
    } catch {
      reset()
      assembler.followsGap = true
      throw error
    }
  }

  /// Gives what is inside; the next buffer begins anew.
  public func flush(_ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    do throws(MediaError) {
      try flush(flags: 0, body)
    } catch {
      reset()
      assembler.followsGap = true
      throw error
    }
  }

  /// The input's clock is fast by so many parts per million. Where no resampler is needed otherwise, one begins in mid-sound: nothing is
  /// repeated and nothing left out. From then on sound comes about a millisecond later, until `reset`, `flush` or a discontinuity finds no
  /// drift any more.
  public func setDrift(ppm: Int32) {
    drift = ppm
    resampler?.setDrift(ppm: ppm)
  }

  /// Forgets what is inside.
  public func reset() {
    assembler.reset()
    assembler.followsGap = false
    restart()
  }

  private func restart() {
    resampler?.reset()
    if let input, drift == 0, input.sampleRate == wanted.sampleRate { resampler = nil }
    timeline = AudioTimeline(rate: input?.sampleRate ?? 48_000)
    remembered = 0
  }

  // MARK: Steps

  private func admit(_ frame: AudioFrame, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    let format = frame.format
    let isSame = input?.isSameSound(as: format) ?? false
    let isFlagged = frame.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
    if !isSame || isFlagged || !timeline.continues(at: frame.timestamp) {
      try flush(flags: 0, body)
      if input != nil || isFlagged { assembler.followsGap = true }
    }
    if !isSame {
      guard (1...2).contains(format.channels) else {
        throw MediaError(.unsupported, "the frame has \(format.channels) channels; accepted: 1, 2")
      }
      input = nil
      resampler = nil
      if format.sampleRate != wanted.sampleRate { try makeResampler(format) }
      input = format
      restart()
    }
    timeline.begin(at: frame.timestamp)
    if resampler == nil, drift != 0 { try engage(format) }
  }

  /// True when the frame fits as it is, and nothing waits before it.
  private func pass(_ frame: AudioFrame, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) -> Bool {
    let isWhole = wanted.samplesPerBuffer == 0 || frame.sampleCount == Int(wanted.samplesPerBuffer)
    let format = frame.format
    guard isWhole, resampler == nil, assembler.isEmpty, format.isSameSound(as: wanted), frame.sampleCount > 0 else { return false }
    // A frame that others hold cannot be given a flag that it does not have.
    let isFlagged = frame.native.pointee.flags & UInt32(MSDK_FRAME_DISCONTINUITY) != 0
    guard isFlagged || !assembler.followsGap else { return false }
    assembler.followsGap = false
    sequence = frame.native.pointee.sequence
    timeline.advance(frame.sampleCount)
    remember(frame)
    try body(frame)
    return true
  }

  private func transform(_ frame: AudioFrame, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    let channels = processChannels(frame.format)
    let samples = floats(of: frame)
    let flags = frame.native.pointee.flags
    let isEnding = flags & UInt32(MSDK_FRAME_END) != 0
    let number = frame.native.pointee.sequence
    var origin = AudioAssembler.Origin(
      time: timeline.next, period: 1e9 / Double(max(1, wanted.sampleRate)), earlier: 0, earlierSequence: sequence, sequence: number,
      flags: flags & UInt32(MSDK_FRAME_CORRUPT))
    if let resampler {
      let delay = resampler.delay
      if origin.time != 0 { origin.time &-= delay }
      origin.period = resampler.period
      // The delay is rounded, and must not make one more of a whole number.
      origin.earlier = Int((Double(delay) / resampler.period - 1e-3).rounded(.up))
      let room = resampled.take(resampler.outputCapacity(for: samples.count / channels) * channels)
      let count = resampler.process(samples, into: room)
      timeline.advance(frame.sampleCount)
      sequence = number
      try assembler.add(
        UnsafeBufferPointer(rebasing: room[..<(count * channels)]), channels: channels, origin: origin, isEnding: isEnding, body)
    } else {
      remember(samples, channels: channels)
      timeline.advance(frame.sampleCount)
      sequence = number
      try assembler.add(samples, channels: channels, origin: origin, isEnding: isEnding, body)
    }
    if isEnding { try flush(flags: UInt32(MSDK_FRAME_END), body) }
  }

  private func flush(flags: UInt32, _ body: (AudioFrame) throws(MediaError) -> Void) throws(MediaError) {
    if let resampler, let input {
      let channels = processChannels(input)
      let next = timeline.next
      let origin = AudioAssembler.Origin(
        time: next == 0 ? 0 : next &- resampler.delay, period: resampler.period, earlier: 0, earlierSequence: sequence, sequence: sequence,
        flags: 0)
      let room = resampled.take(resampler.outputCapacity(for: 0) * channels)
      let count = resampler.flush(into: room)
      try assembler.add(
        UnsafeBufferPointer(rebasing: room[..<(count * channels)]), channels: channels, origin: origin, isEnding: flags != 0, body)
    }
    try assembler.finish(flags: flags, body)
    restart()
  }

  // MARK: Samples

  /// What is resampled has no more channels than needed.
  private func processChannels(_ input: AudioFormat) -> Int { Int(min(input.channels, wanted.channels)) }

  private func makeResampler(_ input: AudioFormat) throws(MediaError) {
    let resampler = try AudioResampler(from: input.sampleRate, to: wanted.sampleRate, channels: processChannels(input))
    resampler.setDrift(ppm: drift)
    self.resampler = resampler
  }

  private func engage(_ input: AudioFormat) throws(MediaError) {
    try makeResampler(input)
    let channels = processChannels(input)
    let heard = history.take(AudioConverter.memory * channels)
    resampler?.prime(UnsafeBufferPointer(rebasing: heard[..<(remembered * channels)]))
  }

  /// All samples, or the last ones, of a frame.
  private func floats(of frame: AudioFrame, last: Int = .max) -> UnsafeBufferPointer<Float> {
    let format = frame.format
    let channels = Int(format.channels)
    let count = min(last, frame.sampleCount)
    let first = (frame.sampleCount - count) * channels
    let source: UnsafePointer<Float>?
    switch format.sampleFormat {
    case .f32: source = UnsafePointer(frame.f32.baseAddress.map { $0 + first })
    case .s16:
      let room = floats.take(count * channels)
      if let from = frame.s16.baseAddress, let to = room.baseAddress { SampleMath.toFloat(from + first, to, count: count * channels) }
      source = UnsafePointer(room.baseAddress)
    }
    guard channels > processChannels(format), let both = source else { return UnsafeBufferPointer(start: source, count: count * channels) }
    let room = mixed.take(count)
    if let to = room.baseAddress { SampleMath.stereoToMono(both, to, count: count) }
    return UnsafeBufferPointer(rebasing: room[..<count])
  }

  private func remember(_ frame: AudioFrame) {
    guard let input else { return }
    remember(floats(of: frame, last: AudioConverter.memory), channels: processChannels(input))
  }

  /// Keeps the last samples, behind those of before where they are too few.
  private func remember(_ samples: UnsafeBufferPointer<Float>, channels: Int) {
    guard let start = history.take(AudioConverter.memory * channels).baseAddress, let source = samples.baseAddress else { return }
    let count = samples.count / channels
    let new = min(count, AudioConverter.memory)
    let old = min(remembered, AudioConverter.memory - new)
    start.update(from: start + (remembered - old) * channels, count: old * channels)
    (start + old * channels).update(from: source + (count - new) * channels, count: new * channels)
    remembered = old + new
  }
}
