import MediaCore

/// While renderers are attached to a stream that is not started, it has a sender, and its producer runs: what comes is filtered, shown and
/// reported as dropped. A start takes that sender over if the format stays.
extension OutgoingVideo {
  /// Begins or ends the preview of a stream that is not started, as there are renderers or not, and lets the producer know.
  func followPreviews() {
    let formats: [VideoFormat]
    do throws(MediaError) {
      formats = try previewFormats()
    } catch {
      if let pump = pump.withLock({ $0 }) { pump.fail(error) }
      return
    }
    let (isConcerned, forgotten): (Bool, FrameSender?) = guarded.withLock { guarded in
      guard guarded.life.state != .started else { return (false, nil) }
      guard !guarded.life.isClosed, !previews.list.isEmpty, let format = options.best(of: formats) else {
        return (guarded.senders.current != nil, guarded.senders.retire())
      }
      if guarded.senders.current == nil {
        guarded.pacing.forgetBurst()
        guarded.senders.current = FrameSender(self, format: format)
      }
      return (true, nil)
    }
    forgotten?.handle.end()
    if isConcerned { followSender() }
  }

  /// What may be previewed; nothing without renderers, and without a producer whose format it is to be.
  private func previewFormats() throws(MediaError) -> [VideoFormat] {
    guard !options.isEncodedInput, !previews.list.isEmpty else { return [] }
    guard !options.formats.isEmpty || pump.withLock({ $0 != nil }) else { return [] }
    return try declaredFormats()
  }

  /// The producer makes what the sender of now takes, whoever changes that at the same time.
  func followSender() {
    guard let pump = pump.withLock({ $0 }) else { return }
    var followed: FrameSender?
    repeat {
      followed = guarded.withLock { $0.senders.current }
      pump.follow(followed)
    } while guarded.withLock({ $0.senders.current !== followed })
  }

  /// On the sender's thread.
  func preview(_ shown: Pending) {
    var pending = shown
    guard filters.isEmpty || filter(&pending) else { return }
    if case .raw(let frame) = pending.frame { previews.offer(frame) }
    drop(pending, .notConnected)
  }
}

extension OutgoingVideoOptions {
  /// What a stream begins with where nothing is known of the network.
  func best(of formats: [VideoFormat]) -> VideoFormat? {
    var negotiator = makeNegotiator(formats)
    _ = negotiator.update(estimate: 0, now: 0)
    return negotiator.current
  }
}
