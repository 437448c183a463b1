import CLinux
import CMediaSDK
import Glibc
import MediaCore

/// Where plugins are looked for.
public enum PluginSearch {
  /// The *.so of a directory, sorted by name.
  public static func files(in directory: String) throws(MediaError) -> [String] {
    guard let stream = opendir(directory) else {
      throw MediaError(errno == EACCES ? .permission : .notFound, "plugin directory \(directory): \(SystemError.text(errno))")
    }
    defer { closedir(stream) }
    var names: [String] = []
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { bytes in
        ForeignText.readLossy(bytes.baseAddress?.assumingMemoryBound(to: CChar.self), limit: bytes.count)
      }
      if name.hasSuffix(".so"), !name.hasPrefix(".") { names.append(name) }
    }
    return names.sorted().map { "\(directory)/\($0)" }
  }

  /// The standard places that exist, in order.
  public static func directories(ignoringEnvironment: Bool) -> [String] {
    func variable(_ name: String) -> String? {
      ignoringEnvironment ? nil : secure_getenv(name).map { ForeignText.readLossy($0, limit: 65_536) }
    }
    let own = paths(variable("MSDK_PLUGIN_PATH"))
    let system = variable("MSDK_PLUGIN_SYSTEM_PATH").map { paths($0) } ?? defaults(home: variable("HOME"), data: variable("XDG_DATA_HOME"))
    var seen = Set<String>()
    return (own + system).filter { path in
      guard let resolved = realpath(path, nil) else { return false }
      defer { free(resolved) }
      return seen.insert(String(cString: resolved)).inserted
    }
  }

  private static func paths(_ list: String?) -> [String] {
    (list ?? "").split(separator: ":").map(String.init).filter { $0.hasPrefix("/") }
  }

  private static func defaults(home: String?, data: String?) -> [String] {
    let ending = "mediasdk/plugins-\(MSDK_ABI_MAJOR)"
    var places: [String] = []
    if let data, data.hasPrefix("/") {
      places.append("\(data)/\(ending)")
    } else if let home, home.hasPrefix("/") {
      places.append("\(home)/.local/share/\(ending)")
    }
    if let library = libraryDirectory { places.append("\(library)/\(ending)") }
    return places + ["/usr/local/lib/\(ending)"] + (multiarch.map { ["/usr/lib/\($0)/\(ending)"] } ?? []) + ["/usr/lib/\(ending)"]
  }

  /// The directories in which an installation has its plugins and the plugin host, seen from that of the library, or of a program that has
  /// the library inside.
  public static func installations(beside directory: some StringProtocol) -> [String] {
    ([".", "../lib", "../lib64"] + (multiarch.map { ["../lib/\($0)"] } ?? [])).map { "\(directory)/\($0)/mediasdk" }
  }

  /// Where the plugins of these installations are.
  public static func installed(beside directory: some StringProtocol) -> [String] {
    installations(beside: directory).map { "\($0)/plugins-\(MSDK_ABI_MAJOR)" }
  }

  /// Debian's name of this architecture, which its library directories have.
  private static var multiarch: String? {
    #if arch(x86_64)
      "x86_64-linux-gnu"
    #elseif arch(arm64)
      "aarch64-linux-gnu"
    #else
      nil
    #endif
  }

  /// The directory that this code was loaded from.
  static var libraryDirectory: String? {
    let anchor: @convention(c) () -> Void = {}
    var info = msdk_dl_info()
    guard dladdr(unsafeBitCast(anchor, to: UnsafeRawPointer.self), &info) != 0, let name = info.file_name else { return nil }
    // A program that was found by PATH is known by its bare name.
    guard let resolved = strchr(name, 47 /* a slash */) == nil ? realpath("/proc/self/exe", nil) : realpath(name, nil) else { return nil }
    defer { free(resolved) }
    return String(cString: resolved).lastIndex(of: "/").map { String(String(cString: resolved)[..<$0]) }
  }
}
