import CMediaSDK
import MediaCodecs
import MediaCore
import MediaPlugins
import MediaRuntime
import MediaTransport

/// The path of a frame from the transport to those who take it.
extension IncomingVideo {
  /// What becomes of a raw frame, decided under the lock that counts it.
  private enum Step {
    case dropped
    /// The program reads it.
    case read
    /// The callback is called here.
    case direct(FrameCallback<VideoFrame>, IncomingVideoOptions)
    /// It waits for the stream's worker, in place of others.
    case queued(Displaced)
  }

  /// What has no place in the queue, and whose worker looks at it next.
  private struct Displaced {
    var arrivals: [Arrival] = []
    var worker: (any Worker)?
  }

  /// On the thread that brings it; borrowed.
  public func receive(_ arrived: VideoFrame, _ id: FrameID) {
    let now = clock.now()
    let (hasRenderers, isFiltered, isTapped) = (!renderers.isEmpty, !filters.isEmpty, !taps.isEmpty)
    guard let frame = arrived.lent(to: share) else { return countRefused(.raw(arrived), id, now) }
    // The queue takes a reference of its own where the frame is looked at here as well.
    if isTapped, !isFiltered { frame.retain() }
    let step: Step = guarded.withLock { guarded in
      guard guarded.countArrival(.raw(arrived), id, now) else { return .dropped }
      let delivery = guarded.delivery
      if delivery.options.delivery == .direct, let callback = delivery.callback { return .direct(callback, delivery.options) }
      guard isFiltered || hasRenderers || delivery.callback != nil else { return .read }
      let arrival = Arrival(frame: .raw(frame), picture: id, awaitsFilters: isFiltered)
      return .queued(Displaced(arrivals: guarded.queue(arrival, isRaw: true), worker: guarded.worker))
    }
    if isTapped, !isFiltered {
      if case .dropped = step {} else { taps.offer(frame) }
      frame.release()
    }
    switch step {
    case .dropped: frame.release()
    case .read: offer(frame, isOnlyUse: !isTapped)
    case .queued(let displaced): end(displaced)
    case .direct(let callback, let options):
      defer { frame.release() }
      guard isFiltered else {
        call(callback, with: frame, options)
        if hasRenderers { enqueue(Arrival(frame: .raw(frame), picture: id)) }
        return
      }
      guard let filtered = filter(frame, isOwned: false) else { return }
      defer { filtered.release() }
      taps.offer(filtered)
      call(callback, with: filtered, options)
      if hasRenderers { enqueue(Arrival(frame: .raw(filtered), picture: id)) }
    }
  }

  /// The same for an encoded frame.
  public func receive(_ arrived: EncodedFrame, _ id: FrameID) {
    let now = clock.now()
    guard let frame = arrived.lent(to: share) else { return countRefused(.encoded(arrived), id, now) }
    defer { frame.release() }
    let found: (delivery: Guarded.Current, isUsable: Bool, asks: Bool)? = guarded.withLock { guarded in
      guard guarded.countArrival(.encoded(arrived), id, now) else { return nil }
      let (isUsable, asks) = guarded.firstKeyFrame.take(isKeyFrame: frame.isKeyFrame, now: now)
      return (guarded.delivery, isUsable, asks)
    }
    guard let (delivery, isUsable, asks) = found else { return }
    if delivery.options.output != .raw, isUsable { offer(frame, isOnlyUse: renderers.isEmpty) }
    if delivery.options.output != .encoded || delivery.callback != nil || !renderers.isEmpty || !taps.isEmpty {
      // What cannot be decoded is counted, and a key frame requested, where it is found.
      enqueue(Arrival(frame: .encoded(frame), picture: id))
    } else if !isUsable {
      guarded.withLock { $0.counters.skipped += 1 }
      if asks { requestKeyFrame() }
    }
  }

  /// The program, or a renderer, holds all that it may.
  private func countRefused(_ arrived: StreamFrame<VideoFrame>, _ id: FrameID, _ now: Int64) {
    guarded.withLock { guarded in
      if guarded.countArrival(arrived, id, now) { guarded.counters.dropped += 1 }
    }
  }

  /// From the transport: before the key frame that was just handed over it dropped so many whole frames, and requested so many key frames.
  public func waited(leavingOut pictures: UInt64, requests: UInt64) {
    guarded.withLock { guarded in
      if guarded.life.state == .started { guarded.counters.countWait(leavingOut: pictures, requests: requests) }
    }
  }

  /// From the transport: the next frame came, and there was no memory for it. Counted as received and as dropped.
  public func droppedOnArrival() {
    guarded.withLock { guarded in
      guard guarded.life.state == .started else { return }
      guarded.counters.received += 1
      guarded.counters.dropped += 1
      if guarded.latest != 0 { guarded.latest += 1 }
    }
  }

  private func enqueue(_ arrival: Arrival) {
    arrival.frame.retain()
    end(
      guarded.withLock { guarded in
        guard guarded.life.state == .started else { return Displaced(arrivals: [arrival]) }
        return Displaced(arrivals: guarded.queue(arrival, isRaw: description.codec == FourCC.raw), worker: guarded.worker)
      })
  }

  private func end(_ displaced: Displaced) {
    displaced.worker?.poke()
    for arrival in displaced.arrivals { arrival.frame.release() }
  }

  // MARK: On the stream's worker

  func process(_ start: UInt64, _ decoding: DecodingStage?) -> Int64 {
    while true {
      let (arrival, delivery, hasEnded): (Arrival?, Guarded.Current, Bool) = guarded.withLock { guarded in
        guarded.starts == start ? (guarded.inbound.pop(), guarded.delivery, guarded.life.hasEnded) : (nil, guarded.delivery, false)
      }
      guard let arrival else {
        if hasEnded { finish() }
        return .max
      }
      switch arrival.frame {
      case .raw(let frame) where arrival.awaitsFilters: deliverFiltered(frame)
      case .raw(let frame): deliver(frame, delivery)
      case .encoded(let frame): decode(frame, arrival.picture, by: decoding)
      }
      arrival.frame.release()
    }
  }

  /// The last frame was delivered: the thread is not needed any more.
  private func finish() {
    end()
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
    if isRendered { countRendered() }
    let delivery = currentDelivery
    guard delivery.options.output != .encoded || delivery.callback != nil || renderers.takesRaw || !taps.isEmpty else { return }
    let start = MediaTime.monotonic()
    do throws(MediaError) {
      let picture = try decoding.decode(frame, delivery.options, isAfterGap: verdict.isAfterGap)
      let duration = MediaTime.monotonic() - start
      guarded.withLock { guarded in
        guarded.counters.decoded += 1
        guarded.counters.keyDecoded += frame.isKeyFrame ? 1 : 0
        guarded.counters.totalDecodeTime += UInt64(max(0, duration))
      }
      guard let picture else { return }
      if filters.isEmpty {
        deliver(picture, currentDelivery, isRendered: isRendered)
      } else {
        deliverFiltered(picture, isRendered: isRendered)
      }
      picture.release()
    } catch {
      if error.status == .noMemory {
        // The program holds all frames: this one is lost to it, but the decoder goes on.
        countDropped()
      } else {
        guarded.withLock { $0.counters.corrupt += 1 }
        session.engine.logger.log(MSDK_LOG_WARN.level32, .video, "frame \(frame.native.pointee.sequence) of \(userID): \(error.text)")
        if decoding.fail(error, now: now) { requestKeyFrame() }
      }
    }
  }

  /// One that was rendered undecoded is not counted again. `isNew`: nobody was offered it yet.
  func deliver(_ frame: VideoFrame, _ delivery: Guarded.Current, isRendered: Bool = false, isNew: Bool = false) {
    let options = delivery.options
    let isRaw = description.codec == FourCC.raw && !isNew
    // A raw one was offered to those where it came from.
    let isTapped = isRaw ? !taps.isEmpty : taps.offer(frame)
    if let callback = delivery.callback {
      // A raw frame of direct delivery was handed over where it came from.
      if !(isRaw && options.delivery == .direct) { call(callback, with: frame, options) }
    } else if options.output != .encoded {
      frame.retain()
      offer(frame, isOnlyUse: !renderers.takesRaw && !isTapped && !isRendered)
    }
    guard renderers.takesRaw else { return }
    do throws(MediaError) {
      let shaped = try shaper.shape(frame, options)
      defer { shaped.release() }
      if renderers.render(shaped), !isRendered { countRendered() }
    } catch {
      countDropped()
    }
  }

  var currentDelivery: Guarded.Current { guarded.withLock { $0.delivery } }

  @inline(__always)
  private func call(_ callback: FrameCallback<VideoFrame>, with frame: VideoFrame, _ options: IncomingVideoOptions) {
    guard options.changesFrames else {
      callback.call(frame)
      return output.countDelivered()
    }
    do throws(MediaError) {
      let shaped = try shaper.shape(frame, options)
      defer { shaped.release() }
      callback.call(shaped)
      output.countDelivered()
    } catch {
      countDropped()
    }
  }

}

/// The filters that a picture passes before anybody sees it.
extension IncomingVideo {
  /// Appends a filter, in any state of the stream. Throws `.full` when there are 8 filters, `.state` if the instance is attached already,
  /// and `.unsupported` if its class is not a video filter.
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    try append(filter, to: filters, what: "an incoming stream")
  }

  /// When it returns, no picture is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
  }

  /// With a reference for the caller; nil for one that was left out.
  func filter(_ frame: VideoFrame, isOwned: Bool) -> VideoFrame? {
    count(filters.run(frame, isOwned: isOwned))
  }

  /// On the stream's worker: a frame that is the stream's own.
  func deliverFiltered(_ frame: VideoFrame, isRendered: Bool = false) {
    guard let filtered = filter(frame, isOwned: true) else { return }
    deliver(filtered, currentDelivery, isRendered: isRendered, isNew: true)
    filtered.release()
  }
}

extension IncomingVideo.Guarded {
  typealias Current = Delivery<IncomingVideoOptions, VideoFrame>

  /// Of a frame that came; false when the stream is not started.
  fileprivate mutating func countArrival(_ arrived: StreamFrame<VideoFrame>, _ picture: FrameID, _ now: Int64) -> Bool {
    guard life.state == .started else { return false }
    counters.countArrival(arrived, picture, after: latest)
    rate.count(at: now)
    latest = picture
    return true
  }

  /// Takes a reference; returns what has no place. Encoded frames depend on each other, raw ones do not: of these only the newest few wait.
  fileprivate mutating func queue(_ arrival: IncomingVideo.Arrival, isRaw: Bool) -> [IncomingVideo.Arrival] {
    var displaced: [IncomingVideo.Arrival] = []
    if isRaw {
      while inbound.count >= delivery.options.rawCapacity, let oldest = inbound.pop() { displaced.append(oldest) }
    }
    if let oldest = inbound.push(arrival) { displaced.append(oldest) }
    counters.dropped += UInt64(displaced.count)
    return displaced
  }
}
