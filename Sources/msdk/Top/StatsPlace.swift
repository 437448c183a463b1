import Glibc
import MediaCore

/// Where running tools show their figures: a socket for each, named by its process, in a directory of the user's own.
enum StatsPlace {
  /// nil: the system gives the user no directory for such things (XDG_RUNTIME_DIR).
  static var directory: String? {
    guard let base = getenv("XDG_RUNTIME_DIR").map({ String(cString: $0) }), base.hasPrefix("/") else { return nil }
    return "\(base)/mediasdk"
  }

  /// Whether it is there, the user's, and nobody else's to enter.
  static func isOurs(_ directory: String) -> Bool {
    var status = stat()
    guard lstat(directory, &status) == 0 else { return false }
    return status.st_mode & S_IFMT == S_IFDIR && status.st_uid == geteuid() && status.st_mode & 0o077 == 0
  }

  static func path(of process: Int32, in directory: String) -> String { "\(directory)/\(process).stats" }

  /// Processes that show something, or did before they died.
  static func processes(in directory: String) -> [Int32] {
    guard isOurs(directory), let list = opendir(directory) else { return [] }
    defer { closedir(list) }
    var found: [Int32] = []
    while let entry = readdir(list) {
      let name = withUnsafePointer(to: &entry.pointee.d_name) {
        $0.withMemoryRebound(to: CChar.self, capacity: 256) { String(cString: $0) }
      }
      guard name.hasSuffix(".stats"), let process = Int32(name.dropLast(6)), process > 0 else { continue }
      found.append(process)
    }
    return found.sorted()
  }

  /// Calls it with the address of that path; nil when that is too long for one.
  static func withAddress<Result>(_ path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Result) -> Result? {
    var address = sockaddr_un()
    address.sun_family = sa_family_t(AF_UNIX)
    let text = Array(path.utf8)
    let fits = withUnsafeMutableBytes(of: &address.sun_path) { bytes in
      guard text.count < bytes.count else { return false }
      bytes.copyBytes(from: text)
      return true
    }
    guard fits else { return nil }
    return withUnsafePointer(to: address) { pointer in
      pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
    }
  }
}
