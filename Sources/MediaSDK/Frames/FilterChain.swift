import MediaCore
import MediaPlugins

/// The filters of a stream, of either medium.
protocol FilterChain: AnyObject, Sendable {
  func add(_ filter: PluginInstance, to what: String, events: PluginInstance.EventHandler?) throws(MediaError)
  func removeAll()
}

extension VideoFilterChain: FilterChain {}
extension AudioFilterChain: FilterChain {}

extension FilterChain {
  /// To those of a stream that may be closed meanwhile, as `check` says: then it let go of those that it knew.
  func append(
    _ filter: PluginInstance, to what: String, of check: () throws(MediaError) -> Void, events: @escaping PluginInstance.EventHandler
  ) throws(MediaError) {
    try check()
    try add(filter, to: what, events: events)
    do throws(MediaError) {
      try check()
    } catch {
      removeAll()
      throw error
    }
  }
}
