import Glibc
import MediaCore

/// SIGINT and SIGTERM, waited for instead of interrupting: blocked before the SDK makes its threads, and looked for in between.
struct StopSignals {
  private var set = sigset_t()
  /// Whoever looked for one may have had another reason to go on: the next one who looks finds it again.
  private let hasCome = Monitor(false)

  init() {
    sigemptyset(&set)
    sigaddset(&set, SIGINT)
    sigaddset(&set, SIGTERM)
    pthread_sigmask(SIG_BLOCK, &set, nil)
  }

  /// Waits so long; says whether one came.
  func wait(milliseconds: Int) -> Bool {
    var time = timespec(tv_sec: milliseconds / 1000, tv_nsec: milliseconds % 1000 * 1_000_000)
    if hasCome.withLock({ $0 }) { return true }
    guard withUnsafePointer(to: set, { sigtimedwait($0, nil, &time) }) > 0 else { return false }
    hasCome.withLock { $0 = true }
    return true
  }

  /// Of what one of them ended before it was done.
  static func error(of what: String) -> MediaError { MediaError(.closed, "interrupted while \(what)") }

  /// From now on they end the program at once.
  func letThrough() {
    _ = withUnsafePointer(to: set) { pthread_sigmask(SIG_UNBLOCK, $0, nil) }
  }
}
