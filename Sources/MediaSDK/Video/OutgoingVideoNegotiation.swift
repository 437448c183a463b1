import MediaCore
import MediaTransport

/// From one format to the next, as the estimate and the receivers have it.
extension OutgoingVideo {
  func follow(estimate: UInt64) {
    guarded.withLock { $0.negotiation.estimate = estimate }
    negotiate()
  }

  /// What receivers want from now on. Who sends encoded frames sees to it.
  func follow(wanted: VideoPreference) {
    let change: (session: Session, share: BitrateAllocator.Wish)? = guarded.withLock { guarded in
      guard guarded.life.state == .started, guarded.negotiation.wanted != wanted, let session = guarded.life.publication?.session else {
        return nil
      }
      guarded.negotiation.wanted = wanted
      guarded.pacing.forgetRate()
      if !options.isEncodedInput { guarded.negotiation.negotiator.wanted = wanted }
      return (session, guarded.negotiation.share(options))
    }
    guard let change else { return }
    change.session.push(.wanted(self, wanted))
    // Its part of the estimate first, so that a growth that is for the next update finds it.
    change.session.wishes(self, change.share)
    negotiate()
  }

  /// What the transport lets the stream's layers take from now on. Frames that come encoded are sent as they are.
  func follow(active: [Bool], bitrates: [UInt64], of id: StreamID) {
    let (isWanted, change): (Bool, (session: Session, share: BitrateAllocator.Wish)?) = guarded.withLock { guarded in
      guard let publication = guarded.life.publication, publication.id == id else { return (false, nil) }
      let former = guarded.negotiation.layers
      guarded.negotiation.layers.follow(active: active, bitrates: bitrates)
      let isOther = former != guarded.negotiation.layers
      return (
        !former.isActive && guarded.negotiation.layers.isActive, isOther ? (publication.session, guarded.negotiation.share(options)) : nil
      )
    }
    if let change { change.session.wishes(self, change.share) }
    // What was not encoded meanwhile is missing to whoever receives it now.
    if isWanted { askForPicture() }
  }

  func negotiate() {
    let (change, isRepaced): (Change?, Bool) = guarded.withLock { guarded in
      guard guarded.life.state == .started else { return (nil, false) }
      let (pace, estimate) = (guarded.negotiation.negotiator.pace, guarded.negotiation.estimate)
      let isOther = guarded.negotiation.negotiator.update(estimate: estimate, now: clock.now())
      guard isOther, let format = guarded.negotiation.negotiator.current else {
        return (nil, pace != guarded.negotiation.negotiator.pace)
      }
      return (guarded.change(to: format, of: self), false)
    }
    if let change {
      end(change)
      tell(change)
      followSender()
    }
    if isRepaced { repace() }
    scheduleNegotiation()
  }

  /// From one sender to the next, with what is left of the former one.
  struct Change {
    let sender: FrameSender
    /// nil of a preview.
    let publication: Publication?
    let forgotten: FrameSender?
    let dropped: [Pending]
    let standing: VideoFrame?
  }

  func tell(_ change: Change) {
    if !options.isFed { change.publication?.session.push(.frameSenderChanged(self, change.sender)) }
  }

  func end(_ change: Change) {
    guarded.notify()
    change.forgotten?.handle.end()
    for pending in change.dropped { drop(pending, .stopped) }
    change.standing?.release()
    guard let publication = change.publication else { return }
    let encoder = guarded.withLock { guarded in encoders.first { $0.fourcc == guarded.life.codec } }
    publication.transport.setFormat(publication.id, options.announced(change.sender.format, encoder))
  }

  func scheduleNegotiation() {
    guard let time = guarded.withLock({ $0.life.state == .started ? $0.negotiation.negotiator.nextCheck : nil }), time > clock.now() else {
      return
    }
    engine.loop.schedule(at: time) { self.negotiate() }
  }
}
