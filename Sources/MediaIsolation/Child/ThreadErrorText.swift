import Glibc
import IsolationProtocol
import MediaCore

/// The error text of a command that runs on a thread of its own.
final class ThreadErrorText {
  var error: MediaError?

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  static var current: ThreadErrorText? {
    pthread_getspecific(key).map { Unmanaged<ThreadErrorText>.fromOpaque($0).takeUnretainedValue() }
  }

  /// Of this thread, for the time of the call.
  static func collect(_ body: (ThreadErrorText) -> Void) {
    let text = ThreadErrorText()
    let around = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(text).toOpaque())
    body(text)
    pthread_setspecific(key, around)
  }
}
