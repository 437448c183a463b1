import CLinux
import Glibc
import MediaCore

/// Starting the program of plugins.
enum Spawn {
  struct Started {
    let process: pid_t
    /// What it writes to its standard output and error.
    let output: Int32
  }

  static func start(_ program: String, _ arguments: [String], descriptors: [Int32]) throws(MediaError) -> Started {
    var pipe: [Int32] = [-1, -1]
    guard msdk_pipe(&pipe) == 0 else { throw MediaError(.io, "no pipe for a plugin's process: \(SystemText.of(errno))") }
    _ = fcntl(pipe[0], F_SETFL, O_NONBLOCK)
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) } + [nil]
    defer { for word in words { free(word) } }
    var process: pid_t = 0
    let error = msdk_spawn(program, &words, pipe[1], pipe[1], descriptors, Int32(descriptors.count), &process)
    close(pipe[1])
    guard error == 0 else {
      close(pipe[0])
      throw MediaError(.io, "\(program) could not be started: \(SystemText.of(error))")
    }
    return Started(process: process, output: pipe[0])
  }

  /// Waits for it; somebody else may have done so already.
  static func reap(_ process: pid_t) {
    var status: Int32 = 0
    while waitpid(process, &status, 0) < 0, errno == EINTR {}
  }
}

/// The end of what a process wrote.
struct OutputTail {
  static let most = 2_048
  private var bytes: [UInt8] = []

  /// Reads what there is; false at the end.
  mutating func read(_ descriptor: Int32) -> Bool {
    while true {
      let count = withUnsafeTemporaryAllocation(byteCount: 4096, alignment: 1) { buffer in
        let count = Glibc.read(descriptor, buffer.baseAddress, buffer.count)
        if count > 0 { bytes.append(contentsOf: buffer.prefix(count)) }
        return count
      }
      if bytes.count > OutputTail.most { bytes.removeFirst(bytes.count - OutputTail.most) }
      if count < 0, errno == EINTR { continue }
      // What floods is read a little at a time.
      return count > 0 || count < 0 && errno == EAGAIN
    }
  }

  var text: String {
    String(decoding: bytes.map { $0 < 32 && $0 != 10 || $0 == 127 ? 63 : $0 }, as: UTF8.self)
      .split(separator: "\n", omittingEmptySubsequences: true).joined(separator: " | ")
  }
}
