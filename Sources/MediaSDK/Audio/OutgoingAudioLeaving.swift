import CMediaSDK
import MediaCodecs
import MediaCore
import MediaRuntime
import MediaTransport

/// The way of a buffer out of the queue, when its time has come, to the transport.
extension OutgoingAudio {
  /// What holds for a buffer when its turn comes.
  struct Situation {
    let publication: Publication?
    let isMuted: Bool
    let gain: Float
    let hasTakers: Bool
    let encoding: AudioEncodingStage?
    let settings: AudioEncoderSettings
    let callback: FrameCallback<EncodedFrame>?
    /// The program takes packets, whoever receives them.
    let isTaken: Bool
  }

  /// On the sender's thread: this one, and those that other threads, or callbacks, send meanwhile and that are due.
  func drain(_ first: Pending) {
    var next: Pending? = first
    while let pending = next {
      process(pending)
      next = guarded.withLock { $0.takeDue(clock.now(), rate: clockRate) }
    }
    endDrain()
  }

  /// On the stream's worker.
  func drainDue() -> Int64 {
    let isMine = guarded.withLock { guarded in
      guard !guarded.draining.isUnderWay else { return false }
      guarded.draining.begin()
      return true
    }
    // Whoever drains looks again when he is done.
    guard isMine else { return .max }
    while let pending = guarded.withLock({ $0.takeDue(clock.now(), rate: clockRate) }) { process(pending) }
    let flushTime = flushEncoder()
    return min(flushTime, endDrain(isWorker: true))
  }

  /// When nothing has followed for longer than a packet, what the encoder holds goes; when that will be.
  private func flushEncoder() -> Int64 {
    let (situation, time, isLast): (Situation, Int64?, Bool) = guarded.withLock {
      ($0.situation(isTapped: tap.takesEncoded), $0.flushTime, $0.pending.isEmpty)
    }
    guard let time, let encoding = situation.encoding, isLast else { return .max }
    guard time <= clock.now() else { return time }
    guarded.withLock { $0.flushTime = nil }
    encode(situation) { body throws(MediaError) in try encoding.flush(body) }
    dropAwaiting(.stopped)
    return .max
  }

  @discardableResult
  func endDrain(isWorker: Bool = false) -> Int64 {
    let (due, isAwaited, worker): (Int64, Bool, (any Worker)?) = guarded.withLock { guarded in
      let isAwaited = guarded.draining.end()
      let due = guarded.pending.isEmpty ? .max : max(guarded.pacer.due, guarded.hold?.end ?? .min)
      return (due, isAwaited, guarded.life.worker)
    }
    if isAwaited { guarded.notify() }
    if due != .max, !isWorker { worker?.poke() }
    return due
  }

  func process(_ next: Pending) {
    var pending = next
    let situation = guarded.withLock { $0.situation(isTapped: tap.takesEncoded) }
    // Before anybody is told of it: whoever waits for its end then knows when that is.
    beginPlaying(pending)
    guard filters.isEmpty || passFilters(&pending, situation) else { return }
    switch pending.frame {
    case .raw(let frame): process(frame, pending, situation)
    case .encoded(let packet):
      listen(packet.native.pointee.level, pending.duration, situation)
      if situation.isMuted {
        drop(pending, .muted)
      } else {
        finish(pending, handOver(pending.frame, situation.publication), as: .sent, bytes: Int(packet.native.pointee.size))
      }
    }
  }

  func process(_ frame: AudioFrame, _ pending: Pending, _ situation: Situation) {
    guard applyGain(to: frame, situation) else {
      situation.encoding?.reset()
      dropAwaiting(.muted)
      listen(AudioFrame.silentLevel, pending.duration, situation)
      return drop(pending, .muted)
    }
    let level = frame.computedLevel
    frame.native.pointee.level = level
    listen(level, pending.duration, situation)
    tap.offer { share in frame.lent(to: share) }
    guard let encoding = situation.encoding else {
      return finish(pending, handOver(pending.frame, situation.publication), as: .sent, bytes: frame.bytes.count)
    }
    guard situation.hasTakers else {
      encoding.reset()
      dropAwaiting(.noReceiver)
      return drop(pending, .noReceiver)
    }
    encode(frame, pending, encoding, situation)
  }

  /// From the gain of the buffer before to the one that is wanted now, without a step; false for a muted stream that has faded out.
  func applyGain(to frame: AudioFrame, _ situation: Situation) -> Bool {
    let target: Float = situation.isMuted ? 0 : situation.gain
    let start = currentGain.withLock { current in
      defer { current = target }
      return current
    }
    if situation.isMuted, start == 0 { return false }
    frame.ramp(from: start, to: target)
    return true
  }

  func encode(_ frame: AudioFrame, _ pending: Pending, _ encoding: AudioEncodingStage, _ situation: Situation) {
    if let displaced = awaiting.withLock({ $0.push(pending) }) { drop(displaced, .encoder) }
    encode(situation) { body throws(MediaError) in
      try encoding.apply(situation.settings)
      try encoding.encode(frame, body)
    }
    // What was sent ahead of its time ends here, as nothing follows it in the queue.
    let now = clock.now()
    let isAhead = pending.timestamp + pending.duration - pending.acceptedAt >= OutgoingAudio.ahead
    guarded.withLock { $0.flushTime = isAhead ? now : now + pending.duration + OutgoingAudio.pause }
  }

  /// A live source may be so late without having paused. The silence that ends its sound would otherwise stand in the middle of it, where
  /// what comes late belongs.
  private static let pause: Int64 = 180_000_000
  /// Of a live source without capture times, which hands over several buffers at once, the last ones are early by less.
  private static let ahead: Int64 = 100_000_000

  /// Hands over what `run` makes, and tells of the buffers whose sound has all left with it.
  private func encode(
    _ situation: Situation,
    _ run: ((AudioEncodingStage.Packet) throws(MediaError) -> Void) throws(MediaError) -> Void
  ) {
    guard let encoding = situation.encoding else { return }
    var (start, spent) = (MediaTime.monotonic(), Int64(0))
    do throws(MediaError) {
      try run { packet throws(MediaError) in
        // What is done with a packet is not the encoder's.
        spent += MediaTime.monotonic() - start
        defer { start = MediaTime.monotonic() }
        var result: SendResult?
        if let encoded = packet.frame {
          situation.callback?.call(encoded)
          tap.offer(encoded)
          let sent = handOver(.encoded(encoded), situation.publication)
          result = sent == .noReceiver && situation.isTaken ? .sent : sent
          encoding.untold += encoded.native.pointee.size
        }
        while let settled = takeAwaiting(until: packet.end + 1_000_000 + filterDelay.load(ordering: .relaxed)) {
          guard let result else {
            drop(settled, .encoder)
            continue
          }
          finish(settled, result, as: .encoded, bytes: Int(clamping: encoding.untold))
          encoding.untold = 0
        }
      }
    } catch {
      while let pending = takeAwaiting() { fail(pending, error) }
    }
    spent += MediaTime.monotonic() - start
    guarded.withLock { $0.counters.totalEncodeTime += UInt64(max(0, spent)) }
  }

  func handOver(_ frame: StreamFrame<AudioFrame>, _ publication: Publication?) -> SendResult {
    guard let publication else { return .notConnected }
    let (picture, target): (FrameID, UInt64?) = guarded.withLock { guarded in
      guarded.picture += 1
      guard case .encoded = frame else { return (guarded.picture, nil) }
      guarded.counters.packets += 1
      let target = guarded.encoding != nil ? UInt64(clamping: guarded.encoderSettings.bitrate) : 0
      return (guarded.picture, guarded.life.target.isNews(target, of: publication.id) ? target : nil)
    }
    let result = publication.send(frame, picture)
    if let target { publication.transport.setTargetBitrate(publication.id, layer: 0, target) }
    return result
  }

  /// It has left the queue, and will be over after its duration.
  func beginPlaying(_ pending: Pending) {
    let now = clock.now()
    let isAwaited = guarded.withLock { guarded in
      guarded.playedAt = max(guarded.playedAt, now) + pending.duration
      return guarded.waiters > 0
    }
    // There is room for one more.
    if isAwaited { guarded.notify() }
  }
}

extension OutgoingAudio.Guarded {
  func situation(isTapped: Bool) -> OutgoingAudio.Situation {
    let isTaken = life.encodedCallback != nil || isTapped
    return OutgoingAudio.Situation(
      publication: life.publication, isMuted: isMuted, gain: Float(gain), hasTakers: life.receivers > 0 || isTaken, encoding: encoding,
      settings: encoderSettings, callback: life.encodedCallback, isTaken: isTaken)
  }

  mutating func takeDue(_ now: Int64, rate: UInt32) -> OutgoingAudio.Pending? {
    guard life.state == .started, now >= hold?.end ?? now else { return nil }
    decideHold(rate: rate, isOver: true)
    guard let first = pending.first, pacer.due <= now else { return nil }
    let isFast = pending.count == 1 && now - first.acceptedAt < first.duration
    pacer.leave(at: now, duration: first.duration, captured: first.timestamp, isFast: isFast)
    queued -= first.duration
    return pending.pop()
  }
}
