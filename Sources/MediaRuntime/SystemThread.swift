import CLinux
import Glibc

/// The one maker of the library's threads. They leave signals to the program's (`msdk_thread_create`).
public enum SystemThread {
  private final class Job {
    let name: String
    let body: () -> Void

    init(_ name: String, _ body: @escaping () -> Void) {
      (self.name, self.body) = (name, body)
    }
  }

  /// To be joined or detached; nil when there is no thread to be had. Of the name the first 15 bytes are seen.
  public static func make(_ name: String, _ body: @escaping @Sendable () -> Void) -> pthread_t? {
    let job = Unmanaged.passRetained(Job(name, body))
    var thread = pthread_t()
    let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { opaque in
      guard let opaque else { return nil }
      let job = Unmanaged<Job>.fromOpaque(opaque).takeRetainedValue()
      pthread_setname_np(pthread_self(), String(job.name.prefix(15)))
      job.body()
      return nil
    }
    guard msdk_thread_create(&thread, nil, entry, job.toOpaque()) == 0 else {
      job.release()
      return nil
    }
    return thread
  }

  /// For which nobody waits. False when there is no thread to be had.
  public static func start(_ name: String, _ body: @escaping @Sendable () -> Void) -> Bool {
    guard let thread = make(name, body) else { return false }
    pthread_detach(thread)
    return true
  }
}

/// For whom a thread works just now, so that whoever would wait for that work finds out that they are inside of it.
public enum ThreadOwner {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// Runs `body` with this thread working for `owner`, which is not retained. Calls may be nested; the innermost counts.
  public static func with(_ owner: AnyObject, _ body: () -> Void) {
    let former = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(owner).toOpaque())
    defer { pthread_setspecific(key, former) }
    body()
  }

  /// Whether this thread works for `owner`.
  public static func isCurrent(_ owner: AnyObject) -> Bool {
    pthread_getspecific(key) == Unmanaged.passUnretained(owner).toOpaque()
  }
}
