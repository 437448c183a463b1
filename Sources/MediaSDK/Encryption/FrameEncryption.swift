import MediaCore
import MediaEncryption
import MediaRuntime
import MediaTransport

/// End-to-end encryption of a session (encryption.h): its keys, and whether it encrypts what it sends. Any thread.
final class FrameEncryption: Sendable {
  /// Frames of a stream that may be in use decrypted.
  private static let (mostVideo, mostAudio) = (512, 2_048)

  /// What the session sends is encrypted, and it takes nothing else.
  let encrypts: Bool
  let keys: FrameKeyRing
  /// Where its rooms do not say which streams are encrypted, all are as the session's own.
  private let isSaid: Bool
  /// Where keys are derived that a sender may have gone on to: a thread that there is once one is.
  let loop: EventLoop

  init(_ options: SessionOptions, _ features: TransportFeatures, clock: any MediaClock) {
    (encrypts, isSaid) = (options.encrypts, features.contains(.encryption))
    keys = FrameKeyRing(of: options.userID)
    loop = EventLoop("msdk-keys", clock: clock)
  }

  func close() { loop.stop() }

  /// Throws `.unsupported` for a codec whose frames cannot be encrypted, if they are to be.
  func check(_ codec: UInt32) throws(MediaError) {
    guard !encrypts || EncryptableCodecs.contains(codec) else {
      let what = codec == FourCC.raw ? "raw" : "of the codec \(FourCC.text(codec))"
      throw MediaError(
        .unsupported, "a stream that is \(what) cannot be encrypted (encrypt_frames); accepted: \(EncryptableCodecs.accepted)")
    }
  }

  /// Of a published stream; nil: its frames are sent as they are.
  func sealer(_ codec: UInt32) -> FrameSealer? {
    encrypts ? FrameSealer(keys, codec: codec, random: SystemRandomNumberGenerator()) : nil
  }

  /// Whether a stream of somebody else's is encrypted, as far as it is known.
  func isEncrypted(_ stream: StreamDescription) -> Bool { isSaid ? stream.isEncrypted : encrypts }

  /// What a stream is subscribed with: the sink itself, or one that opens its frames.
  func sink(_ sink: StreamSink, of stream: StreamDescription, _ push: @escaping @Sendable (EncryptionState, Int) -> Void) -> StreamSink {
    let isEncrypted = isEncrypted(stream)
    guard isEncrypted || encrypts else { return sink }
    let isAudio = if case .audio = stream.format { true } else { false }
    let most = isAudio ? FrameEncryption.mostAudio : FrameEncryption.mostVideo
    let opener = FrameOpener(keys, of: stream.userID, codec: stream.codec, most: most) { [loop] job in loop.post(job) }
    let opening = OpeningSink(sink.encoded, isEncrypted ? opener : nil, EncryptionNotifier(push))
    return isAudio ? .audio(opening) : .video(opening)
  }
}

extension Session {
  /// Sets a key, or (empty) removes it; `userID` nil: of everybody who has none of their own. The session's own is what it encrypts with. Takes
  /// tens of milliseconds. Throws `.range` for the index or the length of the key, `.invalid` for the user id, `.full`.
  public func setFrameKey(_ key: [UInt8], of userID: String?, index: Int) throws(MediaError) {
    try checkKey(of: userID, index: index)
    try encryption.keys.set(key.isEmpty ? nil : FrameKey(key, argument: "key"), of: userID, index: index)
  }

  /// Encrypts with the key of that index from the next frame on; at first it is 0. Throws `.range`.
  public func selectFrameKey(index: Int) throws(MediaError) {
    try checkKey(of: nil, index: index)
    encryption.keys.select(index)
  }

  /// Replaces a key by the one that is derived of it. Throws `.notFound` where none is set, and as `setFrameKey`.
  public func ratchetFrameKey(of userID: String?, index: Int) throws(MediaError) {
    try checkKey(of: userID, index: index)
    try encryption.keys.ratchet(userID, index: index)
  }

  private func checkKey(of userID: String?, index: Int) throws(MediaError) {
    if let userID { try Session.checkName(userID, argument: "user_id") }
    guard (0..<FrameKey.indices).contains(index) else {
      throw MediaError(.range, "index is \(index); accepted: 0..\(FrameKey.indices - 1)")
    }
  }

  /// The encryption of a stream that the session publishes is another.
  func encryptionChanged(of id: StreamID, _ state: EncryptionState, index: Int) {
    let (video, audio) = guarded.withLock { ($0.outgoing[id], $0.sound.outgoing[id]) }
    guard let stream = video.map({ OutgoingStream.video($0) }) ?? audio.map({ .audio($0) }) else { return }
    push(.encryption(.outgoing(stream), state, keyIndex: index))
  }
}
