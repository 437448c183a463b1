import MediaCore
import MediaSRTP

/// Seals what a session sends as data: AES-GCM as of frames, without anything in the clear (LiveKit's EncryptedPacket). Any thread.
public final class DataSealer: Sendable {
  private let ring: FrameKeyRing
  private let key: Monitor<SealingKey>

  /// With the keys that frames are sealed with.
  public init(_ ring: FrameKeyRing, random: any RandomNumberGenerator) {
    self.ring = ring
    key = Monitor(SealingKey(random: random))
  }

  /// The ciphertext with its tag; nil: there is no key. Throws `.noMemory`.
  public func seal(_ bytes: [UInt8]) throws(MediaError) -> (bytes: [UInt8], nonce: [UInt8], index: Int)? {
    try key.withLock { (key) throws(MediaError) in
      guard let (cipher, index, number) = try key.next(of: ring) else { return nil }
      var nonce = [UInt8](repeating: 0, count: SealedLayout.nonceSize)
      nonce.withUnsafeMutableBytes { SealedLayout.write(number, to: $0) }
      var sealed = [UInt8](repeating: 0, count: bytes.count + SealedLayout.tagSize)
      let isDone = sealed.withUnsafeMutableBytes { output in
        bytes.withUnsafeBytes { text in
          nonce.withUnsafeBytes { nonce in
            cipher.sealGCM(
              text, into: UnsafeMutableRawBufferPointer(rebasing: output.prefix(bytes.count)),
              tag: UnsafeMutableRawBufferPointer(rebasing: output[bytes.count...]), nonce: nonce,
              authenticating: UnsafeRawBufferPointer(start: nil, count: 0))
          }
        }
      }
      guard isDone else { throw MediaError(.noMemory, "OpenSSL encrypted no data, or had no memory for it") }
      return (sealed, nonce, index)
    }
  }
}

/// Opens the data that one participant seals, in the order in which it comes: what may be sealed with a key that is yet to be derived waits for
/// that, and what comes after it too. Any thread.
public final class DataOpener: Sendable {
  /// Data as it was sealed.
  public struct Sealed: Sendable {
    let bytes: [UInt8]
    let nonce: [UInt8]
    /// Of the key, as the sender says.
    public let index: UInt32
    /// It may be lost, and may overtake others.
    public let isLossy: Bool

    /// Any, as others can send them.
    public init(_ bytes: [UInt8], nonce: [UInt8], index: UInt32, isLossy: Bool) {
      (self.bytes, self.nonce, self.index, self.isLossy) = (bytes, nonce, index, isLossy)
    }
  }

  fileprivate struct State {
    var waiting = BoundedQueue<Sealed>(capacity: DataOpener.mostWaiting, initially: 4)
    var waitingBytes = 0
    /// Somebody opens what waits, or will when a key has been derived.
    var isBusy = false
  }

  /// Messages that wait, and their bytes; what finds no room is dropped.
  public static let (mostWaiting, mostWaitingBytes) = (1_024, 1_048_576)

  private let keys: OpeningKeys
  private let done: @Sendable (Sealed, Result<OpeningOutcome<[UInt8]>, MediaError>) -> Void
  private let state = Monitor(State())

  /// `derive` runs what it is given soon, on a thread that may take tens of milliseconds. `done` is called with each message that was taken, one
  /// at a time, on the thread that took it or on that which derives.
  public init(
    _ ring: FrameKeyRing, of userID: String, derive: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void,
    done: @escaping @Sendable (Sealed, _ opened: Result<OpeningOutcome<[UInt8]>, MediaError>) -> Void
  ) {
    keys = OpeningKeys(ring, of: userID, derive: derive)
    self.done = done
  }

  /// False: there is no room for it.
  public func take(_ data: Sealed) -> Bool {
    let (hasRoom, isFirst) = state.withLock { state in
      guard !state.waiting.isFull, state.waitingBytes + data.bytes.count <= DataOpener.mostWaitingBytes || state.waiting.isEmpty else {
        return (false, false)
      }
      _ = state.waiting.push(data)
      state.waitingBytes += data.bytes.count
      defer { state.isBusy = true }
      return (true, !state.isBusy)
    }
    if isFirst { openAll() }
    return hasRoom
  }

  private func openAll() {
    while let data = state.withLock({ $0.next() }) {
      let opened: Result<OpeningOutcome<[UInt8]>, MediaError>
      do throws(MediaError) {
        let (outcome, isDeriving) = try keys.open(index: Int(data.index), DataOpener.attempt(data)) { [weak self] in self?.openAll() }
        if isDeriving { return }
        opened = .success(outcome)
      } catch {
        opened = .failure(error)
      }
      state.withLock { state in
        _ = state.waiting.pop()
        state.waitingBytes -= data.bytes.count
      }
      done(data, opened)
    }
  }

  private static func attempt(_ data: Sealed) -> (CipherContext) -> [UInt8]? {
    let size = data.bytes.count - SealedLayout.tagSize
    guard size >= 0, data.nonce.count == SealedLayout.nonceSize else { return { _ in nil } }
    return { cipher in
      var opened = [UInt8](repeating: 0, count: size)
      let isAuthentic = opened.withUnsafeMutableBytes { output in
        data.bytes.withUnsafeBytes { bytes in
          data.nonce.withUnsafeBytes { nonce in
            cipher.openGCM(
              UnsafeRawBufferPointer(rebasing: bytes.prefix(size)), into: output, tag: UnsafeRawBufferPointer(rebasing: bytes[size...]),
              nonce: nonce, authenticating: UnsafeRawBufferPointer(start: nil, count: 0))
          }
        }
      }
      return isAuthentic ? opened : nil
    }
  }
}

extension DataOpener.State {
  /// The oldest, which stays where it is; nil: there is none, and nobody opens any more.
  fileprivate mutating func next() -> DataOpener.Sealed? {
    isBusy = !waiting.isEmpty
    return waiting.first
  }
}
