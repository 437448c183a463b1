import MediaCore

/// What waits, and waiting for it.
extension OutgoingAudio {
  /// Nanoseconds of sound that wait.
  public var queued: Int64 { guarded.withLock { $0.queued } }

  /// Drops all that is queued, and reports it as `.flushed`. What the encoder already has is still sent.
  public func flush() {
    forgetWritten()
    let dropped = guarded.withLock { guarded in
      let dropped = guarded.takePending()
      // What comes next is for now: what was thrown away has no say in how late it must be.
      guarded.position = nil
      (guarded.hold, guarded.live) = (nil, 0)
      if let first = dropped.first { guarded.times.forget(from: first.timestamp) }
      return dropped
    }
    guarded.notify()
    for pending in dropped { drop(pending, .flushed) }
  }

  /// Waits until what was sent before the call has left and is over.
  public func waitPlayed(deadline: Int64) throws(MediaError) {
    let target = guarded.withLock { guarded in
      guarded.waiters += 1
      return guarded.sequence
    }
    defer { guarded.withLock { $0.waiters -= 1 } }
    let end: Result<Int64, MediaError>? = guarded.wait(until: deadline) { guarded in
      if guarded.settled >= target { return .success(guarded.playedAt) }
      return guarded.life.state == .started ? nil : .failure(MediaError(.closed, "the stream has stopped"))
    }
    guard let end else { throw MediaError(.timeout, "not all queued audio was sent in time") }
    let time = try end.get()
    guard time > clock.now() else { return }
    engine.loop.schedule(at: time) { self.guarded.notify() }
    let isOver: Bool? = guarded.wait(until: deadline) { guarded in
      if self.clock.now() >= time { return true }
      return guarded.life.state == .started ? nil : false
    }
    guard let isOver else { throw MediaError(.timeout, "not all audio that was sent was played in time") }
    guard isOver else { throw MediaError(.closed, "the stream has stopped") }
  }
}
