import CLinux
import Glibc
import MediaCore

/// What a process says that loads one plugin file, and that may crash, hang or print whatever it likes. Nobody's signals are touched: only this
/// child is waited for.
package struct ChildAnswer {
  package enum End: Equatable {
    case exit(Int32)
    case signal(Int32)
    /// Somebody else in this program waited for it.
    case unknown
    case late
    case flooding
  }

  package struct Outcome {
    package let end: End
    package let output: [UInt8]
    /// The end of what it wrote to standard error.
    package let words: String

    /// Why there is no answer about the file; nil when there is one, which may still make no sense.
    package func fault(_ path: String, patience: UInt32) -> MediaError? {
      switch end {
      case .late: return fault(.timeout, path, "a process that loaded it did not end within \(Double(patience) / 1000) s")
      case .flooding: return fault(.abi, path, "a process that loaded it wrote more than is accepted")
      case .signal(let number):
        let name = ForeignText.readLossy(strsignal(number), limit: 128)
        return fault(.pluginDied, path, "a process that loaded it was ended by signal \(number), \(name)")
      case .exit(let code) where code != 0 || output.isEmpty:
        return fault(.pluginDied, path, "a process that loaded it was ended by exit(\(code))")
      case .exit, .unknown: return nil
      }
    }

    package func senseless(_ path: String) -> MediaError { fault(.abi, path, "a process that loaded it sent an invalid answer") }

    private func fault(_ status: Status, _ path: String, _ what: String) -> MediaError {
      MediaError(status, "plugin \(path) was not loaded: \(what)\(words.isEmpty ? "" : "; its output: \(words)")")
    }
  }

  /// More than this on its standard error is a fault of its own.
  private static let mostErrors = 1 << 20
  private static let mostWords = 200
  private static let tick: Int64 = 20_000_000

  private let process: pid_t
  private let most: Int
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

  /// Runs it to its end, which comes at the deadline (CLOCK_MONOTONIC) at the latest, or with more than `most` bytes of answer. Throws when it
  /// cannot be started.
  package static func of(_ program: String, _ arguments: [String], most: Int, deadline: Int64) throws(MediaError) -> Outcome {
    var child = try ChildAnswer(program, arguments, most: most)
    return child.wait(until: deadline)
  }

  private init(_ program: String, _ arguments: [String], most: Int) throws(MediaError) {
    let output = try Spawn.pipe()
    defer { close(output.writing) }
    let errors: (reading: Int32, writing: Int32)
    do throws(MediaError) {
      errors = try Spawn.pipe()
    } catch {
      close(output.reading)
      throw error
    }
    defer { close(errors.writing) }
    do throws(MediaError) {
      process = try Spawn.start(program, arguments, output: output.writing, errors: errors.writing)
    } catch {
      close(output.reading)
      close(errors.reading)
      throw error
    }
    self.most = most
    self.output = Stream(descriptor: output.reading, most: most + 1)
    self.errors = Stream(descriptor: errors.reading, most: ChildAnswer.mostWords)
  }

  private var isFlooding: Bool { output.count > most || errors.count > ChildAnswer.mostErrors }

  private mutating func wait(until deadline: Int64) -> Outcome {
    var end: End?
    while end == nil {
      readWhatThereIs(until: min(deadline, MediaTime.monotonic() + ChildAnswer.tick))
      if isFlooding {
        end = .flooding
      } else if let ended = ended(WNOHANG) {
        // What it wrote before is in the pipes still; who holds their other ends now has nothing to say.
        readWhatThereIs(until: 0)
        end = isFlooding ? .flooding : ended
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
    let words = ScanText.oneLine(String(decoding: errors.bytes, as: UTF8.self), most: ChildAnswer.mostWords)
    return Outcome(
      end: end ?? .unknown, output: output.bytes, words: String(words.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed()))
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
        pollfd(fd: output.descriptor, events: Int16(POLLIN), revents: 0), pollfd(fd: errors.descriptor, events: Int16(POLLIN), revents: 0)
      ]
      let left = max(0, until - MediaTime.monotonic())
      guard poll(&waiting, 2, Int32(clamping: (left + 999_999) / 1_000_000)) > 0 else { return }
      if waiting[0].revents != 0 { _ = output.read() }
      if waiting[1].revents != 0 { _ = errors.read() }
      if output.count > most || errors.count > ChildAnswer.mostErrors { return }
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

/// The child's side.
package enum AnsweringChild {
  /// The descriptor to answer on, which was standard output; what the plugin prints goes to standard error from now on.
  package static func begin() -> Int32 {
    let descriptor = msdk_answering_child()
    guard descriptor >= 0 else { _exit(3) }
    return descriptor
  }

  /// Answers, and ends without running what the plugin left for exit.
  package static func end(_ descriptor: Int32, _ answer: some Sequence<UInt8>) -> Never {
    var bytes = Array(answer)[...]
    while !bytes.isEmpty {
      let count = bytes.withUnsafeBytes { write(descriptor, $0.baseAddress, $0.count) }
      if count < 0, errno == EINTR { continue }
      guard count > 0 else { _exit(3) }
      bytes = bytes.dropFirst(count)
    }
    _exit(0)
  }
}
