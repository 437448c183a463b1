import MediaCore
import MediaPlugins

/// The filters that a picture passes before anybody sees it.
extension IncomingVideo {
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    guard !guarded.withLock({ $0.isClosed }) else { throw MediaError(.closed, "the stream is no longer available") }
    try filters.add(filter, to: "an incoming stream", events: pass)
    // Closed meanwhile, it let go of those that it knew.
    guard !guarded.withLock({ $0.isClosed }) else {
      filters.removeAll()
      throw MediaError(.closed, "the stream is no longer available")
    }
  }

  /// When it returns, no picture is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
  }

  /// With a reference for the caller; nil for one that was left out.
  func filter(_ frame: VideoFrame, isOwned: Bool) -> VideoFrame? {
    let outcome = filters.run(frame, isOwned: isOwned)
    guarded.withLock { guarded in
      guarded.counters.totalFilterTime += outcome.spent
      if outcome.frame == nil { guarded.counters.dropped += 1 }
    }
    return outcome.frame
  }

  /// On the stream's worker: a frame that is the stream's own.
  func deliverFiltered(_ frame: VideoFrame, isRendered: Bool = false) {
    guard let filtered = filter(frame, isOwned: true) else { return }
    deliver(filtered, currentDelivery, isRendered: isRendered, isNew: true)
    filtered.release()
  }
}
