import MediaCore
import MediaPlugins

/// The filters that sound passes before its gain, in the stream and in the mix.
extension IncomingAudio {
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    guard !guarded.withLock({ $0.isClosed }) else { throw MediaError(.closed, "the stream is no longer available") }
    try filters.add(filter, to: isMix ? "the mix" : "an incoming stream") { [session] event in
      session.push(.plugin(event.instance, event))
    }
    // Closed meanwhile, it let go of those that it knew.
    guard !guarded.withLock({ $0.isClosed }) else {
      filters.removeAll()
      throw MediaError(.closed, "the stream is no longer available")
    }
  }

  /// When it returns, no buffer is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
  }

  /// With a reference for the caller; nil for one that was left out.
  func filter(_ frame: AudioFrame, isOwned: Bool) -> AudioFrame? {
    let outcome = filters.run(frame, isOwned: isOwned)
    guarded.withLock { guarded in
      guarded.counters.totalFilterTime += outcome.spent
      if outcome.frame == nil { guarded.counters.dropped += 1 }
    }
    return outcome.frame
  }
}
