/// Time, and work that happens in time. The system clock works on threads; the virtual one on the thread that moves it.
public protocol MediaClock: AnyObject, Sendable {
  /// Whether time stands still until somebody moves it.
  var isVirtual: Bool { get }
  /// Nanoseconds, as `CLOCK_MONOTONIC` counts them.
  func now() -> Int64
  /// Nanoseconds since 1970, for what machines say to each other of the time of day.
  func wallTime() -> Int64

  /// A worker, idle until it is poked. `step` is called once for any number of pokes since it was last called, and again at the time
  /// that it returned, `.max` for none.
  func makeWorker(_ name: String, step: @escaping @Sendable () -> Int64) -> any Worker
}

/// Something that does its work step by step, one step at a time.
public protocol Worker: AnyObject, Sendable {
  /// Has a step begin, after the one that runs if there is one; several pokes before it begins are one. Any thread. Nothing after `stop`.
  func poke()

  /// No step begins any more. When it returns, none is running, unless it was called from inside a step or from foreign code.
  func stop()
}
