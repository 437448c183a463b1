import Glibc
import MediaCore

@testable import MediaPlugins

/// A file of this process that has other contents for every input.
private struct ScratchFile {
  let path: String

  init(_ name: String) {
    path = "/dev/shm/msdk-fuzz-\(name)-\(getpid())"
    unlink(path)
  }

  func write(_ bytes: UnsafeRawBufferPointer) {
    let descriptor = open(path, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
    guard descriptor >= 0 else { fatalError("no file \(path)") }
    defer { close(descriptor) }
    guard Glibc.write(descriptor, bytes.baseAddress, bytes.count) == bytes.count else { fatalError("\(path) cannot be written") }
  }
}

/// A file that claims to be a shared object.
enum ElfHeaders: FuzzTarget {
  static let name = "elf"
  private static let file = ScratchFile("elf")

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    file.write(bytes)
    defer { unlink(file.path) }
    // A build-id is also read of a file that changed after it was checked.
    let id = ElfFile.buildID(file.path)
    expect(id.count <= bytes.count)
    try ElfFile.check(file.path)
  }
}

/// A file of answers about plugins that somebody else may have written. Half of the inputs have its first line and its last.
enum ScanCacheFile: FuzzTarget {
  static let name = "scan_cache"
  private static let file = ScratchFile("cache")

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    var input = Input(bytes)
    if input.byte() & 1 == 0 {
      file.write(input.rest)
    } else {
      let whole = Array("\(ScanCache.head)\n".utf8) + input.rest + Array("\nend\n".utf8)
      whole.withUnsafeBytes { file.write($0) }
    }
    defer { unlink(file.path) }
    let cache = ScanCache(path: file.path)
    for (path, entry) in cache.entries {
      expect(path.hasPrefix("/"), "a path that is none")
      _ = cache.answer(for: path, entry.identity, now: entry.time)
    }
  }
}

/// What a process says that loaded a plugin file.
enum ScanAnswers: FuzzTarget {
  static let name = "scan_answer"

  static func run(_ bytes: UnsafeRawBufferPointer) throws {
    guard let answer = ScanAnswer(Array(bytes)) else { return }
    switch answer {
    case .accepted(let ids), .isolated(let ids): expect(!ids.isEmpty && ids.allSatisfy(ScanAnswer.isID), "classes that are none")
    case .refused: break
    }
    // What was refused in words is cut and cleaned.
    guard let again = ScanAnswer(Array(answer.text.utf8)) else { fatalError("an answer is not read as it was written") }
    expect(again.text == answer.text, "an answer is not read as it was written")
  }
}
