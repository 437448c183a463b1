import MediaCore

/// The keys of a session: those of others, by user id, and one for all who have none of their own. Any thread.
public final class FrameKeyRing: Sendable {
  /// Whose key, and which of theirs.
  struct Place: Equatable {
    /// nil: everybody's.
    let userID: String?
    let index: Int
  }

  private struct State {
    var keys: [(place: Place, key: FrameKey)] = []
    /// The index of those that the session seals with.
    var selected = 0
    /// Changes whenever a key or the index does.
    var generation: UInt64 = 1

    func key(of userID: String?, _ index: Int) -> FrameKey? {
      keys.first { $0.place.index == index && $0.place.userID == userID }?.key
    }
  }

  /// Bounded by what a program can need.
  public static let most = 4_096

  private let own: String
  private let state = Monitor(State())

  /// `own`: the user id of the session itself.
  public init(of own: String) { self.own = own }

  /// Throws `.full` beyond `most` keys.
  public func set(_ key: FrameKey?, of userID: String?, index: Int) throws(MediaError) {
    try state.withLock { state throws(MediaError) in
      let place = Place(userID: userID, index: index)
      let known = state.keys.firstIndex { $0.place == place }
      guard key == nil || known != nil || state.keys.count < FrameKeyRing.most else {
        throw MediaError(.full, "the session has \(FrameKeyRing.most) keys; remove those of participants who have left")
      }
      if let known { state.keys.remove(at: known) }
      if let key { state.keys.append((place, key)) }
      state.generation += 1
    }
  }

  /// The key that is set for exactly them goes on to the one that is derived of it. Throws `.notFound`, and `.noMemory`.
  public func ratchet(_ userID: String?, index: Int) throws(MediaError) {
    advance(to: try key(setFor: userID, index: index).ratcheted(), at: Place(userID: userID, index: index))
  }

  /// Throws `.notFound`.
  func key(setFor userID: String?, index: Int) throws(MediaError) -> FrameKey {
    guard let key = state.withLock({ $0.key(of: userID, index) }) else {
      let whose = userID.map { "of \"\($0.prefix(64))\"" } ?? "of everybody"
      throw MediaError(.notFound, "there is no key \(whose) with index \(index); accepted: one that is set (msdk_session_set_frame_key)")
    }
    return key
  }

  /// Goes on to a derived key, as a sender has, or the program wants; not where the session is further, or has another key by now.
  func advance(to key: FrameKey, at place: Place) {
    state.withLock { state in
      guard let known = state.keys.firstIndex(where: { $0.place == place }) else { return }
      let former = state.keys[known].key
      guard former.root == key.root, former.steps < key.steps else { return }
      state.keys[known].key = key
      state.generation += 1
    }
  }

  /// With which frames are sealed from now on.
  public func select(_ index: Int) {
    state.withLock { state in
      state.selected = index
      state.generation += 1
    }
  }

  /// Whether what was looked up before is as it was.
  func isCurrent(_ generation: UInt64) -> Bool { state.withLock { $0.generation == generation } }

  /// Of the session itself: its own, or else everybody's.
  func sealing() -> (found: (key: FrameKey, index: Int)?, generation: UInt64) {
    state.withLock { state in
      let key = state.key(of: own, state.selected) ?? state.key(of: nil, state.selected)
      return (key.map { ($0, state.selected) }, state.generation)
    }
  }

  /// Of somebody's frames: theirs, or else everybody's.
  func opening(_ userID: String, index: Int) -> (found: (key: FrameKey, place: Place)?, generation: UInt64) {
    state.withLock { state in
      let theirs = state.key(of: userID, index)
      let key = theirs ?? state.key(of: nil, index)
      return (key.map { ($0, Place(userID: theirs == nil ? nil : userID, index: index)) }, state.generation)
    }
  }
}
