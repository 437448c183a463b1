import MediaCore
import MediaTransport

/// A shared screen's stream: what came ahead of its time waits, and what stands is shown again.
extension OutgoingVideo {
  /// Encoded frames cannot be made again here; whoever sends them hears of the request.
  var keepsPicture: Bool { isScreen && !options.isEncodedInput }

  /// The next picture encoded is a key frame; what stands is one at once.
  func askForPicture() {
    guarded.withLock { guarded in
      guarded.wantsKeyFrame = true
      guarded.screen.repetition.ask()
    }
    pokeStanding()
    if options.isEncodedInput { pump.withLock { $0 }?.requestKeyFrame() }
  }

  func pokeStanding() {
    if keepsPicture { worker?.poke() }
  }

  /// The step of a raw stream's worker.
  func passDue() -> Int64 {
    while let (pending, publication) = takeDue() { drain(pending, publication) }
    return guarded.withLock { $0.timeOfDue }
  }

  /// What is to be handed over now by whoever asks; what somebody else hands over already is put into his queue.
  private func takeDue() -> (Pending, Publication?)? {
    let (next, refused): ((Pending, Publication?)?, Pending?) = guarded.withLock { guarded in
      guard guarded.life.state == .started, guarded.encoding == nil,
        let pending = guarded.takeDue(clock.now(), hasTakers: guarded.life.receivers > 0)
      else {
        return (nil, nil)
      }
      guard guarded.draining.isUnderWay else {
        guarded.draining.begin()
        return ((pending, guarded.life.publication), nil)
      }
      return (nil, guarded.isFull ? pending : guarded.push(pending))
    }
    if let refused { drop(refused, .queue) }
    return next
  }
}

extension OutgoingVideo.Guarded {
  /// nil: the format's own. Inlined, as a copy of the whole state would otherwise be made to look at it.
  @inline(__always)
  var slowerRate: FrameRate? { pacing.slower(than: senders.current?.format.frameRate, afforded: negotiation.negotiator.pace) }

  /// Whether a frame may go now; `byFormat`: by the format's rate too.
  mutating func pace(_ now: Int64, byFormat: Bool) -> Bool {
    let slower = slowerRate
    return pacing.admit(now, own: byFormat ? senders.current?.format.frameRate : nil, slower: slower)
  }

  /// The frame that waited for its time, or what stands, if it is to be shown again now.
  mutating func takeDue(_ now: Int64, hasTakers: Bool) -> OutgoingVideo.Pending? {
    if let waiting = screen.held, pace(now, byFormat: pacing.isHeldToFormat) {
      screen.held = nil
      return waiting
    }
    guard hasTakers else {
      screen.repetition.rest()
      return nil
    }
    guard let kept = screen.repetition.take(now), let frame = try? kept.frame.view() else { return nil }
    let timestamp = kept.timestamp &+ (now - kept.acceptedAt)
    frame.native.pointee.timestamp_ns = timestamp
    return OutgoingVideo.Pending(
      frame: .raw(frame), sequence: kept.sequence, timestamp: timestamp, acceptedAt: now, completion: .silent, isRepeat: true)
  }

  /// When `takeDue` is worth calling.
  var timeOfDue: Int64 {
    guard life.state == .started else { return .max }
    guard screen.held != nil else { return screen.repetition.time }
    let own = pacing.isHeldToFormat ? senders.current?.format.frameRate : nil
    return min(screen.repetition.time, pacing.due(own: own, slower: slowerRate))
  }
}
