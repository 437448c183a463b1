import MediaCore
import MediaPlugins
import MediaTransport

/// The filters that a frame passes before anybody sees it.
extension OutgoingVideo {
  /// Appends a filter, in any state of the stream. Throws `.full` when there are 8 filters, `.state` if the instance is attached already,
  /// and `.unsupported` if its class is not a video filter or the stream takes encoded frames.
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    guard !options.isEncodedInput else {
      throw MediaError(.unsupported, "the stream takes encoded frames (encoded_input), which filters do not process")
    }
    try append(filter, to: filters)
    showAgain()
  }

  /// When it returns, no frame is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
    showAgain()
  }

  /// What stands looks different now.
  private func showAgain() {
    guard keepsPicture else { return }
    guarded.withLock { $0.screen.repetition.ask() }
    pokeStanding()
  }

  /// Of those who hand frames over, one at a time. What came, the standing picture of a shared screen among it, stays as it was where others
  /// hold it. False, with its report told, for a frame that a filter left out.
  func filter(_ pending: inout Pending) -> Bool {
    guard case .raw(let frame) = pending.frame else { return true }
    let outcome = filters.run(frame, isOwned: true)
    guarded.withLock { $0.counters.totalFilterTime += outcome.spent }
    guard let filtered = outcome.frame else {
      drop(pending, .filter)
      return false
    }
    frame.release()
    pending.frame = .raw(filtered)
    return true
  }

  /// A key frame that was asked for is made of the next frame, when this one was left out.
  func keepWish(_ work: Work) {
    if work.forceKeyFrame { guarded.withLock { $0.wantsKeyFrame = true } }
  }
}
