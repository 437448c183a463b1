import CMediaSDK
import MediaCore

/// The classes that one engine knows.
public final class PluginRegistry: Sendable {
  private struct State {
    var classes: [ClassDescriptor] = []
    var modules: [PluginModule] = []
  }

  private let state = Monitor(State())

  public init() {}

  public var classes: [ClassDescriptor] { state.withLock { $0.classes } }

  public func load(_ path: String) throws(MediaError) {
    try add(PluginFile.load(path))
  }

  /// Loads all of a directory; those that are refused are told to `refused`.
  public func loadAll(in directory: String, refused: (MediaError) -> Void) throws(MediaError) -> Int {
    var count = 0
    for path in try PluginSearch.files(in: directory) {
      do throws(MediaError) {
        try load(path)
        count += 1
      } catch {
        refused(error)
      }
    }
    return count
  }

  public func register(_ module: UnsafePointer<msdk_module>) throws(MediaError) {
    try add(LoadedModule(module, path: ""))
  }

  private func add(_ loaded: LoadedModule) throws(MediaError) {
    let module = loaded.module
    try state.withLock { state throws(MediaError) in
      guard !state.modules.contains(where: { $0 === module }) else { return }
      for added in loaded.classes {
        guard let known = state.classes.first(where: { $0.id == added.id }) else { continue }
        let owner = known.module.path.isEmpty ? "a registered module" : known.module.path
        throw MediaError(.exists, "class \(added.id) of \(module.path.isEmpty ? "the module" : module.path) is known already, from \(owner)")
      }
      state.modules.append(module)
      state.classes.append(contentsOf: loaded.classes)
    }
  }

  public func descriptor(_ id: String) throws(MediaError) -> ClassDescriptor {
    let classes = self.classes
    guard let found = classes.first(where: { $0.id == id }) else {
      let ids = classes.map(\.id).joined(separator: ", ")
      throw MediaError(.notFound, "there is no class \"\(id)\"; there are \(ids.isEmpty ? "none: no plugin is loaded" : ids)")
    }
    return found
  }
}
