import CLinux
import CMediaSDK
import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

/// Which instances get a process of their own: one is asked for by the program, else by MSDK_PLUGIN_ISOLATE, else by the class's own wish.
public struct Isolation: Sendable {
  /// Globs of class ids and file names.
  let globs: [String]
  let program: String?

  /// Reads MSDK_PLUGIN_ISOLATE, unless the environment is ignored, and looks for `msdk-plugin-host`.
  public init(ignoringEnvironment: Bool) {
    let list = ignoringEnvironment ? nil : secure_getenv("MSDK_PLUGIN_ISOLATE").map { ForeignText.readLossy($0, limit: 65_536) }
    globs = (list ?? "").split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
    program = PluginHostProgram.path(ignoringEnvironment: ignoringEnvironment)
  }

  package init(globs: [String], program: String?) {
    (self.globs, self.program) = (globs, program)
  }

  func names(_ text: String) -> Bool {
    globs.contains { fnmatch($0, text, 0) == 0 }
  }

  private func names(_ descriptor: ClassDescriptor) -> Bool {
    names(descriptor.id) || names(Isolation.fileName(descriptor.module.path))
  }

  private static func fileName(_ path: String) -> String {
    path.lastIndex(of: "/").map { String(path[path.index(after: $0)...]) } ?? path
  }

  /// Why a class cannot be isolated; nil when it can.
  static func obstacle(_ descriptor: ClassDescriptor) -> String? {
    if descriptor.module.path.isEmpty { return "class \(descriptor.id) was registered by the program, so its code is in this process" }
    if descriptor.flags & UInt32(MSDK_CLASS_NO_ISOLATION) != 0 {
      return "class \(descriptor.id) cannot run in a process of its own (MSDK_CLASS_NO_ISOLATION)"
    }
    return nil
  }

  /// The class as an instance of these options is to be made of: itself, or a twin whose functions are forwarded to a process.
  public func descriptor(
    for descriptor: ClassDescriptor, _ options: InstanceOptions, isVirtualClock: Bool, log: (Int32, String) -> Void
  ) throws(MediaError) -> ClassDescriptor {
    let obstacle = Isolation.obstacle(descriptor)
    switch options.isolation {
    case .inProcess: return try loaded(descriptor, options)
    case .ownProcess:
      if let obstacle { throw MediaError(.unsupported, obstacle) }
    case .asUsual:
      if names(descriptor) {
        if let obstacle {
          // The environment means what can be meant.
          log(Int32(MSDK_LOG_WARN), "MSDK_PLUGIN_ISOLATE: \(obstacle)")
          return try loaded(descriptor, options)
        }
      } else {
        guard descriptor.flags & UInt32(MSDK_CLASS_PREFERS_ISOLATION) != 0, obstacle == nil else { return try loaded(descriptor, options) }
        guard program != nil else {
          log(Int32(MSDK_LOG_WARN), "class \(descriptor.id) prefers a process of its own, but there is no msdk-plugin-host")
          return try loaded(descriptor, options)
        }
      }
    }
    guard let program else { throw Isolation.noProgram }
    let plan = IsolationPlan(
      program: program, path: descriptor.module.path, classID: descriptor.id, options: options, isVirtualClock: isVirtualClock,
      pushes: descriptor.producer.map { $0.flags & UInt32(MSDK_PRODUCER_PULL) == 0 } ?? false,
      hasInputs: descriptor.renderer?.update_input != nil)
    return try ProxyTables.twin(of: descriptor, plan: plan)
  }

  static let noProgram = MediaError(
    .notFound,
    "an isolated plugin needs msdk-plugin-host, which is neither in mediasdk/ beside libmediasdk nor beside it, nor named by MSDK_PLUGIN_HOST"
  )

  /// With its code in this process, where nothing of the program's can be kept from it.
  private func loaded(_ descriptor: ClassDescriptor, _ options: InstanceOptions) throws(MediaError) -> ClassDescriptor {
    guard !options.hasNoNetwork, !options.isReadOnly else {
      throw MediaError(
        .unsupported,
        "MSDK_ISOLATED_NO_NETWORK and MSDK_ISOLATED_READ_ONLY need a process of its own; class \(descriptor.id) would run in this one")
    }
    guard !descriptor.module.isLoaded else { return descriptor }
    let module = try PluginFile.load(descriptor.module.path)
    guard let found = module.classes.first(where: { $0.id == descriptor.id }) else {
      throw MediaError(.notFound, "plugin \(descriptor.module.path) no longer has the class \(descriptor.id)")
    }
    return found
  }
}

extension Substring {
  fileprivate var trimmed: String {
    String(drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
  }
}
