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
    /// When there was too little, and nothing has come since; and how late sound was then, forgotten slowly.
    var ranDryAt: Int64?
    var extra: Int64 = 0
    var reserve = Reserve()
    var drift = DriftController()
    /// Too much by so many samples, and whether that cannot wait for a quiet moment.
    var toSkip = 0
    var mustSkip = false
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
      state.length = frame.native.pointee.duration_ns
      state.level = frame.native.pointee.level
      switch state.phase {
      case .waiting(nil): state.phase = .waiting(since: now)
      case .waiting: break
      // As if the mixer took sound evenly: then only lateness and drift make a difference.
      case .playing: state.reserve.arrived(ring.count / channels - samples(now - state.taken))
      }
    }
  }

  /// Sound that is missing between what came last and this is silence; sound that is merely late teaches how late it can be.
  private func bridge(to timestamp: Int64, _ now: Int64, _ state: inout State) {
    let gap = state.end == .min ? 0 : timestamp - state.end
    if let dry = state.ranDryAt {
      state.ranDryAt = nil
      guard gap < MixerSource.gap.lowerBound else { return }
      state.stats.underruns += 1
      // More is no lateness that could be waited for.
      let late = now - dry
      if late <= MixerSource.mostExtra { state.extra = min(MixerSource.mostExtra, state.extra + max(0, late)) }
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
      let available = ring.count / channels
      let heard = Heard(level: state.level, timestamp: state.end - format.duration(ofSamples: available))
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
    state.reserve = Reserve(now: now)
    fadeIn()
    return true
  }

  private func watch(_ state: inout State, _ now: Int64) {
    guard let verdict = state.reserve.judge(now, rate: format.sampleRate) else { return }
    if case .excess(let milliseconds, let spread) = verdict {
      state.drift.update(excessMilliseconds: milliseconds, spreadMilliseconds: spread)
    }
    state.extra -= state.extra / 20
    let needed = samples(needed(state))
    state.toSkip = state.reserve.tooMuch(needed: needed, rate: format.sampleRate)
    state.mustSkip = state.toSkip > samples(MixerSource.unbearable)
  }

  // MARK: Edges

  /// Leaves out the oldest that is too much when it is quiet, or can be borne no longer: from one place of the sound to the other without a step.
  private func skip(_ state: inout State) {
    let skipped = state.toSkip
    let length = min(samples(MixerSource.fade), skipped)
    guard skipped > 0, ring.count / channels > skipped + length,
      state.mustSkip || ring.peak((skipped + length) * channels) < MixerSource.quiet
    else { return }
    state.toSkip = 0
    for index in 0..<length * channels {
      let share = Float(index / channels) / Float(length)
      let later = ring[index + skipped * channels]
      ring[index + skipped * channels] = ring[index] * (1 - share) + later * share
    }
    ring.drop(skipped * channels)
    state.reserve.skipped(skipped)
    state.stats.late += UInt64(skipped)
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
