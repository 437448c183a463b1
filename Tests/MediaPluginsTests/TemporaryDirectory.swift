import Glibc
import MediaCore

@testable import MediaPlugins

/// A directory of the test's own, gone with it.
final class TemporaryDirectory {
  let path: String

  init() {
    var template = Array("/tmp/mediasdk-test-XXXXXX".utf8CString)
    path = template.withUnsafeMutableBufferPointer { buffer in
      guard let start = buffer.baseAddress, mkdtemp(start) != nil else { return "" }
      return String(cString: start)
    }
  }

  deinit {
    guard let stream = opendir(path) else { return }
    while let entry = readdir(stream) {
      let name = withUnsafeBytes(of: &entry.pointee.d_name) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
      if name != ".", name != ".." { remove("\(path)/\(name)") }
    }
    closedir(stream)
    rmdir(path)
  }

  @discardableResult
  func file(_ name: String, _ bytes: [UInt8] = [], mode: mode_t = 0o644) -> String {
    let file = "\(path)/\(name)"
    let descriptor = open(file, O_CREAT | O_WRONLY | O_TRUNC, 0o644)
    _ = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
    fchmod(descriptor, mode)
    close(descriptor)
    return file
  }

  /// A program. Another process writes it: of a file that this one has open for writing a child that another test starts meanwhile has a copy, and
  /// the kernel runs no file that anybody has open for writing (ETXTBSY).
  func script(_ name: String, _ text: String) -> String {
    let file = "\(path)/\(name)"
    let writes = "printf '#!/bin/sh\\n%s\\n' \"$1\" > \"$2\" && chmod 755 \"$2\""
    _ = try? ChildAnswer.of("/bin/sh", ["-c", writes, "sh", text, file], most: 0, deadline: Deadline.after(milliseconds: 60_000))
    return file
  }
}
