import MediaCore
import MediaSRTP

/// What became of something sealed.
public enum OpeningOutcome<Opened: Sendable>: Sendable {
  /// With a reference for the caller, where it is counted.
  case opened(Opened)
  /// There is no key of that index.
  case noKey
  /// It is not sealed with the key that there is, was changed on its way, or is nothing sealed at all.
  case notAuthentic
}

extension OpeningOutcome: Equatable where Opened: Equatable {}

/// The keys that open what one participant seals: of each index those that the sender may have gone on to, too. One thing is opened at a time; keys
/// are derived on another thread.
final class OpeningKeys: Sendable {
  /// Runs what it is given soon, on a thread that may take tens of milliseconds.
  typealias Derive = @Sendable (@escaping @Sendable () -> Void) -> Void

  /// Keys after the one that opened last, which are tried for what that one does not open: a sender may have gone on to them.
  static let window = 16
  /// Keys before it, for what was under way.
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
  private let derive: Derive
  private let state = Monitor(State())

  init(_ ring: FrameKeyRing, of userID: String, derive: @escaping Derive) { (self.ring, self.userID, self.derive) = (ring, userID, derive) }

  /// `attempt` opens it with a key; nil: that is not the one. Where it is not authentic and another key is being derived, `derived` is called when
  /// that is there, or cannot be. Throws what `attempt` throws, and `.noMemory`.
  func open<Opened>(
    index: Int, _ attempt: (CipherContext) throws(MediaError) -> Opened?, derived: (@Sendable () -> Void)? = nil
  ) throws(MediaError) -> (outcome: OpeningOutcome<Opened>, isDeriving: Bool) {
    guard (0..<FrameKey.indices).contains(index) else { return (.notAuthentic, false) }
    let (outcome, last): (OpeningOutcome<Opened>, FrameKey?) = try state.withLock { state throws(MediaError) in
      try state.look(up: index, of: userID, in: ring)
      guard let chain = state.chains[index].chain else { return (.noKey, nil) }
      if let opened = try attempt(chain.links[chain.current].cipher) { return (.opened(opened), nil) }
      for link in chain.links.indices.reversed() where link != chain.current {
        guard let opened = try attempt(chain.links[link].cipher) else { continue }
        if link > chain.current {
          ring.advance(to: chain.links[link].key, at: chain.place)
          state.chains[index].chain?.advance(to: link, keeping: OpeningKeys.kept)
        }
        return (.opened(opened), nil)
      }
      return (.notAuthentic, state.chains[index].chain?.last())
    }
    guard let last else { return (outcome, false) }
    derive { [weak self] in
      self?.append(try? last.ratcheted(), after: last, index: index)
      derived?()
    }
    return (outcome, true)
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

extension OpeningKeys.State {
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
      chains[index].chain = OpeningKeys.Chain(place: place, links: [link])
    }
  }
}

extension OpeningKeys.Chain {
  fileprivate mutating func advance(to link: Int, keeping kept: Int) {
    let gone = max(0, link - kept)
    links.removeFirst(gone)
    current = link - gone
  }

  /// After which key another is to be derived; nil: there are enough, or it is being done.
  fileprivate mutating func last() -> FrameKey? {
    guard !isDeriving, links.count - 1 - current < OpeningKeys.window else { return nil }
    isDeriving = true
    return links.last?.key
  }
}
