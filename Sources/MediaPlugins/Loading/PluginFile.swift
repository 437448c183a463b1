import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// Plugin files of this process. Each is opened once and never closed: code that was loaded may have left anything behind.
public enum PluginFile {
  private static let loaded = Monitor<[String: LoadedModule]>([:])

  /// Loads a file, or returns what was loaded before. `.notFound` for no file, `.permission` for one that is not to be trusted, `.abi` for
  /// what is no plugin of this ABI. The plugin's code runs in this process from here on.
  public static func load(_ path: String) throws(MediaError) -> LoadedModule {
    let resolved = try check(path)
    if let module = loaded.withLock({ $0[resolved] }) { return module }
    let module = try open(resolved)
    return loaded.withLock { modules in
      if let first = modules[resolved] { return first }
      modules[resolved] = module
      return module
    }
  }

  /// Of a file that this process has loaded before, by its absolute path.
  static func loadedClasses(_ resolved: String) -> [String]? {
    loaded.withLock { $0[resolved] }?.classes.map(\.id)
  }

  /// The absolute path, if it is a file that may be trusted as far as its owner can be.
  package static func check(_ path: String) throws(MediaError) -> String {
    guard let resolved = realpath(path, nil) else {
      throw MediaError(errno == ENOENT || errno == ENOTDIR ? .notFound : .permission, "plugin \(path): \(SystemError.text(errno))")
    }
    defer { free(resolved) }
    let absolute = String(cString: resolved)
    var status = stat()
    guard stat(absolute, &status) == 0 else { throw MediaError(.io, "plugin \(absolute): \(SystemError.text(errno))") }
    guard status.st_mode & S_IFMT == S_IFREG else { throw MediaError(.abi, "plugin \(absolute) is not a regular file") }
    guard status.st_mode & S_IWOTH == 0 else {
      throw MediaError(.permission, "plugin \(absolute) is writable by all users; accepted: mode without o+w")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw MediaError(.permission, "plugin \(absolute) belongs to user \(status.st_uid); accepted: root or the user of this process")
    }
    return absolute
  }

  private static func open(_ path: String) throws(MediaError) -> LoadedModule {
    try ElfFile.check(path)
    let flags = RTLD_NOW | RTLD_LOCAL | Int32(RTLD_NODELETE)
    guard let handle = ForeignCode.run({ dlopen(path, flags) }) else {
      throw MediaError(.abi, "plugin \(path): \(ForeignText.readLossy(dlerror(), limit: 512))")
    }
    guard let symbol = dlsym(handle, MSDK_ENTRY_SYMBOL) else {
      throw MediaError(.abi, "plugin \(path) does not export \(MSDK_ENTRY_SYMBOL)")
    }
    typealias Entry = @convention(c) (UInt32) -> UnsafePointer<msdk_module>?
    let entry = unsafeBitCast(symbol, to: Entry.self)
    guard let table = ForeignCode.run({ entry(UInt32(MSDK_ABI_MINOR)) }) else {
      throw MediaError(.abi, "plugin \(path) declined: its entry returned NULL for ABI \(MSDK_ABI_MAJOR).\(MSDK_ABI_MINOR)")
    }
    do throws(MediaError) {
      return try LoadedModule(table, path: path)
    } catch {
      throw MediaError(error.status, "plugin \(path): \(error.text)")
    }
  }
}
