import MediaCore
import Synchronization

/// Somebody who wants the newest picture of a stream. It is called on whatever thread brings a picture, and must neither wait nor run
/// foreign code.
protocol FrameTap: AnyObject, Sendable {
  /// Borrowed.
  func offer(_ frame: VideoFrame)
}

/// Those who tap one stream.
final class FrameTaps: Sendable {
  private let taps = Monitor<[any FrameTap]>([])
  /// How many there are: a frame that nobody taps takes no lock.
  private let count = Atomic<Int>(0)

  var isEmpty: Bool { count.load(ordering: .acquiring) == 0 }

  func add(_ tap: any FrameTap) {
    change { $0.append(tap) }
  }

  func remove(_ tap: any FrameTap) {
    change { $0.removeAll { $0 === tap } }
  }

  func removeAll() {
    change { $0 = [] }
  }

  private func change(_ body: (inout [any FrameTap]) -> Void) {
    taps.withLock { taps in
      body(&taps)
      count.store(taps.count, ordering: .releasing)
    }
  }

  /// Says whether somebody took it.
  @discardableResult
  func offer(_ frame: VideoFrame) -> Bool {
    guard !isEmpty else { return false }
    let taps = taps.withLock { $0 }
    for tap in taps { tap.offer(frame) }
    return !taps.isEmpty
  }
}
