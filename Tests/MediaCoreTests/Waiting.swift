import Glibc
import Testing

@testable import MediaCore

/// A call that is not to return before another one has left, made on a thread of its own.
func expectToWait(for visit: Visit, _ closing: @escaping @Sendable () -> Void) {
  let hasReturned = Monitor(false)
  let closer = OSThread {
    closing()
    hasReturned.withLock { $0 = true }
  }
  // Time enough for one that does not wait to be caught.
  usleep(20_000)
  #expect(!hasReturned.withLock { $0 })
  visit.end()
  closer.join()
  #expect(visit.hasLeft)
}

/// Whether it becomes true in good time.
func eventually(_ seconds: Double = 20, _ condition: () -> Bool) -> Bool {
  let end = MediaTime.monotonic() + Int64(seconds * 1e9)
  while !condition() {
    if MediaTime.monotonic() >= end { return false }
    usleep(2000)
  }
  return true
}

/// Somebody who is inside until he may leave.
final class Visit: Sendable {
  private let progress = Monitor((isInside: false, mayLeave: false, hasLeft: false))

  /// To be called where one is to be inside.
  func stay() {
    progress.withLock { $0.isInside = true }
    progress.notify()
    _ = progress.wait(until: .max) { $0.mayLeave ? true : nil }
    progress.withLock { $0.hasLeft = true }
  }

  func waitUntilInside() {
    _ = progress.wait(until: .max) { $0.isInside ? true : nil }
  }

  func end() {
    progress.withLock { $0.mayLeave = true }
    progress.notify()
  }

  var hasLeft: Bool { progress.withLock { $0.hasLeft } }
}
