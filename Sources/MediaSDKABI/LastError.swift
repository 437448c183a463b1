import CMediaSDK
import Glibc
import MediaCore

/// The words of each thread's last failure, in memory that goes with the thread.
enum LastError {
  private static let capacity = 1024

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key) { free($0) }
    return key
  }()

  static func set(_ error: MediaError) -> msdk_result {
    if pthread_getspecific(key) == nil { pthread_setspecific(key, calloc(1, capacity)) }
    if let buffer = pthread_getspecific(key) {
      ForeignText.write(error.text, to: UnsafeMutableRawBufferPointer(start: buffer, count: capacity))
    }
    return error.status.rawValue
  }

  static var text: UnsafePointer<CChar>? {
    pthread_getspecific(key).map { UnsafePointer($0.assumingMemoryBound(to: CChar.self)) }
  }
}
