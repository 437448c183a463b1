import Glibc
import Synchronization

/// Whether this thread is inside code that is not ours: a callback of the program or a function of a plugin.
public enum ForeignCode {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// True from the outermost `run` on this thread until it returns.
  public static var isRunning: Bool { pthread_getspecific(key) != nil }

  /// Runs foreign code, noting that this thread is inside it.
  @inline(__always)
  public static func run<Result>(_ body: () -> Result) -> Result {
    let depth = UInt(bitPattern: pthread_getspecific(key))
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth + 1))
    defer { pthread_setspecific(key, UnsafeRawPointer(bitPattern: depth)) }
    return body()
  }
}

/// The door that callbacks of one object go through. Once it is closed none goes in, and whoever closed it from outside knows that none is
/// inside any more; from inside foreign code it does not wait, for it might be waiting for itself.
public final class CallbackGate: Sendable {
  private static let closedBit: UInt32 = 1 << 31
  private let inside = Atomic<UInt32>(0)
  /// Guards nothing; a state of no size would make the thread sanitizer take its neighbour in memory for it.
  private let empty = Monitor(false)

  /// Open, with no callback inside.
  public init() {}

  /// Runs the callback unless the gate is closed; says whether it ran.
  @inline(__always)
  @discardableResult
  public func run(_ callback: () -> Void) -> Bool {
    guard enter() else { return false }
    runInside(callback)
    return true
  }

  /// Goes in without running anything yet; says whether the gate was open. Then `runInside` has to follow. A thread that takes under a lock what the
  /// callback is for goes in under the same lock: when the gate is replaced there, nothing that was taken is lost.
  @inline(__always)
  public func enter() -> Bool {
    let before = inside.add(1, ordering: .acquiringAndReleasing).oldValue
    guard before & CallbackGate.closedBit == 0 else {
      leave()
      return false
    }
    return true
  }

  /// Runs the callback of the thread that went in, and goes out.
  @inline(__always)
  public func runInside(_ callback: () -> Void) {
    ForeignCode.run(callback)
    leave()
  }

  @inline(__always)
  private func leave() {
    let after = inside.subtract(1, ordering: .acquiringAndReleasing).newValue
    if after == CallbackGate.closedBit {
      empty.withLock { _ in }
      empty.notify()
    }
  }

  /// Whether no callback runs.
  public var isEmpty: Bool { inside.load(ordering: .acquiring) & ~CallbackGate.closedBit == 0 }

  /// When it returns, callbacks that ran when it was called have returned, unless the call came from inside foreign code. The gate stays open.
  public func waitUntilEmpty() {
    guard !ForeignCode.isRunning else { return }
    while !isEmpty { usleep(200) }
  }

  /// No callback runs from now on. Outside foreign code it waits, without a limit, until those that run have returned; inside it returns at
  /// once. May be called more than once.
  public func close() {
    inside.bitwiseOr(CallbackGate.closedBit, ordering: .acquiringAndReleasing)
    guard !ForeignCode.isRunning else { return }
    _ = empty.wait(until: .max) { _ in
      inside.load(ordering: .acquiring) == CallbackGate.closedBit ? true : nil
    }
  }
}
