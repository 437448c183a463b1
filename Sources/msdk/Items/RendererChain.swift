import MediaCore
import MediaPlugins
import MediaSDK

/// Renderers in the order of one --renderer list. What stands behind a filter, which is a renderer and a producer, is fed by the filter;
/// the others are fed by the stream.
struct RendererChain {
  private(set) var all: [PluginInstance] = []
  private(set) var heads: [PluginInstance] = []

  init(_ items: [PluginItem], _ files: ParameterFiles, in engine: Engine) throws(MediaError) {
    var filter: PluginInstance?
    for item in items {
      let renderer = try item.make(.renderer, files, in: engine)
      all.append(renderer)
      if let filter {
        try filter.attachDownstream(renderer)
      } else {
        heads.append(renderer)
      }
      if renderer.descriptor.kinds & PluginItem.Role.producer.kind != 0 { filter = renderer }
    }
  }

  /// Completes what was written, from the stream's side on; gives what failed.
  func release() -> [MediaError] {
    var failures: [MediaError] = []
    for renderer in all {
      do throws(MediaError) {
        try renderer.release()
      } catch {
        failures.append(error)
      }
    }
    return failures
  }
}
