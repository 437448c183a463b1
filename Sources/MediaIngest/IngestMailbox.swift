import CLinux
import Glibc
import MediaCore

/// What other threads have to say to a door's thread, and the descriptor that wakes it.
final class IngestMailbox: @unchecked Sendable {
  struct Mail {
    var released: [(connection: UInt64, slot: UInt32)] = []
    var wantsKeyFrame = false
  }

  let descriptor: Int32
  private let mail = Monitor(Mail())

  init() throws(MediaError) {
    descriptor = msdk_eventfd(0)
    guard descriptor >= 0 else { throw MediaError(.noMemory, "out of file descriptors: eventfd failed with errno \(errno)") }
  }

  deinit {
    Glibc.close(descriptor)
  }

  func released(_ slot: UInt32, of connection: UInt64) { post { $0.released.append((connection, slot)) } }
  func requestKeyFrame() { post { $0.wantsKeyFrame = true } }
  func wake() { post { _ in } }

  private func post(_ change: (inout Mail) -> Void) {
    mail.withLock { change(&$0) }
    var count: UInt64 = 1
    _ = write(descriptor, &count, 8)
  }

  /// All that has come.
  func take() -> Mail {
    var count: UInt64 = 0
    _ = read(descriptor, &count, 8)
    return mail.withLock { mail in
      defer { mail = Mail() }
      return mail
    }
  }
}
