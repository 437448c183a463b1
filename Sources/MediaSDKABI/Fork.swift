import Glibc
import MediaCore
import Synchronization

/// Whether this process is the child of a fork of one that used the SDK: its threads are gone and its locks may be held for ever.
enum Fork {
  private static let child = Atomic<Bool>(false)

  static let error = MediaError(.forked, "this process is the child of a fork(); it must exec or exit before it uses the SDK")

  @inline(__always)
  static var isChild: Bool { child.load(ordering: .relaxed) }

  /// Evaluated with the first engine.
  static let watch: Void = {
    pthread_atfork(nil, nil) { child.store(true, ordering: .relaxed) }
  }()
}
