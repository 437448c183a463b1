import Glibc

/// Whether this thread is inside a step of a virtual worker, which must not wait for itself.
enum VirtualWorkerThread {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var isStepping: Bool { pthread_getspecific(key) != nil }

  static func step(_ step: @Sendable () -> Int64) -> Int64 {
    pthread_setspecific(key, UnsafeRawPointer(bitPattern: 1))
    defer { pthread_setspecific(key, nil) }
    return step()
  }
}
