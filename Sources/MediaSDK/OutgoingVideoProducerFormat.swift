import MediaCore

/// A shared screen whose producer says what size it is.
extension OutgoingVideo {
  /// The program's list, or else the one format of the producer, which must be attached.
  func declaredFormats() throws(MediaError) -> [VideoFormat] {
    guard options.formats.isEmpty else { return options.formats }
    guard let pump = pump.withLock({ $0 }) else {
      throw MediaError(.state, "the stream was made without formats; attach the producer that has them before it is started")
    }
    do throws(MediaError) {
      let format = try pump.ownFormat(for: inputFormats)
      try options.check(format, encoders, argument: "the producer's format")
      return [format]
    } catch {
      // It was initialised to be asked.
      pump.follow(nil)
      throw error
    }
  }

  /// The producer's size now: from a change on the stream's only one, at the frame rate and in the pixel format of before. The sender for
  /// it; nil when the stream is not started.
  func adopt(width: UInt32, height: UInt32) throws(MediaError) -> FrameSender? {
    guard let current = guarded.withLock({ $0.sender }) else { return nil }
    guard current.format.width != width || current.format.height != height else { return current }
    var format = current.format
    format.width = width
    format.height = height
    try options.check(format, encoders, argument: "the producer's new format")
    let change: Change? = guarded.withLock { guarded in
      guard let change = guarded.change(to: format, of: self) else { return nil }
      guarded.negotiator = options.makeNegotiator([format])
      _ = guarded.negotiator.update(estimate: guarded.estimate, now: clock.now())
      return change
    }
    guard let change else { return nil }
    end(change)
    // All changes are told on the loop, the latest last.
    engine.loop.post {
      guard self.guarded.withLock({ $0.sender === change.sender }) else { return }
      self.tell(change)
      self.scheduleNegotiation()
    }
    return change.sender
  }

  /// Without what is to be sent nothing can follow. Not from a worker: stopping waits for it.
  func fail(_ error: MediaError) {
    engine.loop.post { self.stop(as: .failed, because: error) }
  }
}
