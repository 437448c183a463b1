import CMediaSDK
import MediaCodecs
import MediaCore

/// One participant's stream as a part of the mix: what arrived waits here until its time, a little longer than it is usually late. Sound is brought by
/// whoever receives it, one buffer at a time, and taken by the mixer.
final class MixerSource: Sendable {
  struct Stats {
    var underruns: UInt64 = 0
    /// Samples per channel.
    var late: UInt64 = 0
    var driftPPM: Int32 = 0
    /// Nanoseconds that are kept back.
    var kept: Int64 = 0
  }

  /// What the mixer was given.
  struct Heard {
    let level: UInt32
    /// When the first sample was captured.
    let timestamp: Int64
    /// What was taken out before it since the part before, in nanoseconds.
    let skipped: Int64
  }

  private enum Phase {
    /// Until there is enough; since when something is here.
    case waiting(since: Int64?)
    case playing
  }

  private struct State {
    var phase = Phase.waiting(since: nil)
    /// What came last: when, how long it was, when it ended, and how loud it was.
    var arrival: Int64 = 0
    var length: Int64 = 0
    var end = Int64.min
    var level = AudioFrame.silentLevel
    /// When the mixer last took its part, and the last sample of that, left and right.
    var taken: Int64 = 0
    var last: (Float, Float) = (0, 0)
    /// When there was too little, and nothing has come since; when sound was last late then, and how late it is again and again, forgotten slowly.
    var ranDryAt: Int64?
    var lateAt: Int64?
    /// Buffers since then.
    var sinceLate = 0
    var extra: Int64 = 0
    /// It was late, and what came then is more than is needed.
    var catchesUp = false
    var margin = JitterMargin()
    var drift = DriftController()
    /// Too much by so many samples, whether that cannot wait for a quiet moment, and when the next of it may be taken out of what is loud.
    var toSkip = 0
    var mustSkip = false
    var nextSkip = Int64.min
    /// Taken out since the mixer was last given something, in nanoseconds.
    var skipped: Int64 = 0
    var hasEnded = false
    var stats = Stats()
  }

  /// Sound may be so much later than the sound before it.
  private static let margin: Int64 = 10_000_000
  private static let mostExtra: Int64 = 290_000_000
  /// Sound that waits for more to come is played after that.
  private static let patience: Int64 = 60_000_000
  private static let fade: Int64 = 5_000_000
  private static let unbearable: Int64 = 200_000_000
  /// Lateness that does not come again sooner is that of a sender who was delayed once.
  private static let memory: Int64 = 10_000_000_000
  private static let several = 3
  /// Loud sound is shortened by so much at once, across a fade, every 40 ms; of much every 20.
  private static let piece: ClosedRange<Int64> = 5_000_000...15_000_000
  private static let overlap: Int64 = 8_000_000
  private static let pause: Int64 = 40_000_000
  private static let much: Int64 = 150_000_000
  /// Silence that is left where it is.
  private static let shortSilence: Int64 = 20_000_000
  /// -40 dBFS.
  private static let quiet: Float = 0.01
  /// Less is the sender's clock, more is a pause.
  private static let gap: ClosedRange<Int64> = 5_000_000...300_000_000

  let format: AudioFormat
  private let channels: Int
  private let converter: AudioConverter
  private let ring: SampleRing
  private let state = Monitor(State())

  init(_ format: AudioFormat) {
    var wanted = format
    wanted.samplesPerBuffer = 0
    self.format = wanted
    channels = Int(format.channels)
    converter = AudioConverter(to: wanted, pool: BufferPool(limit: 8))
    ring = SampleRing(capacity: Int(format.sampleRate) * channels)
  }

  private func samples(_ nanoseconds: Int64) -> Int {
    Int(MediaTime.units(fromNanoseconds: nanoseconds, rate: format.sampleRate))
  }

  // MARK: Bringing

  func push(_ frame: AudioFrame, now: Int64) {
    converter.setDrift(ppm: state.withLock { $0.drift.ppm })
    try? converter.convert(frame) { piece in
      guard let samples = piece.f32.baseAddress else { return }
      state.withLock { state in
        bridge(to: piece.timestamp, now, &state)
        state.stats.late += UInt64(ring.write(samples, count: piece.sampleCount * channels) / channels)
        state.end = piece.timestamp + piece.native.pointee.duration_ns
      }
    }
    state.withLock { state in
      state.arrival = now
      state.sinceLate += 1
      state.length = frame.native.pointee.duration_ns
      state.level = frame.native.pointee.level
      switch state.phase {
      case .waiting(nil): state.phase = .waiting(since: now)
      case .waiting: break
      // As if the mixer took sound evenly: then only lateness and drift make a difference.
      case .playing: state.margin.arrived(ring.count / channels - samples(now - state.taken))
      }
    }
  }

  /// Sound that is missing between what came last and this is silence; sound that is merely late teaches how late it can be, unless it is late once:
  /// then it is not waited for, and what came all at once is caught up with.
  private func bridge(to timestamp: Int64, _ now: Int64, _ state: inout State) {
    let gap = state.end == .min ? 0 : timestamp - state.end
    if let dry = state.ranDryAt {
      state.ranDryAt = nil
      guard gap < MixerSource.gap.lowerBound else { return }
      state.stats.underruns += 1
      // More is no lateness that could be waited for.
      let late = now - dry
      if late <= MixerSource.mostExtra {
        // What an encoder held comes alone while its source is delayed: that is one delay.
        if let former = state.lateAt, now - former <= MixerSource.memory, state.sinceLate >= MixerSource.several {
          state.extra = min(MixerSource.mostExtra, state.extra + max(0, late))
        }
        (state.lateAt, state.sinceLate) = (now, 0)
      }
      state.catchesUp = true
    } else if case .playing = state.phase, MixerSource.gap.contains(gap) {
      ring.writeSilence(count: samples(gap) * channels)
    }
  }

  /// Nothing more comes; what is here is still played.
  func end() {
    state.withLock { $0.hasEnded = true }
  }

  // MARK: Taking

  /// Adds up to `count` samples per channel; nil when there was nothing to hear.
  func add(to sum: UnsafeMutablePointer<Float>, count: Int, now: Int64) -> Heard? {
    state.withLock { state in
      guard isReady(&state, count, now) else { return nil }
      skip(&state)
      shorten(&state, at: 0, now)
      let heard = Heard(
        level: state.level, timestamp: state.end - format.duration(ofSamples: ring.count / channels), skipped: state.skipped)
      state.skipped = 0
      for place in stride(from: samples(MixerSource.pause), to: count, by: samples(MixerSource.pause)) {
        shorten(&state, at: place, now + format.duration(ofSamples: place))
      }
      let available = ring.count / channels
      let taken = min(available, count)
      if taken > 0 { state.last = (ring[(taken - 1) * channels], ring[taken * channels - 1]) }
      var offset = 0
      ring.read(count * channels) { samples, length in
        SampleMath.add(samples, to: sum + offset, count: length)
        offset += length
      }
      state.taken = now
      if available < count {
        die(away: sum + offset, count - available, from: state.last)
        state.phase = .waiting(since: nil)
        state.ranDryAt = state.hasEnded ? nil : now
        state.toSkip = 0
      } else {
        watch(&state, now)
      }
      return available > 0 ? heard : nil
    }
  }

  /// It has ended, and was heard to the end.
  var isOver: Bool { state.withLock { $0.hasEnded && ring.count == 0 } }

  var stats: Stats {
    state.withLock { state in
      var stats = state.stats
      stats.driftPPM = state.drift.ppm
      stats.kept = format.duration(ofSamples: ring.count / channels)
      return stats
    }
  }

  /// What should be here after an arrival: enough until the next one, whenever the mixer comes, and a little more.
  private func needed(_ state: State) -> Int64 {
    state.length + MixerSource.margin + state.extra
  }

  private func isReady(_ state: inout State, _ count: Int, _ now: Int64) -> Bool {
    guard case .waiting(let since) = state.phase else { return true }
    guard let since, ring.count > 0 else { return false }
    let reserve = ring.count / channels - count + samples(min(now - state.arrival, state.length))
    let isEnough = reserve >= samples(needed(state)) && ring.count / channels >= count
    guard isEnough || state.hasEnded || now - since >= MixerSource.patience + needed(state) else { return false }
    state.phase = .playing
    state.margin = JitterMargin(now: now)
    fadeIn()
    return true
  }

  private func watch(_ state: inout State, _ now: Int64) {
    guard let verdict = state.margin.judge(now, rate: format.sampleRate) else { return }
    if case .excess(let milliseconds, let spread) = verdict {
      state.drift.update(excessMilliseconds: milliseconds, spreadMilliseconds: spread)
    }
    state.extra -= state.extra / 20
    // What is being taken out of loud sound is taken out to the end.
    guard state.toSkip == 0 || !state.mustSkip else { return }
    let needed = samples(needed(state))
    if state.catchesUp {
      state.toSkip = state.margin.tooMuchAfterDelay(needed: needed, rate: format.sampleRate)
      state.mustSkip = true
      state.catchesUp = !state.margin.isFull
    } else {
      state.toSkip = state.margin.tooMuch(needed: needed, rate: format.sampleRate)
      state.mustSkip = state.toSkip > samples(MixerSource.unbearable)
    }
  }

  // MARK: Edges

  /// Leaves out the oldest that is too much when it is quiet, from one place of the sound to the other without a step; what cannot wait as far as it
  /// is quiet.
  private func skip(_ state: inout State) {
    let length = min(samples(MixerSource.fade), state.toSkip)
    guard state.toSkip > 0, ring.count / channels > state.toSkip + length else { return }
    let quiet = ring.quietLength(below: MixerSource.quiet, most: state.toSkip + length, channels: channels) - length
    guard quiet >= (state.mustSkip ? min(state.toSkip, samples(MixerSource.shortSilence)) : state.toSkip) else { return }
    let skipped = min(quiet, state.toSkip)
    ring.remove(skipped, at: 0, fade: length, channels: channels)
    count(skipped, &state)
  }

  /// Takes a little out of what is loud and cannot wait, where the sound repeats itself: it is heard faster, at its own pitch.
  private func shorten(_ state: inout State, at place: Int, _ now: Int64) {
    guard state.mustSkip, state.toSkip > 0, now >= state.nextSkip else { return }
    let (least, most) = (samples(MixerSource.piece.lowerBound), min(samples(MixerSource.piece.upperBound), state.toSkip))
    let overlap = samples(MixerSource.overlap)
    guard most >= least, ring.count / channels >= place + most + overlap else { return state.toSkip = 0 }
    let skipped = ring.repetition(in: least...most, at: place, over: overlap, channels: channels)
    ring.remove(skipped, at: place, fade: overlap, channels: channels)
    count(skipped, &state)
    state.nextSkip = now + (state.toSkip > samples(MixerSource.much) ? MixerSource.pause / 2 : MixerSource.pause)
  }

  private func count(_ skipped: Int, _ state: inout State) {
    state.toSkip -= skipped
    state.margin.skipped(skipped)
    state.stats.late += UInt64(skipped)
    state.skipped += format.duration(ofSamples: skipped)
  }

  private func fadeIn() {
    let length = min(samples(MixerSource.fade), ring.count / channels)
    for index in 0..<length * channels { ring[index] *= Float(index / channels) / Float(length) }
  }

  /// Sound that stops in the middle goes to zero from where it was.
  private func die(away sum: UnsafeMutablePointer<Float>, _ most: Int, from last: (Float, Float)) {
    let length = min(samples(MixerSource.fade), most)
    for index in 0..<length {
      let share = 1 - Float(index + 1) / Float(length)
      sum[index * channels] += last.0 * share
      if channels == 2 { sum[index * channels + 1] += last.1 * share }
    }
  }
}
