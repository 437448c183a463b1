import CMediaSDK
import MediaCore
import MediaSRTP

/// Opens the frames of one stream that somebody else seals. One frame at a time; what it derives comes from another thread.
public final class FrameOpener: Sendable {
  /// What became of a frame.
  public enum Outcome: Sendable, Equatable {
    /// With a reference for the caller.
    case opened(EncodedFrame)
    /// There is no key of that index.
    case noKey
    /// It is not sealed with the key that there is, was changed on its way, or is no sealed frame at all.
    case notAuthentic
  }

  /// Keys after the one that opened last, which are tried for what that one does not open: a sender may have gone on to them.
  static let window = 16
  /// Keys before it, for frames that were under way.
  private static let kept = 4

  /// The keys of one index, each derived of the one before.
  fileprivate struct Chain {
    let place: FrameKeyRing.Place
    var links: [(key: FrameKey, cipher: CipherContext)]
    /// The one that opened last.
    var current = 0
    var isDeriving = false
  }

  fileprivate struct State: @unchecked Sendable {
    /// By index, each with the generation of the keys at which it was looked up.
    var chains = [(chain: Chain?, generation: UInt64)](repeating: (nil, 0), count: FrameKey.indices)
  }

  private let ring: FrameKeyRing
  private let userID: String
  private let codec: UInt32
  private let pool: BufferPool
  private let derive: @Sendable (@escaping @Sendable () -> Void) -> Void
  private let state = Monitor(State())

  /// `most`: frames that may be in use. `derive` runs what it is given soon, on a thread that may take tens of milliseconds.
  public init(
    _ ring: FrameKeyRing, of userID: String, codec: UInt32, most: Int, derive: @escaping @Sendable (@escaping @Sendable () -> Void) -> Void
  ) {
    (self.ring, self.userID, self.codec, self.derive) = (ring, userID, codec, derive)
    pool = BufferPool(limit: most)
  }

  /// The index of the key that a frame is sealed with; nil: it is not sealed.
  public func index(of frame: EncodedFrame) -> Int? { SealedLayout.parts(of: frame.bytes, codec)?.index }

  /// Borrowed. Throws `.noMemory`: all that may be are in use.
  public func open(_ frame: EncodedFrame) throws(MediaError) -> Outcome {
    guard let parts = SealedLayout.parts(of: frame.bytes, codec), parts.index < FrameKey.indices else { return .notAuthentic }
    let (outcome, last): (Outcome, FrameKey?) = try state.withLock { state throws(MediaError) in
      try state.look(up: parts.index, of: userID, in: ring)
      guard let chain = state.chains[parts.index].chain else { return (.noKey, nil) }
      if let opened = try open(parts, frame, chain.links[chain.current].cipher) { return (.opened(opened), nil) }
      for link in chain.links.indices.reversed() where link != chain.current {
        guard let opened = try open(parts, frame, chain.links[link].cipher) else { continue }
        if link > chain.current {
          ring.advance(to: chain.links[link].key, at: chain.place)
          state.chains[parts.index].chain?.advance(to: link, keeping: FrameOpener.kept)
        }
        return (.opened(opened), nil)
      }
      return (.notAuthentic, state.chains[parts.index].chain?.last())
    }
    let index = parts.index
    if let last { derive { [weak self] in self?.append(try? last.ratcheted(), after: last, index: index) } }
    return outcome
  }

  private func open(_ parts: SealedLayout.Parts, _ frame: EncodedFrame, _ cipher: CipherContext) throws(MediaError) -> EncodedFrame? {
    var isAuthentic = true
    let size = parts.clear.count + parts.text.count
    let opened = try EncodedFrame.make(size: size, attributes: frame.native.pointee, from: pool, deadline: 0) { output in
      output.copyMemory(from: parts.clear)
      isAuthentic = cipher.openGCM(
        parts.text, into: UnsafeMutableRawBufferPointer(rebasing: output[parts.clear.count...]), tag: parts.tag, nonce: parts.nonce,
        authenticating: parts.clear)
      return isAuthentic
    }
    guard opened != nil || !isAuthentic else { throw MediaError(.noMemory, "all decrypted frames of the stream are in use") }
    return opened
  }

  private func append(_ key: FrameKey?, after last: FrameKey, index: Int) {
    state.withLock { state in
      state.chains[index].chain?.isDeriving = false
      // Another key may have been set meanwhile.
      guard state.chains[index].chain?.links.last?.key == last else { return }
      if let key, let cipher = try? CipherContext(gcm: key.cipherKey) { state.chains[index].chain?.links.append((key, cipher)) }
    }
  }
}

extension FrameOpener.State {
  fileprivate mutating func look(up index: Int, of userID: String, in ring: FrameKeyRing) throws(MediaError) {
    guard !ring.isCurrent(chains[index].generation) else { return }
    let (found, generation) = ring.opening(userID, index: index)
    chains[index].generation = generation
    guard let (key, place) = found else {
      chains[index].chain = nil
      return
    }
    let former = chains[index].chain.flatMap { $0.place == place ? $0 : nil }
    // Where the session has gone on to another key of the chain, the sender may have not.
    if let former, former.links.contains(where: { $0.key == key }) { return }
    let link = (key, try CipherContext(gcm: key.cipherKey))
    if let last = former?.links.last?.key, last.root == key.root, last.steps < key.steps {
      chains[index].chain?.links.append(link)
    } else {
      chains[index].chain = FrameOpener.Chain(place: place, links: [link])
    }
  }
}

extension FrameOpener.Chain {
  fileprivate mutating func advance(to link: Int, keeping kept: Int) {
    let gone = max(0, link - kept)
    links.removeFirst(gone)
    current = link - gone
  }

  /// After which key another is to be derived; nil: there are enough, or it is being done.
  fileprivate mutating func last() -> FrameKey? {
    guard !isDeriving, links.count - 1 - current < FrameOpener.window else { return nil }
    isDeriving = true
    return links.last?.key
  }
}
