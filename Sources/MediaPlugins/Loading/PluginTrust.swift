import CLinux
import Glibc
import MediaCore

/// Whether a file is what its owner made: nobody but root and the user of this process may write it, or put another in its place. As sshd asks
/// of the files that say who may log in.
enum PluginTrust {
  static let variable = "MSDK_PLUGIN_ALLOW_WRITABLE"

  /// For tests and development. Read whatever the engine was told of the environment, as it is a property of the machine; never in a set-user-id
  /// program.
  static var isWaived: Bool { !["", "0"].contains(secure_getenv(variable).map { ForeignText.readLossy($0, limit: 16) } ?? "") }

  /// The file, and each directory above it. What is not there passes: who opens it says so.
  static func check(_ path: String) throws(MediaError) {
    guard let resolved = PluginPolicy.resolved(path) else { return }
    try check(resolved, of: resolved)
    var directory = resolved
    while let slash = directory.lastIndex(of: "/"), directory != "/" {
      directory = slash == directory.startIndex ? "/" : String(directory[..<slash])
      try check(directory, of: resolved)
    }
  }

  private static func check(_ place: String, of file: String) throws(MediaError) {
    var status = stat()
    guard stat(place, &status) == 0 else { return }
    let isDirectory = status.st_mode & S_IFMT == S_IFDIR
    func refuse(_ what: String) -> MediaError {
      let whole = place == file ? "plugin \(file)" : "plugin \(file): its directory \(place)"
      return MediaError(.permission, "\(whole) \(what) (\(variable)=1 allows it, for development)")
    }
    guard status.st_uid == 0 || status.st_uid == geteuid() else {
      throw refuse("belongs to user \(status.st_uid); accepted: root or the user of this process")
    }
    // Nobody takes what is another's out of such a directory.
    if isDirectory, status.st_mode & S_ISVTX != 0 { return }
    guard status.st_mode & S_IWOTH == 0 else { throw refuse("is writable by all users; accepted: mode without o+w") }
    guard status.st_mode & S_IWGRP == 0 || isPrivate(group: status.st_gid, of: status.st_uid) else {
      throw refuse("is writable by group \(status.st_gid); accepted: mode without g+w")
    }
  }

  /// A group that is its user's alone, of the same name and with no other members: where users have those, files are made with g+w.
  private static func isPrivate(group: gid_t, of user: uid_t) -> Bool {
    guard let owner = name(of: user) else { return false }
    var (entry, found) = (Glibc.group(), UnsafeMutablePointer<Glibc.group>?.none)
    var texts = [CChar](repeating: 0, count: 65_536)
    guard getgrgid_r(group, &entry, &texts, texts.count, &found) == 0, found != nil, String(cString: entry.gr_name) == owner else {
      return false
    }
    var member = entry.gr_mem
    while let next = member?.pointee {
      guard String(cString: next) == owner else { return false }
      member = member?.advanced(by: 1)
    }
    return true
  }

  private static func name(of user: uid_t) -> String? {
    var (entry, found) = (passwd(), UnsafeMutablePointer<passwd>?.none)
    var texts = [CChar](repeating: 0, count: 16_384)
    guard getpwuid_r(user, &entry, &texts, texts.count, &found) == 0, found != nil else { return nil }
    return String(cString: entry.pw_name)
  }
}
