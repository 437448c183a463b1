import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Drives a producer of audio for a stream, or for a program that pulls it: starts it, asks a pull producer for each buffer when the one before is over, holds a push producer to real
/// time, and turns what it makes into the stream's format.
final class AudioProducerPump: Sendable {
  private struct State {
    var isWanted = false
    var isWantedNew = false
    var isRunning = false
    /// A buffer of a push producer is being taken.
    var isTaking = false
    /// What the producer makes.
    var format: AudioFormat?
    var start: Int64 = 0
    /// Asked for since the start.
    var samples: UInt64 = 0
    /// Cut from a buffer that is longer than the stream's queue, with a reference each.
    var waiting = BoundedQueue<AudioFrame>(capacity: AudioProducerPump.mostWaiting)
    var isClosed = false
  }

  private static let mostBehind: Int64 = 1_000_000_000
  /// The longest buffer, in pieces of 10 ms, at the slowest rate.
  private static let mostWaiting = 2500
  private static let patience: Int64 = 5_000_000

  private let producer: PluginInstance
  private let attachment: PluginInstance.Attachment
  /// The stream lets go of its pump when it is closed.
  private let stream: any PumpedAudio
  private let clock: any MediaClock
  private let converter: AudioConverter
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)
  /// The worker opens and closes the producer in it: in a callback `close` does not wait for the worker, but for this.
  private let changes = Turn()
  /// Used on the worker only.
  private let meter = FrameTimeMeter()

  init(_ producer: PluginInstance, for stream: any PumpedAudio) throws(MediaError) {
    guard producer.descriptor.kinds & UInt32(MSDK_KIND_AUDIO_PRODUCER) != 0 else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) is not an audio producer")
    }
    self.producer = producer
    self.stream = stream
    clock = stream.clock
    converter = AudioConverter(to: stream.format, pool: BufferPool(limit: AudioProducerPump.mostWaiting + 64))
    attachment = try producer.attach(
      to: stream.pumpedName, medium: .audio, events: { stream.hear($0) }, letGo: { stream.detachProducer() })
    let worker = clock.makeWorker("msdk-produce") { [weak self] in self?.step() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  /// Opens a producer and agrees on a format, nil for its own, so that what cannot be is refused at once. It is set again at the start.
  static func prepare(_ producer: PluginInstance, _ format: AudioFormat?) throws(MediaError) -> AudioFormat {
    try producer.checkDetached(.audio)
    do throws(MediaError) {
      try producer.initialiseAudioProducer()
      var wanted = format
      if wanted == nil { wanted = try producer.audioCaptureSettings() }
      // A class that does not say gets what nearly all can make.
      let agreed = wanted ?? AudioFormat(.s16, sampleRate: 48_000, channels: 2)
      _ = try producer.setAudioFormat(agreed)
      return agreed
    } catch {
      try? producer.stopAudioProducer()
      try? producer.releaseAudioProducer()
      throw error
    }
  }

  /// The stream was started or stopped.
  func follow(_ isStarted: Bool) {
    state.withLock { state in
      state.isWanted = isStarted
      state.isWantedNew = true
    }
    worker.withLock { $0 }?.poke()
    // A stopped stream's producer is down when stop returns, unless the call came from the producer itself.
    if !isStarted, !ForeignCode.isRunning, !clock.isVirtual {
      _ = state.wait(until: Deadline.after(milliseconds: 2_000)) { !$0.isRunning && !$0.isWantedNew ? true : nil }
    }
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.isWanted = false
    }
    let worker = self.worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
    worker?.stop()
    // The change that is under way is over, unless the call came from inside it.
    try? changes.take("detach") {}
    takeDown()
    producer.detach(attachment)
  }

  // MARK: On the worker

  private func step() -> Int64 {
    if state.withLock({ $0.isWantedNew }) { try? changes.take("change") { change() } }
    state.notify()
    guard handWaiting() else { return clock.now() + AudioProducerPump.patience }
    return producer.isAudioPull ? pullDue() : .max
  }

  private func change() {
    let (isNew, isWanted): (Bool, Bool) = state.withLock { state in
      // Another pump may have the producer by now.
      guard !state.isClosed else { return (false, false) }
      defer { state.isWantedNew = false }
      return (state.isWantedNew, state.isWanted)
    }
    guard isNew else { return }
    takeDown()
    if isWanted { bringUp() }
  }

  private func bringUp() {
    do throws(MediaError) {
      try producer.initialiseAudioProducer()
      let format = try producer.setAudioFormat(stream.format)
      converter.reset()
      state.withLock { state in
        state.isRunning = true
        state.format = format
        state.start = clock.now()
        state.samples = 0
      }
      try producer.startAudioProducer { [weak self] frame in
        guard let self else { return .closed }
        return self.take(frame)
      }
      // The time that opening took is not the sound's.
      state.withLock { $0.start = clock.now() }
    } catch {
      fail(error)
    }
  }

  private func takeDown() {
    let wasRunning = state.withLock { state in
      defer { state.isRunning = false }
      return state.isRunning
    }
    dropWaiting()
    guard wasRunning || producer.audioProducerPhase != .created else { return }
    do throws(MediaError) {
      try producer.stopAudioProducer()
      try producer.releaseAudioProducer()
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: MediaError) {
    state.withLock { $0.isRunning = false }
    stream.producerEnded()
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "", medium: .audio)
  }

  /// No more comes: what is here still goes. When to go on with that.
  private func end() -> Int64 {
    state.withLock { $0.isRunning = false }
    do throws(MediaError) {
      try converter.flush { piece throws(MediaError) in try hand(piece) }
    } catch {
      fail(error)
    }
    stream.producerEnded()
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ENDED), nil, text: "the producer has no more audio", medium: .audio)
    return handWaiting() ? .max : clock.now() + AudioProducerPump.patience
  }

  // MARK: Pulling

  private func pullDue() -> Int64 {
    while let (due, rate) = nextDue() {
      guard due <= clock.now() else { return due }
      do throws(MediaError) {
        let before = MediaTime.monotonic()
        let pulled = try producer.pullAudio(due: due)
        note(pulled, took: MediaTime.monotonic() - before)
        switch pulled {
        case .ended: return end()
        case .nothingYet: count(Int(rate / 100))
        case .frame(let frame):
          defer { frame.release() }
          count(frame.sampleCount)
          try convert(frame)
          if frame.native.pointee.flags & UInt32(MSDK_FRAME_END) != 0 { return end() }
          guard handWaiting() else { return clock.now() + AudioProducerPump.patience }
        }
      } catch {
        fail(error)
        return .max
      }
    }
    return .max
  }

  /// A producer has half of its buffer's length, of real time.
  private func note(_ pulled: PluginInstance.PulledAudio, took time: Int64) {
    guard case .frame(let frame) = pulled,
      let verdict = meter.note(at: clock.now(), took: time, ofFrame: frame.native.pointee.duration_ns)
    else { return }
    producer.report(UInt32(MSDK_PLUGIN_EVENT_SLOW), nil, text: verdict.text(producer.descriptor.id), medium: .audio)
  }

  private func count(_ samples: Int) {
    state.withLock { $0.samples += UInt64(max(1, samples)) }
  }

  /// When the next buffer is due, and the producer's rate. Whoever is more than a second behind starts anew instead of hurrying.
  private func nextDue() -> (Int64, UInt32)? {
    let now = clock.now()
    return state.withLock { state in
      guard state.isRunning, !state.isClosed, !state.isWantedNew, let format = state.format else { return nil }
      func due() -> Int64 { state.start + MediaTime.nanoseconds(fromUnits: Int64(clamping: state.samples), rate: format.sampleRate) }
      if due() < now - AudioProducerPump.mostBehind {
        state.start = now
        state.samples = 0
      }
      return (due(), format.sampleRate)
    }
  }

  private func convert(_ frame: AudioFrame) throws(MediaError) {
    try converter.convert(frame) { piece throws(MediaError) in try hand(piece) }
  }

  /// To the stream, or behind what waits already for room there. What a stream that stopped meanwhile does not take is nobody's fault.
  private func hand(_ piece: AudioFrame) throws(MediaError) {
    guard state.withLock({ $0.waiting.isEmpty }) else { return keep(piece) }
    do throws(MediaError) {
      try stream.send(piece, deadline: 0)
    } catch {
      switch error.status {
      case .again: keep(piece)
      case .state, .closed: break
      default: throw error
      }
    }
  }

  private func keep(_ piece: AudioFrame) {
    piece.retain()
    let displaced = state.withLock { $0.waiting.push(piece) }
    displaced?.release()
    if !producer.isAudioPull { worker.withLock { $0 }?.poke() }
  }

  /// On the worker: says whether nothing waits any more.
  private func handWaiting() -> Bool {
    while let piece = state.withLock({ $0.waiting.first }) {
      do throws(MediaError) {
        try stream.send(piece, deadline: 0)
      } catch {
        if error.status == .again { return false }
      }
      state.withLock { $0.waiting.pop() }?.release()
    }
    return true
  }

  private func dropWaiting() {
    while let piece = state.withLock({ $0.waiting.pop() }) { piece.release() }
  }

  // MARK: Being pushed

  /// On the plugin's thread.
  private func take(_ frame: AudioFrame) -> Status? {
    let refusal: Status?? = state.withLock { state in
      guard state.isRunning, !state.isClosed, let format = state.format else { return .some(.closed) }
      guard frame.format.isSameSound(as: format) else { return .some(.format) }
      guard !state.isTaking else { return .some(.thread) }
      state.isTaking = true
      return nil
    }
    if let refusal { return refusal }
    defer { state.withLock { $0.isTaking = false } }
    guard stream.isStarted else { return .closed }
    // All of it or nothing.
    guard state.withLock({ $0.waiting.isEmpty }), stream.hasRoom(for: frame.native.pointee.duration_ns) else { return .again }
    do throws(MediaError) {
      try convert(frame)
      return nil
    } catch {
      return error.status
    }
  }
}
