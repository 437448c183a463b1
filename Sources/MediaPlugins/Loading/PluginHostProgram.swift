import CLinux
import Glibc
import MediaCore

/// The program in whose processes plugins are looked at, and run when they are isolated.
public enum PluginHostProgram {
  private static let name = "msdk-plugin-host"

  /// MSDK_PLUGIN_HOST, or the one installed with the library, or the one beside it; nil when there is none.
  public static func path(ignoringEnvironment: Bool) -> String? {
    let own = ignoringEnvironment ? nil : secure_getenv("MSDK_PLUGIN_HOST").map { ForeignText.readLossy($0, limit: 4096) }
    if let own { return isProgram(own) ? own : nil }
    guard let library = PluginSearch.libraryDirectory else { return nil }
    return (PluginSearch.installations(beside: library) + [library]).map { "\($0)/\(name)" }.first { isProgram($0) }
  }

  private static func isProgram(_ path: String) -> Bool {
    path.hasPrefix("/") && access(path, X_OK) == 0
  }
}
