import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// Drives a producer for a stream, or for a program that pulls it: sets the format agreed on, starts it, asks a pull producer for each frame at its time, and holds a push
/// producer to the rate. All on a worker of its own: absolute times, no period that drifts.
final class ProducerPump: Sendable {
  private struct State {
    /// What the stream wants made now; nil while it is stopped.
    var wanted: (any PumpSink)?
    var isWantedNew = false
    /// What the producer is started for.
    var running: (any PumpSink)?
    /// What it makes for that. The pixel format may be another, which is converted, and of a shared screen the size odd, which is cut.
    var made: VideoFormat?
    var rate = FrameRate(0)
    /// Frame `index` is due at the rate from `start` on; of a producer whose frames have times of their own `start` is the next one's.
    var start: Int64 = 0
    var index: UInt64 = 0
    var isTimed = false
    var nextPushTime = Int64.min
    /// Of a producer whose frames come encoded.
    var isKeyFrameWanted = false
    /// The producer is to be asked for its size; no sooner than at that time.
    var isSizeAsked = false
    /// It said that its size had changed: a size that it refuses from then on is no failure yet.
    var hasChangedSize = false
    var nextSizeTime = Int64.min
    var refusals = 0
    var isClosed = false
  }

  /// From one change of size to the next: a window that is being drawn larger changes with every step of the mouse.
  private static let sizeSpacing: Int64 = 250_000_000
  /// A size that changes between being told and being set is refused; so often it is no accident any more.
  private static let mostRefusals = 10
  /// A producer that times its frames itself has no more than 1,000 a second.
  private static let leastTimedInterval: Int64 = 1_000_000
  /// That are looked at.
  private static let mostFormats: UInt32 = 256

  private let producer: PluginInstance
  private let attachment: PluginInstance.Attachment
  /// The stream lets go of its pump when it is closed.
  private let stream: any PumpedVideo
  private let clock: any MediaClock
  private let state = Monitor(State())
  private let worker = Monitor<(any Worker)?>(nil)
  /// The worker opens and closes the producer in it: in a callback `close` does not wait for the worker, but for this.
  private let changes = Turn()
  /// For frames of another pixel format than the stream's: as many as a receiver of raw frames may hold.
  private let normalizer = Monitor(FrameNormalizer(limit: 32))
  /// Used on the worker only.
  private let meter = FrameTimeMeter()

  init(_ producer: PluginInstance, for stream: any PumpedVideo) throws(MediaError) {
    guard producer.descriptor.kinds & UInt32(MSDK_KIND_VIDEO_PRODUCER) != 0 else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) is not a video producer")
    }
    self.producer = producer
    self.stream = stream
    clock = stream.clock
    attachment = try producer.attach(
      to: stream.pumpedName, events: { stream.hear($0) }, letGo: { stream.detachProducer() })
    let worker = clock.makeWorker("msdk-produce") { [weak self] in self?.step() ?? .max }
    self.worker.withLock { $0 = worker }
  }

  /// The stream was started, changed its format, or (nil) was stopped.
  func follow(_ sender: (any PumpSink)?) {
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

  /// A receiver needs one, of a producer whose frames come encoded. Its first frame is one anyway.
  func requestKeyFrame() {
    let isRunning = state.withLock { state in
      state.isKeyFrameWanted = state.running != nil
      return state.isKeyFrameWanted
    }
    if isRunning { poke() }
  }

  /// The producer said so.
  func formatChanged() {
    state.withLock { state in
      state.isSizeAsked = true
      state.hasChangedSize = true
    }
    poke()
  }

  /// What the producer makes unless told otherwise; another pixel format of that size, if it has one that the codecs take as it is.
  func ownFormat() throws(MediaError) -> VideoFormat {
    guard var own = try producer.captureSettings() else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) has no format of its own; give the stream formats")
    }
    if !stream.takes(own.pixelFormat) { own = try listed { stream.takes($0.pixelFormat) && $0.hasSize(of: own) } ?? own }
    (own.width, own.height) = stream.shared(own)
    // 15 a second is what is usual of screens.
    if !own.frameRate.isKnown { own.frameRate = FrameRate(15) }
    return own
  }

  /// Opens the producer and agrees on a format, nil for its own, so that what cannot be is refused at once. It is set again at the start.
  func prepare(_ format: VideoFormat?) throws(MediaError) -> VideoFormat {
    try producer.initialiseProducer()
    var format = format
    if format == nil { format = try producer.captureSettings() }
    if format == nil { format = try producer.producerFormat(at: 0) }
    guard let format else {
      throw MediaError(.unsupported, "class \(producer.descriptor.id) has no format of its own; give a format")
    }
    _ = try agree(on: format)
    return format
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
    // The change that is under way is over, unless the call came from inside it.
    try? changes.take("detach") {}
    takeDown()
    producer.detach(attachment)
  }

  private func poke() {
    worker.withLock { $0 }?.poke()
  }

  // MARK: On the worker

  private func step() -> Int64 {
    let isChanging = state.withLock { $0.isWantedNew || $0.isSizeAsked }
    let sizeTime = isChanging ? (try? changes.take("change") { change() }) ?? .max : .max
    state.notify()
    passKeyFrameRequest()
    return producer.isPull ? min(sizeTime, pullDue()) : sizeTime
  }

  /// When to come back for a change of size.
  private func change() -> Int64 {
    let (isNew, wanted): (Bool, (any PumpSink)?) = state.withLock { state in
      // Another pump may have the producer by now.
      guard !state.isClosed else { return (false, nil) }
      defer { state.isWantedNew = false }
      // One that ended by itself is not running, and must still be taken down when the stream stops.
      return (state.isWantedNew && (state.running !== state.wanted || state.wanted == nil), state.wanted)
    }
    if isNew {
      // One that is ready only was asked for its format.
      if wanted == nil || producer.producerPhase == .started { takeDown() }
      if let wanted { bringUp(wanted) }
    }
    return followSize()
  }

  private func passKeyFrameRequest() {
    let isWanted = state.withLock { state in
      defer { state.isKeyFrameWanted = false }
      return state.isKeyFrameWanted && state.running != nil
    }
    guard isWanted else { return }
    do throws(MediaError) {
      try producer.requestKeyFrame()
    } catch {
      fail(error)
    }
  }

  private func bringUp(_ sender: any PumpSink) {
    do throws(MediaError) {
      try producer.initialiseProducer()
      try run(sender)
    } catch {
      refuse(error)
    }
  }

  private func run(_ sender: any PumpSink) throws(MediaError) {
    let made = try agree(on: sender.format)
    state.withLock { state in
      state.running = sender
      state.made = made
      state.rate = FrameRate(0)
      state.isTimed = false
      state.nextPushTime = .min
    }
    try producer.startProducer { [weak self] frame in
      guard let self else { return .closed }
      return self.take(frame)
    } encodedSink: { [weak self] frame in
      guard let self else { return .closed }
      return self.take(frame)
    }
    state.withLock { $0.refusals = 0 }
  }

  /// The pixel format may be the producer's own, and so may a shared screen's odd size.
  private func agree(on format: VideoFormat) throws(MediaError) -> VideoFormat {
    do throws(MediaError) {
      try producer.setProducerFormat(format)
      return format
    } catch {
      guard error.status == .format, var other = try ownFormat(near: format) else { throw error }
      other.frameRate = format.frameRate
      guard other != format else { throw error }
      try producer.setProducerFormat(other)
      return other
    }
  }

  /// What can be made into that format.
  private func ownFormat(near format: VideoFormat) throws(MediaError) -> VideoFormat? {
    if let own = try producer.captureSettings() {
      let isCut = stream.isScreen && stream.shared(own) == (format.width, format.height)
      if isCut || own.hasSize(of: format) { return own }
    }
    return try listed { $0.hasSize(of: format) && $0.pixelFormat != format.pixelFormat }
  }

  private func listed(where fits: (VideoFormat) -> Bool) throws(MediaError) -> VideoFormat? {
    var index: UInt32 = 0
    while index < ProducerPump.mostFormats, let format = try producer.producerFormat(at: index) {
      if fits(format) { return format }
      index += 1
    }
    return nil
  }

  /// A producer that is of another size than was asked for is asked which, if its size is the stream's.
  private func refuse(_ error: MediaError) {
    let isScreen = stream.isScreen
    let isAsked =
      error.status == .format
      && state.withLock { state in
        guard isScreen || state.hasChangedSize else { return false }
        state.running = nil
        state.refusals += 1
        state.isSizeAsked = state.refusals <= ProducerPump.mostRefusals
        return state.isSizeAsked
      }
    if !isAsked { fail(error) }
  }

  /// Of a stream that is no shared screen's: whether it goes over to the producer's size. Where it may not, the agreed one stays.
  private func isFollowed() throws(MediaError) -> Bool {
    guard let settings = try producer.captureSettings(), let sender = state.withLock({ $0.wanted }) else { return false }
    let isRunning = state.withLock { $0.running != nil }
    if isRunning, settings.hasSize(of: sender.format) { return false }
    if stream.mayFollow(width: settings.width, height: settings.height) { return true }
    guard !isRunning else { return false }
    throw MediaError(.format, "the producer makes \(settings.width)x\(settings.height), which the stream does not accept")
  }

  /// Stops the producer, asks for its size, and starts it with that; when to come back for it, if it is too soon.
  private func followSize() -> Int64 {
    let now = clock.now()
    let (isDue, time): (Bool, Int64) = state.withLock { state in
      guard state.isSizeAsked, state.wanted != nil, !state.isWantedNew, !state.isClosed else {
        state.isSizeAsked = state.isSizeAsked && state.isWantedNew
        return (false, .max)
      }
      guard now >= state.nextSizeTime else { return (false, state.nextSizeTime) }
      state.isSizeAsked = false
      state.nextSizeTime = now + ProducerPump.sizeSpacing
      return (true, .max)
    }
    guard isDue else { return time }
    do throws(MediaError) {
      if !stream.isScreen, try !isFollowed() { return .max }
    } catch {
      fail(error)
      return .max
    }
    state.withLock { $0.running = nil }
    do throws(MediaError) {
      try producer.stopProducer()
      guard let settings = try producer.captureSettings() else {
        throw MediaError(.unsupported, "class \(producer.descriptor.id) changed its format and does not report the new one")
      }
      do throws(MediaError) {
        let size = stream.shared(settings)
        guard let sender = try stream.adopt(width: size.width, height: size.height) else { return .max }
        state.withLock { if !$0.isWantedNew { $0.wanted = sender } }
        try run(sender)
      } catch {
        guard error.status == .limit else { throw error }
        stream.fail(error)
      }
    } catch {
      refuse(error)
    }
    return state.withLock { $0.isSizeAsked ? $0.nextSizeTime : .max }
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

  func fail(_ error: MediaError) {
    state.withLock { $0.running = nil }
    stream.producerEnded()
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ERROR), error, text: "")
  }

  private func end() {
    state.withLock { $0.running = nil }
    stream.producerEnded()
    producer.report(UInt32(MSDK_PLUGIN_EVENT_ENDED), nil, text: "the producer has no more frames")
  }

  // MARK: Pulling

  private func pullDue() -> Int64 {
    while let (sender, due) = nextDue() {
      guard due <= clock.now() else { return due }
      var duration: Int64 = 0
      do throws(MediaError) {
        let before = MediaTime.monotonic()
        let pulled = try producer.pull(due: due)
        note(pulled, took: MediaTime.monotonic() - before)
        switch pulled {
        case .ended:
          end()
          return .max
        case .nothingYet: break
        case .frame(let frame):
          let isLast = frame.native.pointee.flags & UInt32(MSDK_FRAME_END) != 0
          defer { frame.release() }
          if producer.isTimed { duration = frame.native.pointee.duration_ns }
          try deliver { () throws(MediaError) in try send(frame, to: sender) }
          if isLast {
            end()
            return .max
          }
        case .packet(let frame):
          defer { frame.release() }
          if producer.isTimed { duration = frame.native.pointee.duration_ns }
          try deliver { () throws(MediaError) in try sender.sendScheduled(frame) }
        }
      } catch {
        fail(error)
        return .max
      }
      advance(from: due, by: duration)
    }
    return .max
  }

  /// A producer has half of its frame's duration: of its frame rate's, or of its own where its frames have times of their own. The time that it
  /// takes is real, whatever the engine's clock is.
  private func note(_ pulled: PluginInstance.Pulled, took time: Int64) {
    var duration = state.withLock { $0.rate }.interval
    let own: Int64 =
      switch pulled {
      case .frame(let frame): frame.native.pointee.duration_ns
      case .packet(let frame): frame.native.pointee.duration_ns
      case .nothingYet, .ended: 0
      }
    if producer.isTimed, own > 0 { duration = own }
    guard let duration, let verdict = meter.note(at: clock.now(), took: time, ofFrame: duration) else { return }
    producer.report(UInt32(MSDK_PLUGIN_EVENT_SLOW), nil, text: verdict.text(producer.descriptor.id))
  }

  private func advance(from due: Int64, by duration: Int64) {
    state.withLock { state in
      guard duration > 0 else {
        state.index += 1
        return
      }
      state.isTimed = true
      let (next, overflow) = due.addingReportingOverflow(max(duration, ProducerPump.leastTimedInterval))
      state.start = overflow ? .max : next
      state.index = 0
    }
  }

  /// Whom to pull for and when. A rate that is new starts now, unless the frames have times of their own: then the stream drops those that
  /// are ahead of its rate. Whoever is more than a second behind starts anew instead of hurrying.
  private func nextDue() -> (any PumpSink, Int64)? {
    guard let rate = stream.pacedRate() else { return nil }
    let now = clock.now()
    return state.withLock { state in
      guard let sender = state.running, !state.isClosed, !state.isWantedNew else { return nil }
      if state.isTimed { state.rate = rate }
      if state.rate != rate || rate.dueTime(ofFrame: state.index, from: state.start) < now - 1_000_000_000 {
        state.rate = rate
        state.start = now
        state.index = 0
      }
      return (sender, rate.dueTime(ofFrame: state.index, from: state.start))
    }
  }

  /// A frame of a sender that was replaced meanwhile, of a stream that stopped, or for which there is no room, is nobody's fault.
  private func deliver(_ send: () throws(MediaError) -> Void) throws(MediaError) {
    do throws(MediaError) {
      try send()
    } catch {
      guard [.stale, .state, .closed, .again].contains(error.status) else { throw error }
    }
  }

  private func send(_ frame: VideoFrame, to sender: any PumpSink) throws(MediaError) {
    guard !frame.fits(sender.format), let made = state.withLock({ $0.made }), frame.fits(made) else {
      return try sender.sendScheduled(frame)
    }
    let frame = try frame.view()
    defer { frame.release() }
    frame.cut(to: sender.format)
    let converted: VideoFrame
    do throws(MediaError) {
      converted = try normalizer.withLock { normalizer throws(MediaError) in
        try normalizer.convert(frame, to: sender.format.pixelFormat)
      }
    } catch {
      // Whoever holds them gives them back: that costs this frame, and not the producer.
      throw error.status == .noMemory ? MediaError(.again, error.text) : error
    }
    defer { converted.release() }
    converted.native.pointee.sequence = 0
    try sender.sendScheduled(converted)
  }

  // MARK: Being pushed

  /// On the plugin's thread. Early by half an interval is on time; nobody is ahead by more.
  private func take(_ frame: VideoFrame) -> Status? {
    guard let rate = stream.pacedRate() else { return .closed }
    let now = clock.now()
    let (sender, isEarly): ((any PumpSink)?, Bool) = state.withLock { state in
      guard let sender = state.running, !state.isClosed else { return (nil, false) }
      guard let interval = rate.interval else { return (sender, false) }
      guard state.nextPushTime == .min || now >= state.nextPushTime - interval / 2 else { return (sender, true) }
      state.nextPushTime =
        state.nextPushTime == .min || now > state.nextPushTime + interval ? now + interval : state.nextPushTime + interval
      return (sender, false)
    }
    guard let sender else { return .closed }
    guard !isEarly else { return .again }
    guard frame.fits(sender.format) || state.withLock({ $0.made.map(frame.fits) ?? false }) else { return .format }
    do throws(MediaError) {
      try send(frame, to: sender)
      return nil
    } catch {
      return error.status == .stale ? .format : error.status == .state ? .closed : error.status
    }
  }

  /// The same of what comes encoded: nothing is dropped to reach a rate.
  private func take(_ frame: EncodedFrame) -> Status? {
    guard let sender = state.withLock({ $0.isClosed ? nil : $0.running }) else { return .closed }
    do throws(MediaError) {
      try sender.sendScheduled(frame)
      return nil
    } catch {
      return error.status == .stale || error.status == .state ? .closed : error.status
    }
  }
}
