import Glibc

/// A thread of the system, for what must block or must not be on a thread of the test's: joined when the test is done with it.
final class OSThread {
  private var thread = pthread_t()

  init(_ body: @escaping @Sendable () -> Void) {
    final class Box {
      let body: @Sendable () -> Void
      init(_ body: @escaping @Sendable () -> Void) { self.body = body }
    }
    pthread_create(
      &thread, nil,
      { argument in
        if let argument { Unmanaged<Box>.fromOpaque(argument).takeRetainedValue().body() }
        return nil
      }, Unmanaged.passRetained(Box(body)).toOpaque())
  }

  func join() {
    pthread_join(thread, nil)
  }
}

/// Lets others run.
func sched() {
  sched_yield()
}
