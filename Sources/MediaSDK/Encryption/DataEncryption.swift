import CMediaSDK
import MediaCore
import MediaEncryption
import MediaRuntime
import MediaSignalling
import MediaTransport

/// End-to-end encryption of a session's data (encryption.h), with the keys of its frames. Any thread.
final class DataEncryption: Sendable {
  private struct Participant {
    let opener: DataOpener
    let notifier: EncryptionNotifier
  }

  /// Others of whom data has come.
  private static let mostParticipants = FrameKeyRing.most

  /// What the session sends is encrypted, and it takes nothing else.
  private let encrypts: Bool
  private let keys: FrameKeyRing
  private let loop: EventLoop
  private let sealer: DataSealer
  private let participants = Monitor([String: Participant]())

  /// `loop`: where keys are derived that a sender may have gone on to.
  init(_ options: SessionOptions, _ keys: FrameKeyRing, loop: EventLoop) {
    (encrypts, self.keys, self.loop) = (options.encryptsData, keys, loop)
    sealer = DataSealer(keys, random: SystemRandomNumberGenerator())
  }

  /// As it is sent. Throws `.state` where it is to be encrypted and there is no key.
  func seal(_ message: DataMessage) throws(MediaError) -> DataMessage {
    guard encrypts, let payload = LiveKitPrivateData(message.content, message.bytes, topic: message.topic) else { return message }
    guard let (bytes, nonce, index) = try sealer.seal(payload.bytes) else {
      throw MediaError(
        .state,
        "data is to be encrypted (encrypt_data), and there is no key of the index that is selected; accepted: after msdk_session_set_frame_key"
      )
    }
    var sealed = DataMessage(bytes)
    (sealed.isLossy, sealed.recipients) = (message.isLossy, message.recipients)
    sealed.content = .sealed(nonce: nonce, index: UInt32(index))
    return sealed
  }

  /// Passes on what has come, if it is encrypted as it should be: at once, or when a key has been derived that the sender has gone on to.
  func open(_ message: DataMessage, from userID: String, of session: Session) {
    guard case .sealed(let nonce, let index) = message.content else {
      guard encrypts else { return session.take(message, from: userID) }
      participant(userID, of: session)?.notifier.note(.notEncrypted)
      return
    }
    guard let participant = participant(userID, of: session) else { return }
    let sealed = DataOpener.Sealed(message.bytes, nonce: nonce, index: index, isLossy: message.isLossy)
    // Where too much waits for a key, the one that there is does not open it.
    if !participant.opener.take(sealed) { participant.notifier.note(.wrongKey, index: Int(clamping: index)) }
  }

  func left(_ userID: String) { participants.withLock { $0[userID] = nil } }

  func leave() { participants.withLock { $0 = [:] } }

  private func participant(_ userID: String, of session: Session) -> Participant? {
    participants.withLock { participants in
      if let known = participants[userID] { return known }
      guard participants.count < DataEncryption.mostParticipants else { return nil }
      let notifier = EncryptionNotifier { [weak session] state, index in
        session?.push(.dataEncryption(userID: userID, state, keyIndex: index))
      }
      let opener = DataOpener(keys, of: userID, derive: { [loop] job in loop.post(job) }) { [weak session] sealed, opened in
        if let session { DataEncryption.pass(sealed, opened, from: userID, notifier, to: session) }
      }
      let made = Participant(opener: opener, notifier: notifier)
      participants[userID] = made
      return made
    }
  }

  private static func pass(
    _ sealed: DataOpener.Sealed, _ opened: Result<OpeningOutcome<[UInt8]>, MediaError>, from userID: String, _ notifier: EncryptionNotifier,
    to session: Session
  ) {
    let index = Int(clamping: sealed.index)
    switch opened {
    case .failure(let error):
      session.engine.logger.log(MSDK_LOG_WARN.level32, .session, "data of \"\(userID.prefix(64))\" was dropped: \(error.text)")
    case .success(.noKey): notifier.note(.noKey, index: index)
    case .success(.notAuthentic): notifier.note(.wrongKey, index: index)
    case .success(.opened(let bytes)):
      notifier.note(.active, index: index)
      // Somebody who has a key may have sealed what is none, or what is of a kind that is not reported.
      guard let (content, bytes, topic) = try? LiveKitPrivateData(bytes).data else { return }
      var message = DataMessage(bytes)
      (message.content, message.topic, message.isLossy) = (content, topic, sealed.isLossy)
      session.take(message, from: userID)
    }
  }
}
