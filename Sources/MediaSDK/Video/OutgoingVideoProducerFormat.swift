import MediaCore

/// A producer that says what size it makes.
extension OutgoingVideo {
  /// The program's list, or else the one format of the producer, which must be attached: as it is previewed, as it was when the stream was
  /// attached to a session, or as the producer says.
  func declaredFormats() throws(MediaError) -> [VideoFormat] {
    guard options.formats.isEmpty else { return options.formats }
    let (previewed, attached) = guarded.withLock { ($0.senders.current?.format, $0.attachedFormats) }
    if let previewed { return [previewed] }
    if let attached { return attached }
    guard let pump = pump.withLock({ $0 }) else {
      throw MediaError(.state, "the stream was made without formats; attach the producer that has them before the stream is started")
    }
    do throws(MediaError) {
      let format = try pump.ownFormat()
      try options.check(format, encoders, argument: "the producer's format")
      return [format]
    } catch {
      // It was initialised to be asked.
      followSender()
      throw error
    }
  }

  /// Whether a stream that is no shared screen's can go on in that size: it was declared, or the limits are wide.
  func mayFollow(width: UInt32, height: UInt32) -> Bool {
    if options.formats.contains(where: { $0.width == width && $0.height == height }) { return true }
    guard options.limits == .extended, var format = guarded.withLock({ $0.senders.current?.format }) else { return false }
    (format.width, format.height) = (width, height)
    return (try? options.check(format, encoders, argument: "the producer's new format")) != nil
  }

  /// The producer's size now: from a change on the stream's only one, of the declared formats of that size, or else at the frame rate and in
  /// the pixel format of before. The sender for it; nil when the stream is neither started nor previewed.
  func adopt(width: UInt32, height: UInt32) throws(MediaError) -> (any PumpSink)? {
    guard let current = guarded.withLock({ $0.senders.current }) else { return nil }
    guard current.format.width != width || current.format.height != height else { return current }
    var format = current.format
    format.width = width
    format.height = height
    try options.check(format, encoders, argument: "the producer's new format")
    let declared = isScreen ? [] : options.formats.filter { $0.width == width && $0.height == height }
    var negotiator = options.makeNegotiator(declared.isEmpty ? [format] : declared)
    let change: Change? = guarded.withLock { guarded in
      negotiator.isEncoded = guarded.negotiation.negotiator.isEncoded
      negotiator.wanted = guarded.negotiation.negotiator.wanted
      _ = negotiator.update(estimate: guarded.life.state == .started ? guarded.negotiation.estimate : 0, now: clock.now())
      guard let change = guarded.change(to: negotiator.current ?? format, of: self) else { return nil }
      guarded.negotiation.negotiator = negotiator
      return change
    }
    guard let change else { return nil }
    end(change)
    // All changes are told on the loop, the latest last.
    engine.loop.post {
      guard self.guarded.withLock({ $0.senders.current === change.sender }) else { return }
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
