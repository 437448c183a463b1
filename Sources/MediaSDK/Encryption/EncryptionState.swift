import MediaCore
import MediaTransport

/// How the encryption of a stream is at present. The raw values are MSDK_ENCRYPTION_* of encryption.h.
public enum EncryptionState: UInt32, Sendable {
  case active = 0x900
  case noKey = 0x901
  case wrongKey = 0x902
  case notEncrypted = 0x903
}

/// A stream whose encryption an event is about.
public enum EncryptedStream: Sendable {
  case outgoing(OutgoingStream)
  case incomingVideo(IncomingVideo)
  case incomingAudio(IncomingAudio)
}

/// Says what is news. Any thread.
final class EncryptionNotifier: Sendable {
  private let last = Monitor<EncryptionState?>(nil)
  private let push: @Sendable (EncryptionState, _ index: Int) -> Void

  init(_ push: @escaping @Sendable (EncryptionState, _ index: Int) -> Void) { self.push = push }

  func note(_ state: EncryptionState, index: Int = 0) {
    let isNews = last.withLock { last in
      defer { last = state }
      return last != state
    }
    if isNews { push(state, index) }
  }
}
