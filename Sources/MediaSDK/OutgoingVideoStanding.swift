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
      guarded.standing.ask()
    }
    pokeStanding()
  }

  func pokeStanding() {
    if keepsPicture { guarded.withLock { $0.worker }?.poke() }
  }

  /// The step of a raw stream's worker.
  func passDue() -> Int64 {
    while let pending = takeDue() { drain(pending) }
    return guarded.withLock { $0.timeOfDue }
  }

  /// What is to be handed over now by whoever asks; what somebody else hands over already is put into his queue.
  private func takeDue() -> Pending? {
    let (next, refused): (Pending?, Pending?) = guarded.withLock { guarded in
      guard guarded.state == .started, let pending = guarded.takeDue(clock.now(), hasTakers: guarded.receivers > 0) else {
        return (nil, nil)
      }
      guard guarded.draining.isUnderWay else {
        guarded.draining.begin()
        return (pending, nil)
      }
      return (nil, guarded.pending.isFull ? pending : guarded.pending.push(pending))
    }
    if let refused { report([refused], .dropped, .queue) }
    return next
  }
}

extension OutgoingVideo.Guarded {
  /// The lower one of what the program asked for and what the estimate affords; nil: the format's own.
  var slowerRate: FrameRate? {
    guard let frameRate, let pace = negotiator.pace else { return frameRate ?? negotiator.pace }
    return frameRate.perSecond < pace.perSecond ? frameRate : pace
  }

  /// Whether a frame may go now, at a lower frame rate; a tenth of an interval early is on time.
  mutating func pace(_ now: Int64) -> Bool {
    guard let interval = slowerRate?.interval else { return true }
    guard now >= pacedTime(interval) else { return false }
    nextPacedTime = nextPacedTime == .min || now > nextPacedTime + interval ? now + interval : nextPacedTime + interval
    return true
  }

  private func pacedTime(_ interval: Int64) -> Int64 {
    nextPacedTime == .min ? .min : nextPacedTime - interval / 10
  }

  /// The frame that waited for its time, or what stands, if it is to be shown again now.
  mutating func takeDue(_ now: Int64, hasTakers: Bool) -> OutgoingVideo.Pending? {
    if let waiting = held, pace(now) {
      held = nil
      return waiting
    }
    guard hasTakers else {
      standing.rest()
      return nil
    }
    guard let kept = standing.take(now), let frame = try? kept.frame.view() else { return nil }
    let timestamp = kept.timestamp &+ (now - kept.acceptedAt)
    frame.native.pointee.timestamp_ns = timestamp
    return OutgoingVideo.Pending(
      unit: .raw(frame), sequence: kept.sequence, timestamp: timestamp, acceptedAt: now, completion: .silent, isRepeat: true)
  }

  /// When `takeDue` is worth calling.
  var timeOfDue: Int64 {
    guard state == .started else { return .max }
    guard held != nil else { return standing.time }
    return min(standing.time, slowerRate?.interval.map(pacedTime) ?? .min)
  }
}
