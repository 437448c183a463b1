import MediaCore

/// Somebody who wants the newest picture of a stream. It is called on whatever thread brings a picture, and must neither wait nor run
/// foreign code.
protocol FrameTap: AnyObject, Sendable {
  /// Borrowed.
  func offer(_ frame: VideoFrame)
}

/// Those who tap one stream.
final class FrameTaps: Sendable {
  private let taps = Monitor<[any FrameTap]>([])

  var isEmpty: Bool { taps.withLock { $0.isEmpty } }

  func add(_ tap: any FrameTap) {
    taps.withLock { $0.append(tap) }
  }

  func remove(_ tap: any FrameTap) {
    taps.withLock { $0.removeAll { $0 === tap } }
  }

  func removeAll() {
    taps.withLock { $0 = [] }
  }

  /// Says whether somebody took it.
  @discardableResult
  func offer(_ frame: VideoFrame) -> Bool {
    let taps = taps.withLock { $0 }
    for tap in taps { tap.offer(frame) }
    return !taps.isEmpty
  }
}
