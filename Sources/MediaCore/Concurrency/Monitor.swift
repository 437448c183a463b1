import Glibc

/// A value behind a lock, and a condition to wait for: a pthread mutex and condition variable, because the thread sanitizer knows them.
/// Foreign code is never called inside.
public final class Monitor<State>: @unchecked Sendable {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>
  private let condition: UnsafeMutablePointer<pthread_cond_t>
  private var state: State

  /// With its first value, which nobody else may refer to.
  public init(_ state: sending State) {
    self.state = state
    mutex = .allocate(capacity: 1)
    condition = .allocate(capacity: 1)
    pthread_mutex_init(mutex, nil)
    var attributes = pthread_condattr_t()
    pthread_condattr_init(&attributes)
    pthread_condattr_setclock(&attributes, CLOCK_MONOTONIC)
    pthread_cond_init(condition, &attributes)
    pthread_condattr_destroy(&attributes)
  }

  deinit {
    pthread_cond_destroy(condition)
    pthread_mutex_destroy(mutex)
    condition.deallocate()
    mutex.deallocate()
  }

  /// Runs `body` under the lock, and passes on what it returns or throws. The lock is not recursive: `body` must not use this monitor.
  @inline(__always)
  public func withLock<Result: ~Copyable, Failure: Error>(_ body: (inout State) throws(Failure) -> Result) throws(Failure) -> Result {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    return try body(&state)
  }

  /// Wakes all who wait; to be called after a change that they may wait for.
  public func notify() {
    pthread_cond_broadcast(condition)
  }

  /// Waits until `ready` gives a value, and returns it; nil when the deadline (CLOCK_MONOTONIC) passed first. `ready` runs under the lock.
  public func wait<Result>(until deadline: Int64, _ ready: (inout State) -> Result?) -> Result? {
    pthread_mutex_lock(mutex)
    defer { pthread_mutex_unlock(mutex) }
    while true {
      if let result = ready(&state) { return result }
      if deadline == .max {
        pthread_cond_wait(condition, mutex)
        continue
      }
      var time = timespec(tv_sec: Int(deadline / 1_000_000_000), tv_nsec: Int(deadline % 1_000_000_000))
      if deadline <= 0 || pthread_cond_timedwait(condition, mutex, &time) == ETIMEDOUT {
        return ready(&state)
      }
    }
  }
}

/// How long a caller is willing to wait: real time, because somebody is waiting.
public enum Deadline {
  /// In nanoseconds of CLOCK_MONOTONIC. 0 gives a deadline that has passed, `UInt32.max` one that never comes (`.max`).
  public static func after(milliseconds: UInt32) -> Int64 {
    if milliseconds == .max { return .max }
    if milliseconds == 0 { return 0 }
    return MediaTime.monotonic() + Int64(milliseconds) * 1_000_000
  }
}
