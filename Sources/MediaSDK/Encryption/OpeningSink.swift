import MediaCore
import MediaEncryption
import MediaTransport

/// Between a transport and a stream that is encrypted from end to end: hands over what the session's keys open, and nothing else. On whatever
/// thread brings the frames, one at a time.
final class OpeningSink: VideoSink, AudioSink {
  /// Frames in a row that a key does not open, until that is said: one may have been changed on its way.
  private static let patience = 3

  private let inner: any EncodedSink
  /// nil: of a stream that should be encrypted, and is not.
  private let opener: FrameOpener?
  private let notifier: EncryptionNotifier
  private let failures = Monitor(0)

  init(_ inner: any EncodedSink, _ opener: FrameOpener?, _ notifier: EncryptionNotifier) {
    (self.inner, self.opener, self.notifier) = (inner, opener, notifier)
  }

  func receive(_ frame: EncodedFrame, _ id: FrameID) {
    guard let opener else { return refuse() }
    do throws(MediaError) {
      let index = opener.index(of: frame) ?? 0
      switch try opener.open(frame) {
      case .opened(let opened):
        defer { opened.release() }
        failures.withLock { $0 = 0 }
        notifier.note(.active, index: index)
        return inner.receive(opened, id)
      case .noKey: notifier.note(.noKey, index: index)
      case .notAuthentic:
        let count = failures.withLock { failures in
          failures += 1
          return failures
        }
        if count >= OpeningSink.patience { notifier.note(.wrongKey, index: index) }
      }
    } catch {
      // Counted as dropped, as what the keys do not open.
    }
    inner.droppedOnArrival()
  }

  func receive(_ frame: VideoFrame, _ id: FrameID) { refuse() }
  func receive(_ frame: AudioFrame, _ id: FrameID) { refuse() }

  private func refuse() {
    notifier.note(.notEncrypted)
    inner.droppedOnArrival()
  }

  func waited(leavingOut pictures: UInt64, requests: UInt64) { inner.waited(leavingOut: pictures, requests: requests) }
  func droppedOnArrival() { inner.droppedOnArrival() }
}
