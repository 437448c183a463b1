import CMediaSDK
import MediaCodecs
import MediaCore
import MediaRuntime
import MediaTransport

/// Sums the participants, a buffer at a time, by the clock: whoever has nothing is silent. One from each start of the mix to its stop.
final class AudioMixer: Sendable {
  struct Stats {
    var parts = MixerSource.Stats()
    var heard = 0
  }

  private struct State {
    /// In the order of their ids, so that equal calls add up to equal samples.
    var sources: [(id: StreamID, source: MixerSource)] = []
    /// Of sources that are gone.
    var past = MixerSource.Stats()
    var heard = 0
    /// When the next buffer is due.
    var start = Int64.min
    var index: UInt64 = 0
    var made: UInt64 = 0
    /// By how much what is mixed is older than the mix; nil until somebody is heard.
    var age: Int64?
  }

  private static let mostBehind: Int64 = 1_000_000_000
  private static let usualAge: Int64 = 50_000_000

  let format: AudioFormat
  private let clock: any MediaClock
  private let pool = BufferPool(limit: 2048)
  private let state = Monitor(State())
  private let limiter: Monitor<AudioLimiter>
  /// By how much the limiter makes the mix late.
  private let delay: Int64

  init(_ format: AudioFormat, clock: any MediaClock) {
    self.format = format
    self.clock = clock
    let limiter = AudioLimiter(sampleRate: Int(format.sampleRate), channels: Int(format.channels))
    delay = format.duration(ofSamples: limiter.delay)
    self.limiter = Monitor(limiter)
  }

  // MARK: Sources

  /// The part of a stream, new or the one that it has.
  func source(for id: StreamID) -> MixerSource {
    state.withLock { state in
      if let known = state.sources.first(where: { $0.id == id }) { return known.source }
      let source = MixerSource(format)
      let place = state.sources.firstIndex { $0.id.value > id.value } ?? state.sources.endIndex
      state.sources.insert((id, source), at: place)
      return source
    }
  }

  var stats: Stats {
    let (sources, past, heard) = state.withLock { ($0.sources, $0.past, $0.heard) }
    var stats = Stats(parts: past, heard: heard)
    for (_, source) in sources { stats.parts.add(source.stats) }
    return stats
  }

  // MARK: Mixing, on the mix's worker

  /// Hands over all that is due; when the next is.
  func mixDue(_ body: (AudioFrame) -> Void) -> Int64 {
    while true {
      let now = clock.now()
      let due = nextDue(now)
      guard due <= now else { return due }
      if let frame = mix(due) {
        body(frame)
        frame.release()
      }
      state.withLock { $0.index += 1 }
    }
  }

  private func nextDue(_ now: Int64) -> Int64 {
    state.withLock { state in
      func due() -> Int64 { state.start + format.duration(ofSamples: Int(clamping: state.index) * Int(format.samplesPerBuffer)) }
      if state.start == .min || due() < now - AudioMixer.mostBehind {
        state.start = now
        state.index = 0
      }
      return due()
    }
  }

  /// With a reference for the caller; nil when the program holds all the memory there is for buffers.
  private func mix(_ now: Int64) -> AudioFrame? {
    let count = Int(format.samplesPerBuffer)
    guard let frame = try? AudioFrame.make(format, sampleCount: count, from: pool, deadline: 0), let sum = frame.f32.baseAddress else {
      return nil
    }
    let length = frame.f32.count
    sum.update(repeating: 0, count: length)
    var loudest: MixerSource.Heard?
    var heard = 0
    for (_, source) in state.withLock({ $0.sources }) {
      if let part = source.add(to: sum, count: count, now: now) {
        heard += 1
        if part.level < loudest?.level ?? .max { loudest = part }
      } else if source.isOver {
        forget(source)
      }
    }
    limiter.withLock { $0.limit(sum, count: length) }
    frame.native.pointee.flags = 0
    (frame.native.pointee.timestamp_ns, frame.native.pointee.sequence) = stamp(now, loudest, heard)
    frame.native.pointee.level = frame.computedLevel
    return frame
  }

  private func forget(_ source: MixerSource) {
    state.withLock { state in
      guard let index = state.sources.firstIndex(where: { $0.source === source }) else { return }
      state.sources.remove(at: index)
      state.past.add(source.stats)
    }
  }

  /// The age of what is heard: that of sound after silence at once, as silence has no time to keep, and then followed by at most a twentieth and by
  /// what was taken out of the sound, so that timestamps never jump within what is heard.
  private func stamp(_ now: Int64, _ loudest: MixerSource.Heard?, _ heard: Int) -> (time: Int64, sequence: UInt64) {
    let step = format.duration(ofSamples: Int(format.samplesPerBuffer)) / 20
    return state.withLock { state in
      let isAfterSilence = state.heard == 0
      state.heard = heard
      if let loudest, loudest.timestamp > 0 {
        let age = max(0, min(now - loudest.timestamp, AudioMixer.mostBehind))
        let followed = isAfterSilence ? nil : state.age
        state.age = followed.map { $0 + max(-step - loudest.skipped, min(step, age - $0)) } ?? age
      }
      state.made += 1
      return (now - delay - (state.age ?? AudioMixer.usualAge), state.made)
    }
  }
}

extension MixerSource.Stats {
  fileprivate mutating func add(_ other: MixerSource.Stats) {
    underruns += other.underruns
    late += other.late
    kept = max(kept, other.kept)
  }
}
