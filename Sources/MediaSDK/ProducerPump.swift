import CMediaSDK
import MediaCore
import MediaPlugins
import MediaTransport

/// Drives a producer for a stream: sets the format agreed on, starts it, asks a pull producer for each frame at its time, and holds a push producer to
/// the rate. All on a worker of its own: absolute times, no period that drifts.
final class ProducerPump: Sendable {
  private struct State {
    /// What the stream wants made now; nil while it is stopped.
    var wanted: FrameSender?
    var isWantedNew = false
    /// What the producer is started for.
    var running: FrameSender?
    var rate = FrameRate(0)
    var start: Int64 = 0
    var index: UInt64 = 0
    var nextPushTime = Int64.min
    var isClosed = false
  }

  private let producer: PluginInstance
  private let attachment: PluginInstance.Attachment
  /// The stream lets go of its pump when it is closed.
  private let stream: OutgoingVideo
  private let clock: any MediaClock
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)

  init(_ producer: PluginInstance, for stream: OutgoingVideo) throws(MediaError) {
    guard producer.descriptor.kinds & UInt32(MSDK_KIND_VIDEO_PRODUCER) != 0 else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) is no producer of video")
    }
    self.producer = producer
    self.stream = stream
    clock = stream.engine.clock
    attachment = try producer.attach(
      to: "an outgoing stream", events: { stream.pass($0) }, letGo: { stream.detachProducer() })
    let worker = clock.makeWorker("msdk-produce") { [weak self] in self?.step() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  /// The stream was started, changed its format, or (nil) was stopped.
  func follow(_ sender: FrameSender?) {
    state.withLock { state in
      state.wanted = sender
      state.isWantedNew = true
    }
    poke()
    // A stopped stream's producer is down when stop returns, unless the call came from the producer itself.
    if sender == nil, !ForeignCode.isRunning, !clock.isVirtual {
      _ = state.wait(until: Deadline.after(milliseconds: 2_000)) { $0.running == nil && !$0.isWantedNew ? true : nil }
    }
  }

  func repace() {
    state.withLock { $0.rate = FrameRate(0) }
    poke()
  }

  func close() {
    state.withLock { state in
      state.isClosed = true
      state.wanted = nil
    }
    let worker = self.worker.withLock { worker in
      defer { worker = nil }
      return worker
    }
    worker?.stop()
    takeDown()
    producer.detach(attachment)
  }

  private func poke() {
    worker.withLock { $0 }?.poke()
  }

  // MARK: On the worker

  private func step() -> Int64 {
    let (isNew, wanted): (Bool, FrameSender?) = state.withLock { state in
      defer { state.isWantedNew = false }
      // One that ended by itself is not running, and must still be taken down when the stream stops.
      return (state.isWantedNew && (state.running !== state.wanted || state.wanted == nil), state.wanted)
    }
    if isNew {
      takeDown()
      if let wanted { bringUp(wanted) }
    }
    state.notify()
    return producer.isPull ? pullDue() : .max
  }

  private func bringUp(_ sender: FrameSender) {
    do throws(MediaError) {
      try producer.initialiseProducer()
      try producer.setProducerFormat(sender.format)
      state.withLock { state in
        state.running = sender
        state.rate = FrameRate(0)
        state.nextPushTime = .min
      }
      try producer.startProducer { [weak self] frame in
        guard let self else { return .closed }
        return self.take(frame)
      }
    } catch {
      fail(error)
    }
  }

  private func takeDown() {
    let wasRunning = state.withLock { state in
      defer { state.running = nil }
      return state.running != nil
    }
    guard wasRunning || producer.producerPhase != .created else { return }
    do throws(MediaError) {
      try producer.stopProducer()
      try producer.releaseProducer()
    } catch {
      fail(error)
    }
  }

  private func fail(_ error: MediaError) {
    state.withLock { $0.running = nil }
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "")
  }

  private func end() {
    state.withLock { $0.running = nil }
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ENDED), nil, text: "the producer has no more frames")
  }

  // MARK: Pulling

  private func pullDue() -> Int64 {
    while let (sender, due) = nextDue() {
      guard due <= clock.now() else { return due }
      do throws(MediaError) {
        switch try producer.pull(due: due) {
        case .ended:
          end()
          return .max
        case .nothingYet: break
        case .frame(let frame):
          let isLast = frame.native.pointee.flags & UInt32(MSDK_FRAME_END) != 0
          defer { frame.release() }
          try deliver(frame, to: sender)
          if isLast {
            end()
            return .max
          }
        }
      } catch {
        fail(error)
        return .max
      }
      state.withLock { $0.index += 1 }
    }
    return .max
  }

  /// Whom to pull for and when. A rate that is new starts now; whoever is more than a second behind starts anew instead of hurrying.
  private func nextDue() -> (FrameSender, Int64)? {
    guard let rate = stream.pacedRate() else { return nil }
    let now = clock.now()
    return state.withLock { state in
      guard let sender = state.running, !state.isClosed, !state.isWantedNew else { return nil }
      if state.rate != rate || rate.dueTime(ofFrame: state.index, from: state.start) < now - 1_000_000_000 {
        state.rate = rate
        state.start = now
        state.index = 0
      }
      return (sender, rate.dueTime(ofFrame: state.index, from: state.start))
    }
  }

  /// A frame of a sender that was replaced meanwhile, or of a stream that stopped, is nobody's fault.
  private func deliver(_ frame: VideoFrame, to sender: FrameSender) throws(MediaError) {
    do throws(MediaError) {
      try sender.send(frame)
    } catch {
      guard error.status == .stale || error.status == .state || error.status == .closed else { throw error }
    }
  }

  // MARK: Being pushed

  /// On the plugin's thread. Early by half an interval is on time; nobody is ahead by more.
  private func take(_ frame: VideoFrame) -> Status? {
    guard let rate = stream.pacedRate() else { return .closed }
    let now = clock.now()
    let (sender, isEarly): (FrameSender?, Bool) = state.withLock { state in
      guard let sender = state.running, !state.isClosed else { return (nil, false) }
      guard let interval = rate.interval else { return (sender, false) }
      guard state.nextPushTime == .min || now >= state.nextPushTime - interval / 2 else { return (sender, true) }
      state.nextPushTime = state.nextPushTime == .min || now > state.nextPushTime + interval ? now + interval : state.nextPushTime + interval
      return (sender, false)
    }
    guard let sender else { return .closed }
    guard !isEarly else { return .again }
    guard frame.fits(sender.format) else { return .format }
    do throws(MediaError) {
      try sender.send(frame)
      return nil
    } catch {
      return error.status == .stale ? .format : error.status == .state ? .closed : error.status
    }
  }
}
