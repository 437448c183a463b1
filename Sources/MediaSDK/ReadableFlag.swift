import CLinux
import Glibc
import MediaCore

/// A descriptor that poll() finds readable while something waits: an eventfd, made when it is first asked for. Used under its owner's lock.
struct ReadableFlag: ~Copyable {
  private var descriptor: Int32 = -1
  private var isSet = false

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  mutating func get() throws(MediaError) -> Int32 {
    if descriptor < 0 {
      descriptor = msdk_eventfd(isSet ? 1 : 0)
      guard descriptor >= 0 else { throw MediaError(.noMemory, "no descriptor is left: eventfd failed with errno \(errno)") }
    }
    return descriptor
  }

  mutating func set(_ value: Bool) {
    guard value != isSet else { return }
    isSet = value
    guard descriptor >= 0 else { return }
    var count: UInt64 = 1
    if value {
      _ = write(descriptor, &count, 8)
    } else {
      _ = read(descriptor, &count, 8)
    }
  }
}
