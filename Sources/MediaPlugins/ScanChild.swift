import CLinux
import Glibc
import MediaCore

/// A process that loads one plugin file and answers, and that may crash, hang or print whatever it likes. Nobody's signals are touched: only
/// this child is waited for.
struct ScanChild {
  enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
    /// Somebody else in this program waited for it.
    case unknown
    case late
    case flooding
  }

  struct Outcome {
    let end: End
    let output: [UInt8]
    /// The end of what it wrote to standard error.
    let words: String
  }

  /// More than this on its standard error is a fault of its own.
  private static let mostErrors = 1 << 20
  private static let mostWords = 200
  private static let tick: Int64 = 20_000_000

  private let process: pid_t
  private var output: Stream
  private var errors: Stream

  private struct Stream {
    var descriptor: Int32
    let most: Int
    var bytes: [UInt8] = []
    var count = 0

    /// Takes what there is; false when there is too much.
    mutating func read() -> Bool {
      let size = 65_536
      let chunk = [UInt8](unsafeUninitializedCapacity: size) { buffer, count in
        count = max(0, Glibc.read(descriptor, buffer.baseAddress, size))
      }
      guard !chunk.isEmpty else {
        end()
        return true
      }
      count += chunk.count
      bytes += chunk
      if bytes.count > most { bytes.removeFirst(bytes.count - most) }
      return true
    }

    mutating func end() {
      if descriptor >= 0 { close(descriptor) }
      descriptor = -1
    }
  }

  /// Runs it to its end, which comes at the deadline (CLOCK_MONOTONIC) at the latest. Throws when it cannot be started.
  static func run(_ program: String, _ arguments: [String], deadline: Int64) throws(MediaError) -> Outcome {
    var child = try ScanChild(program, arguments)
    return child.wait(until: deadline)
  }

  private init(_ program: String, _ arguments: [String]) throws(MediaError) {
    var output: [Int32] = [-1, -1]
    var errors: [Int32] = [-1, -1]
    guard msdk_pipe(&output) == 0 else { throw MediaError(.noMemory, "no pipe: \(SystemError.text(errno))") }
    guard msdk_pipe(&errors) == 0 else {
      let code = errno
      for descriptor in output { close(descriptor) }
      throw MediaError(.noMemory, "no pipe: \(SystemError.text(code))")
    }
    var words: [UnsafeMutablePointer<CChar>?] = ([program] + arguments).map { strdup($0) }
    words.append(nil)
    var process: pid_t = 0
    let code = msdk_spawn(program, words, output[1], errors[1], nil, 0, &process)
    for word in words { free(word) }
    close(output[1])
    close(errors[1])
    guard code == 0 else {
      close(output[0])
      close(errors[0])
      throw MediaError(.io, "\(program) cannot be started: \(SystemError.text(code))")
    }
    self.process = process
    self.output = Stream(descriptor: output[0], most: ScanAnswer.mostBytes + 1)
    self.errors = Stream(descriptor: errors[0], most: ScanChild.mostWords)
  }

  private mutating func wait(until deadline: Int64) -> Outcome {
    var end: End?
    while end == nil {
      readWhatThereIs(until: min(deadline, MediaTime.monotonic() + ScanChild.tick))
      if output.count > ScanAnswer.mostBytes || errors.count > ScanChild.mostErrors {
        end = .flooding
      } else if let ended = ended(WNOHANG) {
        // What it wrote before is in the pipes still; who holds their other ends now has nothing to say.
        readWhatThereIs(until: 0)
        end = ended
      } else if MediaTime.monotonic() >= deadline {
        end = .late
      }
    }
    // With all that it may have started.
    kill(-process, SIGKILL)
    if end == .late || end == .flooding {
      kill(process, SIGKILL)
      _ = ended(0)
    }
    output.end()
    errors.end()
    let words = ScanText.oneLine(String(decoding: errors.bytes, as: UTF8.self), most: ScanChild.mostWords)
    return Outcome(end: end ?? .unknown, output: output.bytes, words: String(words.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
  }

  /// Until then, or the end of both streams; a time that is over: all that is there now, within bounds.
  private mutating func readWhatThereIs(until: Int64) {
    for _ in 0..<64 {
      if output.descriptor < 0, errors.descriptor < 0 {
        // Closed, and not ended yet: that takes a moment.
        usleep(200)
        return
      }
      var waiting = [
        pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: errors.descriptor, events: Int16(POLLIN), revents: 0),
      ]
      let left = max(0, until - MediaTime.monotonic())
      guard poll(&waiting, 2, Int32(clamping: (left + 999_999) / 1_000_000)) > 0 else { return }
      if waiting[0].revents != 0 { _ = output.read() }
      if waiting[1].revents != 0 { _ = errors.read() }
      if output.count > ScanAnswer.mostBytes || errors.count > ScanChild.mostErrors { return }
    }
  }

  /// How it ended; nil while it runs.
  private func ended(_ options: Int32) -> End? {
    var status: Int32 = 0
    while true {
      let result = waitpid(process, &status, options)
      if result == process { break }
      if result == 0 { return nil }
      if errno != EINTR { return .unknown }
    }
    let signal = msdk_exit_signal(status)
    return signal > 0 ? .signal(signal) : .exit(msdk_exit_code(status))
  }
}
