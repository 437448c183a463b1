import Glibc
import MediaCore

/// Whole files of text.
enum FileWriter {
  /// Replaces what is there, unless it must be new. What is secret only its owner may read.
  static func write(_ text: String, to path: String, isNew: Bool = false, isSecret: Bool = false) throws(MediaError) {
    let file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | (isNew ? O_EXCL : O_TRUNC), isSecret ? 0o600 : 0o666)
    guard file >= 0 else { throw failure(path) }
    defer { close(file) }
    // One that was there keeps its mode.
    if isSecret, fchmod(file, 0o600) != 0 { throw failure(path) }
    var rest = Array(text.utf8)[...]
    while !rest.isEmpty {
      let written = rest.withUnsafeBytes { Glibc.write(file, $0.baseAddress, $0.count) }
      if written < 0, errno == EINTR { continue }
      guard written > 0 else { throw failure(path) }
      rest = rest.dropFirst(written)
    }
  }

  static func failure(_ path: String) -> MediaError {
    MediaError(.io, "\(path): \(String(cString: strerror(errno)))")
  }
}
