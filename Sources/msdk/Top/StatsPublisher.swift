import CLinux
import Glibc
import MediaCore
import MediaRuntime
import MediaSDK
import MediaTransport

/// Shows the figures of a call to `msdk top`, until it is told to end: whoever connects to the socket of this process is given one object of
/// JSON. Where the user has no directory for that, nothing is shown, and the tool goes on without.
final class StatsPublisher {
  private let path: String
  private let descriptor: Int32
  private let worker: any Worker

  init?(_ figures: CallFigures) {
    guard let directory = StatsPlace.directory else { return nil }
    mkdir(directory, 0o700)
    guard StatsPlace.isOurs(directory) else { return nil }
    let path = StatsPlace.path(of: getpid(), in: directory)
    // Of a process of before with this number.
    unlink(path)
    let descriptor = socket(AF_UNIX, Int32(SOCK_STREAM.rawValue) | Int32(SOCK_CLOEXEC.rawValue), 0)
    guard descriptor >= 0 else { return nil }
    guard StatsPlace.withAddress(path, { bind(descriptor, $0, $1) }) == 0, listen(descriptor, 8) == 0 else {
      close(descriptor)
      return nil
    }
    (self.path, self.descriptor) = (path, descriptor)
    worker = SystemClock().makeWorker("msdk-stats") {
      let client = accept(descriptor, nil, nil)
      if client < 0 { return errno == EINTR || errno == ECONNABORTED ? .min : .max }
      StatsPublisher.tell(client, figures.json.rendered() + "\n")
      close(client)
      return .min
    }
    worker.poke()
  }

  /// Nothing is shown any more.
  func end() {
    // Nobody is waited for any more.
    shutdown(descriptor, Int32(SHUT_RDWR))
    worker.stop()
    close(descriptor)
    unlink(path)
  }

  /// Who does not read is left after a second.
  private static func tell(_ client: Int32, _ text: String) {
    var patience = timeval(tv_sec: 1, tv_usec: 0)
    setsockopt(client, SOL_SOCKET, SO_SNDTIMEO, &patience, socklen_t(MemoryLayout<timeval>.size))
    let bytes = Array(text.utf8)
    var done = 0
    while done < bytes.count {
      let count = bytes.withUnsafeBytes { send(client, $0.baseAddress.map { $0 + done }, bytes.count - done, Int32(MSG_NOSIGNAL)) }
      guard count > 0 else { return }
      done += count
    }
  }
}
