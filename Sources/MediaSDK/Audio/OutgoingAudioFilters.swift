import MediaCore
import MediaPlugins
import MediaTransport

/// The filters that a buffer passes when its time has come, before gain and muting.
extension OutgoingAudio {
  /// Appends a filter, in any state of the stream. Throws `.full` when there are 8 filters, `.state` if the instance is attached already,
  /// and `.unsupported` if its class is not an audio filter or the stream takes packets.
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes packets (encoded_input), which filters do not process")
    }
    try append(filter, to: filters)
  }

  /// When it returns, no buffer is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
  }

  /// The buffer is the stream's own, and changed in place. Another one, with a reference, comes in place of what the pending one holds; false
  /// for one that was left out.
  private func filter(_ pending: inout Pending) -> Bool {
    guard case .raw(let frame) = pending.frame else { return true }
    let outcome = filters.run(frame, isOwned: true)
    guarded.withLock { $0.counters.totalFilterTime += outcome.spent }
    guard let filtered = outcome.frame else { return false }
    filterDelay.store(pending.timestamp &- filtered.timestamp, ordering: .relaxed)
    frame.release()
    pending.frame = .raw(filtered)
    return true
  }

  /// False, with its report told, for one that was left out. What is muted and has faded out is not filtered: it goes no further.
  func passFilters(_ pending: inout Pending, _ situation: Situation) -> Bool {
    if situation.isMuted, currentGain.withLock({ $0 }) == 0 {
      filters.noteGap()
      return true
    }
    if filter(&pending) { return true }
    listen(AudioFrame.silentLevel, pending.duration, situation)
    drop(pending, .filter)
    return false
  }
}
