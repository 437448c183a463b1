import Glibc
import Synchronization

/// Looking for a moment before going to sleep. Waking a thread costs more than handing over a picture does; where the next one comes within
/// microseconds, it is cheaper not to have slept. Only those whose last wait was short look at all, so that nothing is spent at the rates of calls.
public final class AdaptiveSpin: Sendable {
  private static let short: Int64 = 50_000
  private static let longest: Int64 = 20_000
  private let expectsSoon = Atomic<Bool>(false)

  public init() {}

  /// Returns when there is something, or it has not come in time.
  @inline(__always)
  public func spin(until isThere: () -> Bool) {
    guard expectsSoon.load(ordering: .relaxed), !isThere() else { return }
    let end = MediaTime.monotonic() + AdaptiveSpin.longest
    repeat {
      for _ in 0..<32 where isThere() { return }
      // Whoever brings it may be waiting for this very processor.
      sched_yield()
    } while MediaTime.monotonic() < end
  }

  public func learn(waited: Int64) {
    expectsSoon.store(waited < AdaptiveSpin.short, ordering: .relaxed)
  }
}
