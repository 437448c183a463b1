import CMediaSDK
import Glibc
import MediaCore

/// A module's classes, each of which keeps its module.
public struct LoadedModule: Sendable {
  /// What the file or the program says of it.
  public let module: PluginModule
  /// One at least; ids are unique.
  public let classes: [ClassDescriptor]

  private static let mostClasses: UInt32 = 256

  /// Copies and checks the tables.
  package init(
    _ pointer: UnsafePointer<msdk_module>, path: String, isLoaded: Bool = true, headers: (any EncodedHeaders)? = nil
  ) throws(MediaError) {
    let table = try PluginTable.read(pointer, "the module")
    let module = try PluginModule(table, path: path, isLoaded: isLoaded, headers: headers)
    guard 1...LoadedModule.mostClasses ~= table.class_count, let list = table.classes else {
      throw MediaError(
        .abi, "the module has \(table.classes == nil ? "no" : "\(table.class_count)") classes; accepted: 1..\(LoadedModule.mostClasses)")
    }
    var classes: [ClassDescriptor] = []
    for pointer in UnsafeBufferPointer(start: list, count: Int(table.class_count)) {
      guard let pointer else { throw MediaError(.abi, "classes[\(classes.count)] is NULL") }
      let descriptor = try ClassDescriptor(pointer, index: classes.count, module: module, listed: pointer)
      guard !classes.contains(where: { $0.id == descriptor.id }) else {
        throw MediaError(.abi, "the module has two classes \(descriptor.id)")
      }
      classes.append(descriptor)
    }
    self.module = module
    self.classes = classes
  }
}

/// What a module says of itself, from a file or from the program, and its init.
public final class PluginModule: @unchecked Sendable {
  /// "" for a module that the program registered.
  public let path: String
  /// For people; may be empty.
  public let vendor: String
  /// For people; may be empty.
  public let version: String
  /// For people; may be empty.
  public let license: String
  /// For people; may be empty.
  public let url: String
  /// Whether its code is in this process; one that was only described by another process is not.
  public let isLoaded: Bool
  /// Who reads headers of encoded data where its code is not in this process.
  package let headers: (any EncodedHeaders)?

  private let table: msdk_module
  private let initialisation = Monitor<Result<Void, MediaError>?>(nil)

  fileprivate init(_ table: msdk_module, path: String, isLoaded: Bool, headers: (any EncodedHeaders)?) throws(MediaError) {
    self.table = table
    self.isLoaded = isLoaded
    self.headers = headers
    guard table.min_host_minor <= UInt32(MSDK_ABI_MINOR) else {
      throw MediaError(
        .abi, "the module's min_host_minor is \(table.min_host_minor); this host has ABI \(MSDK_ABI_MAJOR).\(MSDK_ABI_MINOR)")
    }
    self.path = path
    vendor = try PluginText.optional(table.vendor, argument: "the module's vendor")
    version = try PluginText.optional(table.version, argument: "the module's version")
    license = try PluginText.optional(table.license, argument: "the module's license")
    url = try PluginText.optional(table.url, argument: "the module's url")
  }

  /// Calls the module's init before the first instance, once. A failure stays.
  package func initialise() throws(MediaError) {
    // The first caller does it; the others wait. Nothing is locked meanwhile.
    guard !initialisationTurn.isMine else { throw MediaError(.thread, "no instance of a module can be made inside the module's init") }
    let turn: Result<Void, MediaError>? = initialisationTurn.take { initialisation.withLock { $0 } }
    if let turn { return try turn.get() }
    var result = Result<Void, MediaError>.success(())
    if let initialise = table.`init` {
      let code = ForeignCode.run { path.isEmpty ? initialise(nil) : initialise(path) }
      if code < 0 { result = .failure(MediaError(Status(foreign: code), "the init of module \(path) failed with \(code)")) }
    }
    initialisation.withLock { $0 = result }
    initialisationTurn.give()
    try result.get()
  }

  private let initialisationTurn = FirstTurn()
}

/// One does, the others wait for what came of it.
private final class FirstTurn: Sendable {
  /// The thread that does it.
  private let holder = Monitor<pthread_t?>(nil)

  /// Whether this thread does it: then it must not wait.
  var isMine: Bool { holder.withLock { $0.map { pthread_equal($0, pthread_self()) != 0 } ?? false } }

  /// nil for the one who is to do it.
  func take<Outcome>(_ outcome: () -> Outcome?) -> Outcome? {
    holder.wait(until: .max) { holder -> Outcome?? in
      if let outcome = outcome() { return .some(.some(outcome)) }
      guard holder == nil else { return nil }
      holder = pthread_self()
      return .some(nil)
    } ?? nil
  }

  func give() {
    holder.withLock { $0 = nil }
    holder.notify()
  }
}
