import CMediaSDK
import MediaCodecs
import MediaCore
import MediaRuntime
import MediaTransport

/// The path of a frame from the transport or the mixer to those who take it.
extension IncomingAudio {
  /// On the thread that brings it; borrowed.
  public func receive(_ arrived: AudioFrame, _ id: FrameID) { receive(.raw(arrived), id) }
  /// The same for a packet.
  public func receive(_ arrived: EncodedFrame, _ id: FrameID) { receive(.encoded(arrived), id) }

  private func receive(_ arrived: StreamFrame<AudioFrame>, _ picture: FrameID) {
    guard let lent = arrived.lent(to: share) else {
      return guarded.withLock { guarded in
        guarded.counters.countArrival(arrived, picture, after: guarded.latest)
        guarded.counters.dropped += 1
        guarded.latest = picture
      }
    }
    defer { lent.release() }
    let hasRenderers = !renderers.isEmpty
    enum Way {
      case none
      case here
      case worker
    }
    var isAfterGap = false
    let (way, packet): (Way, EncodedFrame?) = guarded.withLock { guarded in
      guard guarded.subscription.isOn else { return (.none, nil) }
      guarded.counters.countArrival(lent, picture, after: guarded.latest)
      isAfterGap = guarded.latest != 0 && picture > guarded.latest + 1
      guarded.latest = picture
      let isStarted = guarded.life.state == .started
      let (options, callback) = (guarded.delivery.options, guarded.delivery.callback)
      if case .encoded(let packet) = lent {
        let isTaken = isStarted && (options.output != .encoded || callback != nil || hasRenderers) || guarded.part != nil
        return (isTaken ? .worker : .none, isStarted && options.output != .raw ? packet : nil)
      }
      let needsWorker = isStarted && (hasRenderers || guarded.delivery.callback != nil && guarded.delivery.options.delivery == .queued)
      guard !needsWorker, !guarded.handing.isUnderWay, guarded.inbound.isEmpty else { return (.worker, nil) }
      guarded.handing.begin()
      return (.here, nil)
    }
    if let packet { offer(packet, isOnlyUse: !hasRenderers) }
    let arrival = Arrival(frame: lent, picture: picture, isAfterGap: isAfterGap)
    switch way {
    case .none: break
    case .here:
      handle(arrival)
      endTurn()
    case .worker: enqueue(arrival)
    }
  }

  /// From the transport: the next frame came, and there was no memory for it. Counted as received and as dropped.
  public func droppedOnArrival() {
    guarded.withLock { guarded in
      guard guarded.subscription.isOn else { return }
      guarded.counters.received += 1
      guarded.counters.dropped += 1
      if guarded.latest != 0 { guarded.latest += 1 }
    }
  }

  /// On the mix's worker; borrowed.
  func receive(_ frame: AudioFrame, from mixer: AudioMixer) {
    let isItsTurn = guarded.withLock { guarded in
      guard guarded.mixer === mixer else { return false }
      // A callback stopped the mix and started it again, and has not returned.
      guard !guarded.handing.isUnderWay else {
        guarded.counters.dropped += 1
        return false
      }
      guarded.handing.begin()
      return true
    }
    guard isItsTurn else { return }
    take(frame, isOwned: true)
    endTurn()
  }

  private func enqueue(_ arrival: Arrival) {
    arrival.frame.retain()
    let (displaced, worker): (Arrival?, (any Worker)?) = guarded.withLock { guarded in
      guard guarded.subscription.isOn else { return (arrival, nil) }
      let displaced = guarded.inbound.push(arrival)
      if displaced != nil { guarded.counters.dropped += 1 }
      return (displaced, guarded.worker)
    }
    displaced?.frame.release()
    worker?.poke()
  }

  /// On the stream's worker.
  func process() -> Int64 {
    while true {
      let (arrival, isEnd): (Arrival?, Bool) = guarded.withLock { guarded in
        guard !guarded.handing.isUnderWay else { return (nil, false) }
        let arrival = guarded.inbound.pop()
        let isEnd = arrival == nil && guarded.life.hasEnded && !guarded.hasFinished
        if isEnd { guarded.hasFinished = true }
        if arrival != nil || isEnd { guarded.handing.begin() }
        return (arrival, isEnd)
      }
      guard let arrival else {
        if isEnd {
          finish()
          endTurn()
        }
        return .max
      }
      handle(arrival)
      arrival.frame.release()
      endTurn()
    }
  }

  private func endTurn() {
    let (isAwaited, worker): (Bool, (any Worker)?) = guarded.withLock { guarded in
      (guarded.handing.end(), guarded.inbound.isEmpty && (!guarded.life.hasEnded || guarded.hasFinished) ? nil : guarded.worker)
    }
    if isAwaited { guarded.notify() }
    worker?.poke()
  }

  /// The last frame was delivered: the thread is not needed any more.
  private func finish() {
    let (callback, shaper): (FrameCallback<AudioFrame>?, AudioShaper) = guarded.withLock { ($0.delivery.callback, $0.shaper) }
    shaper.flush { piece in deliver(piece, callback, isOnlyUse: true) }
    guarded.withLock { $0.part }?.end()
    output.end()
    session.engine.loop.post {
      let worker = self.guarded.withLock { guarded in
        defer { guarded.worker = nil }
        return guarded.worker
      }
      worker?.stop()
    }
  }

  // MARK: In turn

  private func handle(_ arrival: Arrival) {
    switch arrival.frame {
    case .raw(let frame):
      let shaper = guarded.withLock { guarded in
        guarded.counters.samples += UInt64(frame.sampleCount)
        return guarded.shaper
      }
      guard arrival.isAfterGap, let copy = shaper.copy(frame) else { return take(frame) }
      copy.native.pointee.flags |= UInt32(MSDK_FRAME_DISCONTINUITY)
      take(copy, isOwned: true)
      copy.release()
    case .encoded(let packet): decode(packet, arrival.picture)
    }
  }

  private func decode(_ packet: EncodedFrame, _ picture: FrameID) {
    let state = self.state
    // What was on its way when the stream ended is still rendered; what comes for the mix alone is not.
    let isRendered = renderers.takesEncoded && (state == .started || state == .notAvailable) && renderers.render(packet)
    if isRendered { countRendered() }
    let (isTaken, isFirst) = guarded.withLock { guarded in
      let isTaken =
        guarded.part != nil || guarded.delivery.callback != nil || guarded.delivery.options.output != .encoded || renderers.takesRaw
      defer { if isTaken { guarded.decodesAnew = false } }
      return (isTaken, guarded.decodesAnew)
    }
    guard isTaken, let decoding = remote?.decoding else { return }
    if isFirst { decoding.reset() }
    var (start, spent) = (MediaTime.monotonic(), Int64(0))
    do throws(MediaError) {
      let result = try decoding.decode(packet, picture) {
        // Filters, renderers and the program are not the decoder.
        spent += MediaTime.monotonic() - start
        take($0, isOwned: true, isRendered: isRendered)
        start = MediaTime.monotonic()
      }
      let duration = UInt64(max(0, spent + MediaTime.monotonic() - start))
      guarded.withLock { guarded in
        guarded.counters.recovered += result.recovered
        guarded.counters.concealed += result.concealed
        guarded.counters.samples += result.samples
        guarded.counters.totalDecodeTime += duration
      }
    } catch {
      guarded.withLock { guarded in
        if error.status == .noMemory { guarded.counters.dropped += 1 } else { guarded.counters.corrupt += 1 }
      }
      session.engine.logger.log(MSDK_LOG_WARN.level32, .audio, "packet \(packet.native.pointee.sequence) of \(userID): \(error.text)")
    }
  }

  /// Sound that is to be heard; borrowed, and written to by nobody but the filters if it is the stream's own.
  func take(_ frame: AudioFrame, isOwned: Bool = false, isRendered: Bool = false) {
    guard !filters.isEmpty else { return hear(frame, isRendered: isRendered) }
    guard let filtered = filter(frame, isOwned: isOwned) else { return }
    hear(filtered, isRendered: isRendered)
    filtered.release()
  }

  /// What was rendered undecoded is not counted again.
  private func hear(_ frame: AudioFrame, isRendered: Bool) {
    struct Plan {
      var part: MixerSource?
      var options: IncomingAudioOptions?
      var callback: FrameCallback<AudioFrame>?
      var shaper: AudioShaper
      var gain: Float
    }
    let plan = guarded.withLock { guarded in
      // What was on its way when the stream ended is still delivered.
      let isTaken = guarded.life.state == .started || guarded.life.hasEnded && guarded.subscription.isOn
      return Plan(
        part: guarded.part, options: isTaken ? guarded.delivery.options : nil, callback: guarded.delivery.callback,
        shaper: guarded.shaper, gain: Float(guarded.gain))
    }
    let scaled = plan.shaper.scale(frame, by: plan.gain)
    defer { scaled.release() }
    let level = scaled.native.pointee.level
    guarded.withLock { guarded in
      guarded.counters.level = level
      guarded.loudest = min(guarded.loudest, level)
    }
    plan.part?.push(scaled, now: clock.now())
    guard let options = plan.options else { return }
    if options.output != .encoded || plan.callback != nil {
      let isOnlyUse = !renderers.takesRaw && !isRendered
      plan.shaper.shape(scaled, options) { piece in
        deliver(piece, plan.callback, isOnlyUse: isOnlyUse)
      } failed: {
        countDropped()
      }
    }
    if renderers.takesRaw, renderers.render(scaled), !isRendered { countRendered() }
  }

  private func deliver(_ frame: AudioFrame, _ callback: FrameCallback<AudioFrame>?, isOnlyUse: Bool) {
    if let callback {
      if callback.call(frame) { output.countDelivered() }
    } else {
      frame.retain()
      offer(frame, isOnlyUse: isOnlyUse)
    }
  }
}
