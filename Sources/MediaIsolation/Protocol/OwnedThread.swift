import CLinux
import Glibc

/// A thread of the SDK, and the object that it belongs to.
public enum OwnedThread {
  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  private final class Job {
    let name: String
    let owner: AnyObject
    let body: () -> Void

    init(_ name: String, _ owner: AnyObject, _ body: @escaping () -> Void) {
      (self.name, self.owner, self.body) = (name, owner, body)
    }
  }

  /// False when there is no thread to be had.
  public static func start(_ name: String, for owner: AnyObject, _ body: @escaping @Sendable () -> Void) -> Bool {
    let job = Unmanaged.passRetained(Job(name, owner, body))
    var thread = pthread_t()
    var attributes = pthread_attr_t()
    pthread_attr_init(&attributes)
    pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
    let error = msdk_thread_create(
      &thread, &attributes,
      { opaque in
        guard let opaque else { return nil }
        let job = Unmanaged<Job>.fromOpaque(opaque).takeRetainedValue()
        pthread_setname_np(pthread_self(), job.name)
        pthread_setspecific(OwnedThread.key, Unmanaged.passUnretained(job.owner).toOpaque())
        job.body()
        return nil
      }, job.toOpaque())
    pthread_attr_destroy(&attributes)
    if error != 0 { job.release() }
    return error == 0
  }

  public static func isCurrent(_ owner: AnyObject) -> Bool {
    pthread_getspecific(key) == Unmanaged.passUnretained(owner).toOpaque()
  }
}
