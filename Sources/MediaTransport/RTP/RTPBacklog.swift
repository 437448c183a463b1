import MediaCore

/// The first frames of a stream, from the newest key frame on, until somebody takes it: between the key frame that announces a stream and the
/// program that takes it there is a moment, and a sender whom nobody can ask for another one may send none for seconds. Of a stream that is not
/// taken in that moment nothing is kept, then or later. Used under the transport's lock alone.
final class RTPBacklog: @unchecked Sendable {
  typealias Kept = (frame: EncodedFrame, id: FrameID)

  private var kept: [Kept] = []
  private var bytes = 0
  private var seen = 0

  /// So many frames are a moment: a second or so.
  static let most = 30
  static let mostBytes = 4 << 20

  deinit {
    for one in kept { one.frame.release() }
  }

  var isEmpty: Bool { kept.isEmpty }

  func keep(_ frame: EncodedFrame, _ id: FrameID) {
    guard seen <= RTPBacklog.most else { return }
    seen += 1
    if frame.isKeyFrame || seen > RTPBacklog.most || bytes + frame.byteCount > RTPBacklog.mostBytes { clear() }
    guard seen <= RTPBacklog.most, frame.isKeyFrame || !kept.isEmpty, frame.byteCount <= RTPBacklog.mostBytes else { return }
    frame.retain()
    kept.append((frame, id))
    bytes += frame.byteCount
  }

  /// With their references. There will be no more.
  func take() -> [Kept] {
    seen = RTPBacklog.most + 1
    return empty()
  }

  private func clear() {
    for one in empty() { one.frame.release() }
  }

  private func empty() -> [Kept] {
    defer { (kept, bytes) = ([], 0) }
    return kept
  }
}
