import CMediaSDK
import MediaCodecs
import MediaCore
import MediaRuntime
import MediaTransport

/// The way of a unit from the transport to those who take it.
extension IncomingVideo {
  /// On the thread that brings it; borrowed.
  public func receive(_ arrived: VideoFrame, _ id: FrameID) { receive(.raw(arrived), id) }
  public func receive(_ arrived: EncodedFrame, _ id: FrameID) { receive(.encoded(arrived), id) }

  private func receive(_ arrived: StreamFrame<VideoFrame>, _ picture: FrameID) {
    let now = clock.now()
    let hasRenderers = !renderers.isEmpty
    struct Plan {
      var options: IncomingVideoOptions
      var callback: FrameCallback<VideoFrame>?
      var gate: CallbackGate
    }
    let plan: Plan? = guarded.withLock { guarded in
      guard guarded.state == .started else { return nil }
      guarded.counters.countArrival(arrived, picture, after: guarded.latest)
      guarded.rate.count(at: now)
      guarded.latest = picture
      return Plan(options: guarded.options, callback: guarded.callback, gate: guarded.deliveryGate)
    }
    guard let plan else { return }
    guard let lent = arrived.lent(to: share) else {
      return guarded.withLock { $0.counters.dropped += 1 }
    }
    defer { lent.release() }
    switch lent {
    case .encoded(let frame):
      if plan.options.output != .raw { offer(frame) }
      if plan.options.output != .encoded || plan.callback != nil || hasRenderers || !taps.isEmpty {
        enqueue(Arrival(frame: lent, picture: picture))
      }
    case .raw(let frame) where !filters.isEmpty:
      let isDirect = plan.options.delivery == .direct
      guard isDirect, let callback = plan.callback else {
        return enqueue(Arrival(frame: lent, picture: picture, awaitsFilters: true))
      }
      guard let filtered = filter(frame, isOwned: false) else { return }
      taps.offer(filtered)
      call(callback, with: filtered, plan.options, plan.gate)
      if hasRenderers { enqueue(Arrival(frame: .raw(filtered), picture: picture)) }
      filtered.release()
    case .raw(let frame):
      let isTapped = taps.offer(frame)
      if plan.options.delivery == .direct, let callback = plan.callback {
        call(callback, with: frame, plan.options, plan.gate)
        if hasRenderers { enqueue(Arrival(frame: lent, picture: picture)) }
      } else if plan.callback != nil || hasRenderers {
        enqueue(Arrival(frame: lent, picture: picture))
      } else {
        offer(frame, isOnlyUse: !isTapped)
      }
    }
  }

  public func waited(leavingOut pictures: UInt64, requests: UInt64) {
    guarded.withLock { guarded in
      if guarded.state == .started { guarded.counters.countWait(leavingOut: pictures, requests: requests) }
    }
  }

  public func droppedOnArrival() {
    guarded.withLock { guarded in
      guard guarded.state == .started else { return }
      guarded.counters.received += 1
      guarded.counters.dropped += 1
      if guarded.latest != 0 { guarded.latest += 1 }
    }
  }

  private func enqueue(_ arrival: Arrival) {
    arrival.frame.retain()
    // Encoded units depend on each other, raw ones do not: of these only the newest few wait.
    let (displaced, worker): ([Arrival], (any Worker)?) = guarded.withLock { guarded in
      guard guarded.state == .started else { return ([arrival], nil) }
      var displaced: [Arrival] = []
      if description.codec == FourCC.raw {
        let capacity = guarded.options.rawCapacity
        while guarded.inbound.count >= capacity, let oldest = guarded.inbound.pop() { displaced.append(oldest) }
      }
      if let oldest = guarded.inbound.push(arrival) { displaced.append(oldest) }
      guarded.counters.dropped += UInt64(displaced.count)
      return (displaced, guarded.worker)
    }
    for arrival in displaced { arrival.frame.release() }
    worker?.poke()
  }

  // MARK: On the stream's worker

  func process(_ start: UInt64, _ decoding: DecodingStage?) -> Int64 {
    while true {
      let (arrival, hasEnded): (Arrival?, Bool) = guarded.withLock { guarded in
        guarded.starts == start ? (guarded.inbound.pop(), guarded.hasEnded) : (nil, false)
      }
      guard let arrival else {
        if hasEnded { finish() }
        return .max
      }
      switch arrival.frame {
      case .raw(let frame) where arrival.awaitsFilters: deliverFiltered(frame)
      case .raw(let frame): deliver(frame)
      case .encoded(let frame): decode(frame, arrival.picture, by: decoding)
      }
      arrival.frame.release()
    }
  }

  /// The last unit was delivered: the thread is not needed any more.
  private func finish() {
    output.end()
    session.engine.loop.post {
      let worker = self.guarded.withLock { guarded in
        defer { guarded.worker = nil }
        return guarded.worker
      }
      worker?.stop()
    }
  }

  private func decode(_ frame: EncodedFrame, _ picture: FrameID, by decoding: DecodingStage?) {
    guard let decoding else { return }
    let now = clock.now()
    let verdict = decoding.judge(frame, picture, now: now)
    guarded.withLock { $0.counters.count(verdict) }
    if verdict.asksForKeyFrame { requestKeyFrame() }
    guard verdict.isUsable else { return }
    let isRendered = renderers.takesEncoded && renderers.render(frame)
    if isRendered { guarded.withLock { $0.counters.rendered += 1 } }
    let (options, callback): (IncomingVideoOptions, FrameCallback<VideoFrame>?) = guarded.withLock { ($0.options, $0.callback) }
    guard options.output != .encoded || callback != nil || renderers.takesRaw || !taps.isEmpty else { return }
    let start = MediaTime.monotonic()
    do throws(MediaError) {
      let picture = try decoding.decode(frame, options, isAfterGap: verdict.isAfterGap)
      let duration = MediaTime.monotonic() - start
      guarded.withLock { guarded in
        guarded.counters.decoded += 1
        guarded.counters.keyDecoded += frame.isKeyFrame ? 1 : 0
        guarded.counters.totalDecodeTime += UInt64(max(0, duration))
      }
      guard let picture else { return }
      if filters.isEmpty { deliver(picture, isRendered: isRendered) } else { deliverFiltered(picture, isRendered: isRendered) }
      picture.release()
    } catch {
      if error.status == .noMemory {
        // The program holds all frames: this one is lost to it, but the decoder goes on.
        guarded.withLock { $0.counters.dropped += 1 }
      } else {
        guarded.withLock { $0.counters.corrupt += 1 }
        session.engine.logger.log(MSDK_LOG_WARN.level32, .video, "frame \(frame.native.pointee.sequence) of \(userID): \(error.text)")
        if decoding.fail(error, now: now) { requestKeyFrame() }
      }
    }
  }

  /// One that was rendered undecoded is not counted again. `isNew`: nobody was offered it yet.
  func deliver(_ frame: VideoFrame, isRendered: Bool = false, isNew: Bool = false) {
    let (options, callback, gate): (IncomingVideoOptions, FrameCallback<VideoFrame>?, CallbackGate) = guarded.withLock {
      ($0.options, $0.callback, $0.deliveryGate)
    }
    let isRaw = description.codec == FourCC.raw && !isNew
    // A raw one was offered to those where it came from.
    let isTapped = isRaw ? !taps.isEmpty : taps.offer(frame)
    if let callback {
      // A raw frame of direct delivery was handed over where it came from.
      if !(isRaw && options.delivery == .direct) { call(callback, with: frame, options, gate) }
    } else if options.output != .encoded {
      offer(frame, isOnlyUse: !renderers.takesRaw && !isTapped)
    }
    guard renderers.takesRaw else { return }
    do throws(MediaError) {
      let shaped = try shaper.shape(frame, options)
      defer { shaped.release() }
      if renderers.render(shaped), !isRendered { guarded.withLock { $0.counters.rendered += 1 } }
    } catch {
      guarded.withLock { $0.counters.dropped += 1 }
    }
  }

  private func call(_ callback: FrameCallback<VideoFrame>, with frame: VideoFrame, _ options: IncomingVideoOptions, _ gate: CallbackGate) {
    do throws(MediaError) {
      let shaped = try shaper.shape(frame, options)
      defer { shaped.release() }
      gate.run { callback.call(shaped) }
      guarded.withLock { $0.counters.delivered += 1 }
    } catch {
      guarded.withLock { $0.counters.dropped += 1 }
    }
  }

  /// A picture that is rendered as well is not lost to the program when nobody reads it.
  private func offer(_ frame: VideoFrame, isOnlyUse: Bool = true) {
    frame.retain()
    if let displaced = output.raw.put(frame) {
      displaced.release()
      if isOnlyUse { guarded.withLock { $0.counters.dropped += 1 } }
    }
  }

  private func offer(_ frame: EncodedFrame) {
    frame.retain()
    if let displaced = output.encoded.put(frame) {
      displaced.release()
      guarded.withLock { $0.counters.dropped += 1 }
    }
  }
}
