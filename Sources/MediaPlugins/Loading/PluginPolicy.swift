import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// What the user of a program does not want of the plugins it finds. Modules that the program registers itself are none of that.
public struct PluginPolicy: Sendable {
  /// Globs as in fnmatch(3), of file names or class ids.
  public var disabled: [String] = []
  /// Nothing but what came with the SDK: from its own directories, and named as its classes are.
  public var isSafeMode = false

  static let ownPrefix = "org.mediasdk."

  /// Nothing is disabled.
  public init() {}

  /// MSDK_PLUGIN_DISABLE, separated by commas or colons, and MSDK_PLUGIN_SAFE_MODE.
  public static func standard(ignoringEnvironment: Bool) -> PluginPolicy {
    func variable(_ name: String) -> String {
      ignoringEnvironment ? "" : secure_getenv(name).map { ForeignText.readLossy($0, limit: 65_536) } ?? ""
    }
    var policy = PluginPolicy()
    policy.disabled = variable("MSDK_PLUGIN_DISABLE").split { $0 == "," || $0 == ":" }.map(String.init)
    policy.isSafeMode = !["", "0"].contains(variable("MSDK_PLUGIN_SAFE_MODE"))
    return policy
  }

  private func glob(for name: String) -> String? { disabled.first { fnmatch($0, name, 0) == 0 } }

  /// Before anything is read of a file.
  func checkFile(_ path: String) throws(MediaError) {
    let name = path.split(separator: "/").last.map(String.init) ?? path
    if let glob = glob(for: name) {
      throw MediaError(.permission, "plugin \(path) is disabled: MSDK_PLUGIN_DISABLE contains \"\(glob)\"")
    }
    if !PluginTrust.isWaived { try PluginTrust.check(path) }
    guard isSafeMode else { return }
    let directory = PluginPolicy.resolved(path).flatMap { file in file.lastIndex(of: "/").map { String(file[..<$0]) } }
    guard let directory, PluginSearch.ownDirectories.contains(directory) else {
      throw MediaError(.permission, "plugin \(path) is not part of the SDK: MSDK_PLUGIN_SAFE_MODE is set")
    }
  }

  /// Why a class of a file is left out; nil when it is not.
  func refusal(of id: String) -> MediaError? {
    if let glob = glob(for: id) { return MediaError(.permission, "class \(id) is disabled: MSDK_PLUGIN_DISABLE contains \"\(glob)\"") }
    guard isSafeMode, !id.hasPrefix(PluginPolicy.ownPrefix) else { return nil }
    return MediaError(.permission, "class \(id) is not part of the SDK: MSDK_PLUGIN_SAFE_MODE is set")
  }

  /// A file is of no use when none of its classes is left.
  func checkClasses(_ ids: [String]) throws(MediaError) {
    let refusals = ids.compactMap { refusal(of: $0) }
    if let first = refusals.first, refusals.count == ids.count { throw first }
  }

  static func resolved(_ path: String) -> String? {
    guard let resolved = realpath(path, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved)
  }
}

extension PluginSearch {
  /// Where the SDK's own plugins are installed: with the library, or with a program that has the library in it.
  static var ownDirectories: [String] {
    guard let library = libraryDirectory else { return [] }
    return installed(beside: library).compactMap { PluginPolicy.resolved($0) }
  }
}
