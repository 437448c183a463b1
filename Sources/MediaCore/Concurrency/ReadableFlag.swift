import CLinux
import Glibc

/// A descriptor that poll() finds readable while something is queued: an eventfd, made when it is first asked for. Used under its owner's lock.
public final class ReadableFlag: @unchecked Sendable {
  private var descriptor: Int32 = -1
  private var isSet = false

  /// Not set, and without a descriptor.
  public init() {}

  deinit {
    if descriptor >= 0 { close(descriptor) }
  }

  /// The descriptor, the same each time; the flag owns it and closes it at its own end. `.noMemory`: the system has none left.
  public func get() throws(MediaError) -> Int32 {
    if descriptor < 0 {
      descriptor = msdk_eventfd(isSet ? 1 : 0)
      guard descriptor >= 0 else { throw MediaError(.noMemory, "out of file descriptors: eventfd failed with errno \(errno)") }
    }
    return descriptor
  }

  /// Makes the descriptor readable, or no longer readable. It never blocks, and setting the same value again does nothing.
  public func set(_ value: Bool) {
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
