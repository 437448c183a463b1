import Glibc
import MediaCore
import Synchronization

/// Polling for a moment before going to sleep. Waking a thread costs more than handing over a frame does; where the next one comes within
/// microseconds, it is cheaper not to have slept. Only those whose last wait was short poll at all, so that nothing is spent at the rates of calls;
/// where a vain poll keeps others from a processor, whoever polled in vain polls more rarely. Used by whoever waits; by several only without `mostSkipped`.
public final class AdaptiveSpin: Sendable {
  /// After a wait that was longer the next one is not polled for.
  private let short: Int64
  /// How long it polls.
  public let longest: Int64
  /// Waits that are not polled for at most, after polls in vain: 0 for none.
  private let mostSkipped: UInt32
  private let expectsSoon = Atomic<Bool>(false)
  private let left = Atomic<UInt32>(0)
  private let penalty = Atomic<UInt32>(0)
  private static let processors = sysconf(Int32(_SC_NPROCESSORS_ONLN))

  /// The default is for threads of one process, which yield to whoever brings what they wait for.
  public init(short: Int64 = 50_000, longest: Int64 = 20_000, mostSkipped: UInt32 = 0) {
    (self.short, self.longest, self.mostSkipped) = (short, longest, mostSkipped)
  }

  // MARK: Threads

  /// Returns when there is something, or it has not come in time.
  @inline(__always)
  public func spin(until isThere: () -> Bool) {
    guard expectsSoon.load(ordering: .relaxed), !isThere() else { return }
    let end = MediaTime.monotonic() + longest
    repeat {
      for _ in 0..<32 where isThere() { return }
      // Whoever brings it may be waiting for this very processor.
      sched_yield()
    } while MediaTime.monotonic() < end
  }

  /// To be called after each wait, in nanoseconds: whether the next one is polled for depends on the last.
  public func learn(waited: Int64) {
    expectsSoon.store(waited < short, ordering: .relaxed)
  }

  // MARK: Processes

  /// Whether to poll for what another process brings. `here` and `there`: the processor of the caller, and the one where the other process was last: where
  /// they share one, polling would keep that from running.
  public func spins(here: UInt32, there: UInt32) -> Bool {
    guard expectsSoon.load(ordering: .relaxed), AdaptiveSpin.processors > 1, here != there else { return false }
    let skipped = left.load(ordering: .relaxed)
    if skipped > 0 { left.store(skipped - 1, ordering: .relaxed) }
    return skipped == 0
  }

  /// `spun`: what `spins` said; `found`: it came while that was polled for.
  public func learn(waited: Int64, spun: Bool, found: Bool) {
    learn(waited: waited)
    guard spun else { return }
    let former = penalty.load(ordering: .relaxed)
    let next = found ? former / 2 : min(former * 2 + 4, mostSkipped)
    penalty.store(next, ordering: .relaxed)
    left.store(found ? 0 : next, ordering: .relaxed)
  }
}
