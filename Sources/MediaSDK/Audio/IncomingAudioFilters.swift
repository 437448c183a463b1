import MediaCore
import MediaPlugins

/// The filters that sound passes before its gain, in the stream and in the mix.
extension IncomingAudio {
  /// Appends a filter, in any state of the stream. Throws `.full` when there are 8 filters, `.state` if the instance is attached already,
  /// and `.unsupported` if its class is not an audio filter.
  public func addFilter(_ filter: PluginInstance) throws(MediaError) {
    try append(filter, to: filters, what: isMix ? "the mix" : "an incoming stream")
  }

  /// When it returns, no buffer is in the filter, unless the call came from inside it.
  public func removeFilter(_ filter: PluginInstance) throws(MediaError) {
    try filters.remove(filter)
  }

  /// With a reference for the caller; nil for one that was left out.
  func filter(_ frame: AudioFrame, isOwned: Bool) -> AudioFrame? {
    count(filters.run(frame, isOwned: isOwned))
  }
}
