import CMediaSDK
import MediaCore

/// The classes that one engine knows.
public final class PluginRegistry: Sendable {
  private struct State {
    var classes: [ClassDescriptor] = []
    var modules: [PluginModule] = []
  }

  private let state = Monitor(State())
  private let policy: PluginPolicy
  private let scanner: PluginScanner?

  /// Looks at a file in another process; nil when it is to be loaded into this one. `wish`: a class of it prefers isolation; `anew`: what
  /// is known already does not count.
  public typealias Describe = @Sendable (_ path: String, _ wish: Bool, _ anew: Bool) throws(MediaError) -> LoadedModule?
  private let describe: Describe

  /// Without a scanner the files of a directory are loaded unseen.
  public init(
    policy: PluginPolicy = PluginPolicy(), scanner: PluginScanner? = nil,
    describe: @escaping Describe = { _, _, _ throws(MediaError) in nil }
  ) {
    self.policy = policy
    self.scanner = scanner
    self.describe = describe
  }

  /// In the order in which they were added; ids are unique.
  public var classes: [ClassDescriptor] { state.withLock { $0.classes } }
  /// As they are shown: ours come last.
  public var listed: [ClassDescriptor] {
    let classes = self.classes
    return classes.filter { !$0.module.isBuiltIn } + classes.filter(\.module.isBuiltIn)
  }

  /// Loads one file, here and now.
  public func load(_ path: String) throws(MediaError) {
    try policy.checkFile(path)
    if let described = try describe(path, false, false) { return try add(described) }
    try add(PluginFile.load(path))
  }

  /// Loads all of a directory that a child could load, or has it described where a class prefers isolation; those that are refused are told
  /// to `refused`. `rescan` asks a child even about files that are known.
  public func loadAll(
    in directory: String, rescan: Bool = false, refused: (_ path: String, MediaError) -> Void
  ) throws(MediaError) -> Int {
    var count = 0
    let files = try PluginSearch.files(in: directory)
    var scan = scanner?.begin(rescan: rescan)
    defer { scan?.finish() }
    for path in files {
      do throws(MediaError) {
        try policy.checkFile(path)
        var described = try describe(path, false, rescan)
        if described == nil, let look = try scan?.look(at: path) {
          try policy.checkClasses(look.classes)
          if look.prefersIsolation { described = try describe(path, true, rescan) }
        }
        if let described { try add(described) } else { try add(PluginFile.load(path)) }
        count += 1
      } catch {
        refused(path, error)
      }
    }
    return count
  }

  /// Adds a module of the program's own, which no policy looks at. `.abi` for tables with faults, `.exists` for a class that is known.
  public func register(_ module: UnsafePointer<msdk_module>) throws(MediaError) {
    try add(LoadedModule(module, path: ""))
  }

  /// The codecs that are ours.
  public func addBuiltIn() {
    if let loaded = BuiltInModule.loaded { try? add(loaded) }
  }

  private func add(_ loaded: LoadedModule) throws(MediaError) {
    let module = loaded.module
    let isFile = !module.path.isEmpty
    if isFile { try policy.checkClasses(loaded.classes.map(\.id)) }
    let wanted = loaded.classes.filter { !isFile || policy.refusal(of: $0.id) == nil }
    try state.withLock { state throws(MediaError) in
      guard !state.modules.contains(where: { $0 === module || !$0.isLoaded && $0.path == module.path }) else { return }
      for added in wanted {
        guard let known = state.classes.first(where: { $0.id == added.id }) else { continue }
        let owner = known.module.path.isEmpty ? "a registered module" : known.module.path
        throw MediaError(
          .exists, "class \(added.id) of \(module.path.isEmpty ? "the module" : module.path) is already known, from \(owner)")
      }
      state.modules.append(module)
      state.classes.append(contentsOf: wanted)
    }
    KnownCodecs.add(wanted)
  }

  /// `.notFound` for an unknown id; the error lists those that are known.
  public func descriptor(_ id: String) throws(MediaError) -> ClassDescriptor {
    let classes = self.classes
    guard let found = classes.first(where: { $0.id == id }) else {
      let ids = classes.map(\.id).joined(separator: ", ")
      throw MediaError(.notFound, "there is no class \"\(id)\"; there are \(ids.isEmpty ? "none: no plugin is loaded" : ids)")
    }
    return found
  }
}
