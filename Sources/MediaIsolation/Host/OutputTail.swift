import Glibc
import IsolationProtocol
import MediaCore
import MediaPlugins

extension Spawn {
  struct Started {
    let process: pid_t
    /// What it writes to its standard output and error.
    let output: Int32
  }

  /// Starts one that lives for long, whose output is read as it comes.
  static func start(_ program: String, _ arguments: [String], descriptors: [Int32]) throws(MediaError) -> Started {
    let pipe = try Spawn.pipe()
    _ = fcntl(pipe.reading, F_SETFL, O_NONBLOCK)
    defer { close(pipe.writing) }
    do throws(MediaError) {
      let process = try start(program, arguments, output: pipe.writing, errors: pipe.writing, descriptors: descriptors)
      return Started(process: process, output: pipe.reading)
    } catch {
      close(pipe.reading)
      throw error
    }
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
