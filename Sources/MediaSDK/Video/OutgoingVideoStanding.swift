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
    if options.isEncodedInput { pump.withLock { $0 }?.requestKeyFrame() }
  }

  func pokeStanding() {
    if keepsPicture { guarded.withLock { $0.worker }?.poke() }
  }

  /// The step of a raw stream's worker.
  func passDue() -> Int64 {
    while let (pending, publication) = takeDue() { drain(pending, publication) }
    return guarded.withLock { $0.timeOfDue }
  }

  /// What is to be handed over now by whoever asks; what somebody else hands over already is put into his queue.
  private func takeDue() -> (Pending, Publication?)? {
    let (next, refused): ((Pending, Publication?)?, Pending?) = guarded.withLock { guarded in
      guard guarded.state == .started, guarded.encoding == nil,
        let pending = guarded.takeDue(clock.now(), hasTakers: guarded.receivers > 0)
      else {
        return (nil, nil)
      }
      guard guarded.draining.isUnderWay else {
        guarded.draining.begin()
        return ((pending, guarded.publication), nil)
      }
      return (nil, guarded.isFull ? pending : guarded.push(pending))
    }
    if let refused { report([refused], .dropped, .queue) }
    return next
  }
}

extension OutgoingVideo.Guarded {
  /// The lower one of what the program asked for and what the estimate affords; nil: the format's own.
  var slowerRate: FrameRate? {
    let pace = negotiator.pace
    guard let asked = frameRate ?? pace else { return nil }
    let lower = pace.map { $0.perSecond < asked.perSecond ? $0 : asked } ?? asked
    guard let own = sender?.format.frameRate else { return lower }
    return lower.perSecond < own.perSecond ? lower : nil
  }

  /// Whether a frame may go now; `byFormat`: by the format's rate too.
  mutating func pace(_ now: Int64, byFormat: Bool) -> Bool {
    let limit = byFormat ? sender?.format.frameRate.interval : nil
    guard now >= max(slowerDue, limit.map(bucket.due) ?? .min) else { return false }
    if let interval = slowerRate?.interval {
      nextPacedTime = nextPacedTime == .min || now > nextPacedTime + interval ? now + interval : nextPacedTime + interval
    }
    if let limit { bucket.take(now, limit) }
    return true
  }

  /// When the next frame may go at a lower frame rate; a tenth of an interval early is on time.
  private var slowerDue: Int64 {
    guard let interval = slowerRate?.interval, nextPacedTime != .min else { return .min }
    return nextPacedTime - interval / 10
  }

  /// The frame that waited for its time, or what stands, if it is to be shown again now.
  mutating func takeDue(_ now: Int64, hasTakers: Bool) -> OutgoingVideo.Pending? {
    if let waiting = held, pace(now, byFormat: isPaced) {
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
      frame: .raw(frame), sequence: kept.sequence, timestamp: timestamp, acceptedAt: now, completion: .silent, isRepeat: true)
  }

  /// When `takeDue` is worth calling.
  var timeOfDue: Int64 {
    guard state == .started else { return .max }
    guard held != nil else { return standing.time }
    let formatDue = isPaced ? sender?.format.frameRate.interval.map(bucket.due) : nil
    return min(standing.time, max(slowerDue, formatDue ?? .min))
  }
}
