import CMediaSDK
import MediaCore
import MediaRuntime
import MediaTransport

/// The way of a frame from `send` to the transport, and what is told of it.
extension OutgoingVideo {
  private static let patience: UInt32 = 5_000

  private enum Accepted {
    /// The sender's thread takes it on, and those that come meanwhile.
    case drain(Pending, Publication?)
    case full
    /// Its memory is the program's, of which receivers hold enough.
    case copied(from: BufferPool)
    case queued(displaced: Pending?)
    /// It came ahead of its time, and waits.
    case held
    /// The stream is not started: renderers only see it.
    case previewed(Pending)
    case refused(Pending, FrameReport.DropReason)
  }

  /// With what it came in place of.
  private struct Acceptance {
    var way: Accepted
    var overtaken: Pending?
    var former: VideoFrame?
  }

  /// `isScheduled`: of a producer, which is asked at the stream's rate.
  func send(
    _ frame: VideoFrame, timestamp: Int64, completion: Completion, by sender: FrameSender, isScheduled: Bool = false
  ) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.state, "the stream takes encoded frames (encoded_input); use msdk_frame_sender_send_encoded")
    }
    try frame.check()
    guard frame.fits(sender.format) else {
      throw MediaError(.format, "the frame is \(frame.format); this sender accepts \(sender.format)")
    }
    let isNew = frame.native.pointee.sequence == 0 && !isScheduled
    let timestamp = CaptureTimes.Given(
      time: timestamp != 0 ? timestamp : frame.native.pointee.timestamp_ns, mayBeginLine: timestamp != 0 || isNew)
    let offer = Offer(
      frame: .raw(frame), timestamp: timestamp, completion: completion, sender: sender, isPaced: options.isPaced && !isScheduled)
    try accept(offer, at: clock.now())
  }

  /// What somebody wants to have sent.
  private struct Offer {
    /// Borrowed, or a reference of ours.
    var frame: StreamFrame<VideoFrame>
    var isOurs = false
    let timestamp: CaptureTimes.Given
    let completion: Completion
    let sender: FrameSender
    let isPaced: Bool
  }

  /// Of a producer: what its data says is the frame, whatever the producer said.
  func sendProduced(_ frame: EncodedFrame, by sender: FrameSender) throws(MediaError) {
    guard let codec = pushedCodec else { throw MediaError(.state, "the stream takes raw frames") }
    let header = try codec.parseHeader(frame.bytes)
    let key = UInt32(MSDK_ENCODED_KEY)
    let native = frame.native
    native.pointee.codec = options.codec
    native.pointee.sequence = 0
    native.pointee.orientation &= 7
    native.pointee.flags =
      native.pointee.flags & UInt32(MSDK_ENCODED_DISCONTINUITY | MSDK_ENCODED_DROPPABLE) | (header.isKeyFrame ? key : 0)
    if header.width > 0 { (native.pointee.width, native.pointee.height) = (header.width, header.height) }
    frame.seal()
    try send(frame, timestamp: 0, completion: .queued(), by: sender, isScheduled: true)
  }

  func send(
    _ frame: EncodedFrame, timestamp: Int64, completion: Completion, by sender: FrameSender, isScheduled: Bool = false
  ) throws(MediaError) {
    guard options.isEncodedInput else {
      throw MediaError(.state, "the stream takes raw frames; make it with encoded_input to send encoded ones")
    }
    try frame.check()
    guard frame.native.pointee.codec == options.codec else {
      let codec = FourCC.text(frame.native.pointee.codec)
      throw MediaError(.format, "the frame's codec is \(codec); this stream's is \(FourCC.text(options.codec))")
    }
    if frame.isKeyFrame {
      try options.checkPushed(width: frame.native.pointee.width, height: frame.native.pointee.height, to: sender.format)
    }
    let isNew = frame.native.pointee.sequence == 0 && !isScheduled
    let timestamp = CaptureTimes.Given(
      time: timestamp != 0 ? timestamp : frame.native.pointee.timestamp_ns, mayBeginLine: timestamp != 0 || isNew)
    var attributes = frame.native.pointee
    PushedFrames.color(&attributes, as: sender.format)
    guard let ours = try EncodedFrame.make(copying: frame.bytes, attributes: attributes, from: encodedInputPool, deadline: 0) else {
      throw MediaError(.noMemory, "256 encoded frames of this stream are in use")
    }
    if options.carriesMetadata { ours.setMetadata(frame.metadata) }
    // The sender's thread may be through with it when `accept` returns.
    ours.retain()
    defer { ours.release() }
    let offer = Offer(
      frame: .encoded(ours), isOurs: true, timestamp: timestamp, completion: completion, sender: sender, isPaced: false)
    try accept(offer, at: clock.now())
    if ours.isKeyFrame { announceSize(of: ours, sender.format) }
  }

  /// To those who come later: a stream that is pushed in may go on in another size.
  private func announceSize(of key: EncodedFrame, _ declared: VideoFormat) {
    var format = declared
    (format.width, format.height) = (key.native.pointee.width, key.native.pointee.height)
    let publication: Publication? = guarded.withLock { guarded in
      guard guarded.pushed.announce(format.width, format.height, to: guarded.life.publication?.id) else { return nil }
      return guarded.life.publication
    }
    if let publication { publication.transport.setFormat(publication.id, options.announced(format, nil)) }
  }

  private func accept(_ offered: Offer, at now: Int64) throws(MediaError) {
    var offer = offered
    var accepted: Acceptance
    do throws(MediaError) {
      accepted = try tryAccept(offer, at: now)
      if case .copied(let copies) = accepted.way, case .raw(let frame) = offer.frame {
        offer.frame = .raw(try ForeignFrames.copy(of: frame, from: copies))
        offer.isOurs = true
        accepted = try tryAccept(offer, at: now)
      }
      if case .full = accepted.way { accepted = try acceptLater(offer) }
    } catch {
      if offer.isOurs { offer.frame.release() }
      throw error
    }
    accepted.former?.release()
    if let overtaken = accepted.overtaken { drop(overtaken, .paced) }
    switch accepted.way {
    case .full, .copied: break
    case .held: pokeStanding()
    case .previewed(let pending): preview(pending)
    case .refused(let pending, let reason): drop(pending, reason)
    case .queued(let displaced):
      if let displaced { tell(FrameReport(outcome: .replaced, sequence: displaced.sequence, timestamp: displaced.timestamp), displaced) }
      worker?.poke()
    case .drain(let first, let publication): drain(first, publication)
    }
  }

  /// Waits for the encoder to make room.
  private func acceptLater(_ offer: Offer) throws(MediaError) -> Acceptance {
    let deadline = Deadline.after(milliseconds: OutgoingVideo.patience)
    while true {
      try waitForRoom(until: deadline)
      let accepted = try tryAccept(offer, at: clock.now())
      guard case .full = accepted.way else { return accepted }
    }
  }

  private func tryAccept(_ offer: Offer, at now: Int64) throws(MediaError) -> Acceptance {
    return try guarded.withLock { guarded throws(MediaError) in
      try guarded.senders.check(offer.sender, guarded.life.state)
      if options.queuePolicy == .wait, guarded.encoding != nil, guarded.isFull { return Acceptance(way: .full) }
      let frame: StreamFrame<VideoFrame>
      if !offer.isOurs, case .raw(let given) = offer.frame {
        guard let ours = try guarded.own(given, withMetadata: options.carriesMetadata, now) else {
          return Acceptance(way: .copied(from: guarded.foreign.copies))
        }
        frame = .raw(ours)
      } else {
        frame = offer.frame
      }
      guarded.sequence += 1
      guarded.counters.offered += 1
      let timestamp = guarded.captureTime(offer.timestamp, now)
      let pending = Pending(frame: frame, sequence: guarded.sequence, timestamp: timestamp, acceptedAt: now, completion: offer.completion)
      frame.stamp(sequence: guarded.sequence, timestamp: timestamp)
      if !options.carriesMetadata { frame.removeMetadata() }
      if case .encoded(let encoded) = frame { guarded.pushed.follow(encoded) }
      let isOnTime = guarded.pace(now, byFormat: offer.isPaced)
      guard guarded.life.state == .started else { return Acceptance(way: isOnTime ? .previewed(pending) : .refused(pending, .paced)) }
      guard keepsPicture, case .raw(let raw) = frame else {
        return Acceptance(way: isOnTime ? enqueue(pending, in: &guarded) : .refused(pending, .paced))
      }
      raw.retain()
      let kept = ScreenRepetition.Kept(frame: raw, sequence: pending.sequence, timestamp: timestamp, acceptedAt: now)
      let former = guarded.screen.repetition.keep(kept, isOnItsWay: isOnTime)
      defer { guarded.screen.held = isOnTime ? nil : pending }
      return Acceptance(way: isOnTime ? enqueue(pending, in: &guarded) : .held, overtaken: guarded.screen.held, former: former)
    }
  }

  private func enqueue(_ pending: consuming Pending, in guarded: inout Guarded) -> Accepted {
    let isEncoding = guarded.encoding != nil
    if !isEncoding, !guarded.draining.isUnderWay {
      guarded.draining.begin()
      return .drain(pending, guarded.life.publication)
    }
    if guarded.isFull, !isEncoding || options.queuePolicy != .dropOldest { return .refused(pending, .queue) }
    return .queued(displaced: guarded.push(pending))
  }

  /// Only the caller who may wait comes here; the encoder makes room.
  private func waitForRoom(until deadline: Int64) throws(MediaError) {
    let hasRoom: Bool? = guarded.wait(until: deadline) { guarded in
      guarded.life.state != .started || !guarded.isFull ? true : nil
    }
    guard hasRoom != nil else {
      throw MediaError(.timeout, "the encoder did not accept the frame within \(OutgoingVideo.patience / 1000) s")
    }
  }

  // MARK: Without an encoder

  /// Hands frames over in order, one at a time, also those that other threads, or the callbacks themselves, send meanwhile.
  func drain(_ first: consuming Pending, _ publication: Publication?) {
    var (next, publication): (Pending?, Publication?) = (first, publication)
    while var pending = next.take() {
      if filters.isEmpty || filter(&pending) {
        if case .raw(let frame) = pending.frame, !pending.isRepeat { show(frame) }
        if let result = handOver(pending.frame, publication) {
          finish(pending, result, as: .sent, bytes: pending.frame.byteCount, isKeyFrame: pending.frame.isKeyFrame)
        } else {
          drop(pending, .stopped)
        }
      }
      // What waits when the stream has gone over to a codec is the encoder's.
      let (isAwaited, encoder): (Bool, (any Worker)?) = guarded.withLock { guarded in
        next = guarded.encoding == nil ? guarded.pending.pop() : nil
        if next != nil { publication = guarded.life.publication }
        return (next == nil && guarded.draining.end(), guarded.encoding == nil ? nil : guarded.life.worker)
      }
      if isAwaited { guarded.notify() }
      encoder?.poke()
    }
  }

  /// As it was published when the frame's turn came; nil when the stream has gone over to a codec since.
  private func handOver(_ frame: StreamFrame<VideoFrame>, _ publication: Publication?) -> SendResult? {
    var publication = publication
    if publication?.isOver ?? true {
      let isEncoding = guarded.withLock { guarded in
        publication = guarded.life.publication
        return guarded.encoding != nil
      }
      guard !isEncoding else { return nil }
    }
    return publication?.send(frame, nextNumber) ?? .notConnected
  }

  private var nextNumber: FrameID { numbering.wrappingAdd(1, ordering: .relaxed).newValue }

  /// nil when that is not what encodes any more: what it made is of another codec than the stream's.
  private func handOver(_ frame: EncodedFrame, of encoding: LayerEncoding, layer: Int, target: UInt64) -> SendResult? {
    let found: (publication: Publication?, isNewTarget: Bool)? = guarded.withLock { guarded in
      guard guarded.encoding === encoding else { return nil }
      return (guarded.life.publication, guarded.life.target.isNews(target, layer: layer, of: guarded.life.publication?.id))
    }
    guard let found else { return nil }
    guard let publication = found.publication else { return .notConnected }
    let result = publication.send(frame, encoding.count == 1 ? nextNumber : encoding.nextNumber(of: layer), layer: layer)
    if found.isNewTarget { publication.transport.setTargetBitrate(publication.id, layer: layer, target) }
    return result
  }

  // MARK: With an encoder

  /// On the worker of one start. It takes nothing once the stream was stopped, though it may have been started again inside a callback of this very
  /// worker's.
  func encodePending(by encoding: LayerEncoding) -> Int64 {
    while let work = nextWork(of: encoding) {
      // There is room again before the frame is encoded, so that the next one is there when it is.
      if options.queuePolicy == .wait { guarded.notify() }
      encode(work, by: encoding)
    }
    return keepsPicture ? guarded.withLock { $0.timeOfDue } : .max
  }

  struct Work {
    var pending: Pending
    let format: VideoFormat?
    let plan: LayerEncoding.Plan
    /// 0: unlimited.
    let estimate: UInt64
    let frameRate: FrameRate
    let forceKeyFrame: Bool
    let hasTakers: Bool
    let callback: FrameCallback<EncodedFrame>?
    /// Its encoded frames are read here.
    let isTapped: Bool
    let publication: Publication?

    /// The program takes what is encoded, whoever receives it.
    var isTaken: Bool { callback != nil || isTapped }

    /// What need not be done to the pixels.
    var carriage: Carriage { publication.map { $0.transport.carriage(of: $0.id) } ?? Carriage() }

    /// How long what is encoded now would wait before it leaves.
    var backlog: Int64 { publication.map { $0.transport.backlog(of: $0.id) } ?? 0 }

    /// In bytes, of a screen's frame that is to leave in time; nil: any.
    var longestFrame: Int? {
      guard estimate > 0 else { return nil }
      let left = max(OutgoingVideo.longestLeaving / 4, OutgoingVideo.longestLeaving - backlog)
      return Int(Double(min(estimate, 10_000_000_000)) / 8e9 * Double(left))
    }
  }

  /// How long a frame of a screen may take to leave: it is looked at within three seconds, on a way that may be slower than was thought.
  fileprivate static let longestLeaving: Int64 = 2_000_000_000

  private func nextWork(of encoding: LayerEncoding) -> Work? {
    guarded.withLock { guarded in
      // Raw frames may still be on their way through the filters.
      guard guarded.encoding === encoding, !guarded.draining.isUnderWay else { return nil }
      let isTapped = tap.takesEncoded
      let hasTakers = guarded.life.receivers > 0 && guarded.negotiation.layers.isActive || guarded.life.encodedCallback != nil || isTapped
      guard let pending = guarded.pending.pop() ?? (keepsPicture ? guarded.takeDue(clock.now(), hasTakers: hasTakers) : nil) else {
        return nil
      }
      let format = guarded.senders.current?.format
      defer { if hasTakers { guarded.wantsKeyFrame = false } }
      let estimate = guarded.negotiation.estimate
      let hasBest = guarded.life.encodedCallback != nil || isTapped
      let plan = guarded.negotiation.plan(for: format, estimate: estimate, hasBest: hasBest)
      guarded.counters.targetBitrate = plan.total
      return Work(
        pending: pending, format: format, plan: plan, estimate: estimate,
        frameRate: guarded.slowerRate ?? format?.frameRate ?? FrameRate(30), forceKeyFrame: guarded.wantsKeyFrame, hasTakers: hasTakers,
        callback: guarded.life.encodedCallback, isTapped: isTapped, publication: guarded.life.publication)
    }
  }

  private func encode(_ next: Work, by encoding: LayerEncoding) {
    var work = next
    if !filters.isEmpty {
      guard work.hasTakers || isWatched else { return drop(work.pending, .noReceiver) }
      guard filter(&work.pending) else { return keepWish(work) }
    }
    guard case .raw(let frame) = work.pending.frame else { return }
    if !work.pending.isRepeat { show(frame) }
    guard let format = work.format, frame.fits(format) else {
      return drop(work.pending, .stopped)
    }
    guard work.hasTakers else { return drop(work.pending, .noReceiver) }
    // What waits for long comes too late, and so does all that is predicted from it; what was not encoded is missed by nothing.
    guard work.isTaken || work.backlog <= OutgoingVideo.longestBacklog else {
      keepWish(work)
      return drop(work.pending, .network)
    }
    let start = MediaTime.monotonic()
    do throws(MediaError) {
      var sum = LayerSum()
      try encoding.encode(frame, work.step(format, isScreen: isScreen), work.plan) { layer, encoded, target in
        // Of several the best is what is seen and kept here.
        if layer == encoding.count - 1 {
          work.callback?.call(encoded)
          tap.offer(encoded)
        }
        // It was made for who reads here.
        guard work.plan.isReceived(layer) else {
          sum.add(encoded, .noReceiver)
          return true
        }
        guard let result = handOver(encoded, of: encoding, layer: layer, target: target) else {
          sum.isOver = true
          return false
        }
        sum.add(encoded, result)
        return true
      }
      let duration = MediaTime.monotonic() - start
      guarded.withLock { guarded in
        guarded.counters.totalEncodeTime += UInt64(max(0, duration))
        guarded.counters.activeLayers = sum.count
      }
      guard !sum.isOver else { return drop(work.pending, .stopped) }
      guard let result = sum.result else { return drop(work.pending, .encoder) }
      let isTaken = result == .noReceiver && work.isTaken
      finish(
        work.pending, isTaken ? .sent : result, as: .encoded, bytes: sum.bytes, isKeyFrame: sum.isKeyFrame, isSharp: sum.isSharp)
      if sum.isMissed { guarded.withLock { $0.wantsKeyFrame = true } }
    } catch {
      guarded.withLock { $0.wantsKeyFrame = true }
      fail(work.pending, error)
      if !encoding.hasEncoder { fail(error) }
    }
  }

  private static let longestBacklog: Int64 = 300_000_000

  /// What became of one frame in all its layers.
  private struct LayerSum {
    /// nil: in none.
    private(set) var result: SendResult?
    private(set) var count: UInt32 = 0
    private(set) var bytes = 0
    /// Of the largest.
    private(set) var (isKeyFrame, isSharp) = (false, true)
    /// A layer misses it: its next frame is to be a key frame.
    private(set) var isMissed = false
    /// The stream was stopped meanwhile, or goes on with another codec.
    var isOver = false

    mutating func add(_ encoded: EncodedFrame, _ other: SendResult) {
      (count, bytes) = (count + 1, bytes + Int(encoded.native.pointee.size))
      (isKeyFrame, isSharp) = (encoded.isKeyFrame, encoded.native.pointee.flags & UInt32(MSDK_ENCODED_COARSE) == 0)
      if other == .queueFull || other == .notConnected { isMissed = true }
      if result != .sent { result = other }
    }
  }

  // MARK: Telling

  func settle(_ pending: Pending, _ report: FrameReport, isSharp: Bool) {
    let isDueAgain = guarded.withLock { guarded in
      if pending.isRepeat {
        guarded.counters.countRepeat(report)
      } else {
        guarded.counters.count(report)
        if report.outcome == .sent || report.outcome == .encoded { guarded.rate.count(at: pending.acceptedAt) }
      }
      guard keepsPicture else { return false }
      var outcome = report.repetition(isSharp: isSharp)
      // They may have come since it was seen that there are none.
      if case .unseen = outcome, guarded.life.receivers > 0 { outcome = .leftOut }
      guarded.screen.repetition.settle(pending.sequence, outcome, now: clock.now(), interval: guarded.slowerRate?.interval ?? 0)
      return guarded.screen.repetition.time != .max
    }
    if isDueAgain { pokeStanding() }
  }
}

extension OutgoingVideo.Guarded {
  /// A frame that nobody else will write to, with a reference for the stream: the caller's own, if this is its first sending, or another of the
  /// same memory; nil when it is to be copied.
  fileprivate mutating func own(_ frame: VideoFrame, withMetadata: Bool, _ now: Int64) throws(MediaError) -> VideoFrame? {
    if encoding == nil, frame.isForeign { return foreign.lend(frame, now: now) }
    guard frame.native.pointee.sequence == 0, frame.references <= 2, withMetadata || frame.metadata.isEmpty else { return try frame.view() }
    frame.retain()
    return frame
  }

  /// 0: captured now.
  fileprivate mutating func captureTime(_ given: CaptureTimes.Given, _ now: Int64) -> Int64 {
    guard given.time != 0 else { return times.take(now >= times.last ? now : times.last &+ 1) }
    return times.take(given, live: now, next: now, earliest: times.last, on: life.publication?.session.captureLine)
  }
}

extension FrameReport {
  fileprivate func repetition(isSharp: Bool) -> ScreenRepetition.Outcome {
    switch (outcome, reason) {
    case (.sent, _), (.encoded, _): .shown(isSharp: isSharp)
    case (.dropped, .encoder), (.dropped, .queue), (.dropped, .network): .leftOut
    case (.dropped, .notConnected), (.failed, _): .refused
    case (.dropped, _), (.replaced, _): .unseen
    }
  }
}

extension Int {
  var level32: Int32 { Int32(truncatingIfNeeded: self) }
}
