import MediaCore
import MediaRTP
import MediaSignalling
import MediaTransport

/// Streams of others, and what of them the client wants.
extension LiveKitMedia {
  func add(_ stream: StreamDescription) { state.withLock { $0.remotes.append(Remote(stream: stream)) } }

  /// Whose it is; nil: it is not known.
  func publisher(of stream: StreamID) -> String? { state.withLock { $0.remotes.first { $0.stream.id == stream }?.stream.userID } }

  /// Whose it was; nil: it is not known.
  func remove(_ stream: StreamID) -> String? {
    stop(stream)
    defer { arrange() }
    return state.withLock { state in
      state.remotes.firstIndex { $0.stream.id == stream }.map { state.remotes.remove(at: $0).stream.userID }
    }
  }

  private func stop(_ stream: StreamID) {
    let lane: PlayerLane? = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }) else { return nil }
      if let mid = state.remotes[index].mid.take() { state.vacated.insert(mid) }
      return state.remotes[index].lane.take()
    }
    guard let lane else { return }
    place.unsubscribe(from: stream)
    if let subscriber { subscriber.endSection(of: lane.stream) } else { peer?.transport.unpublish(lane.stream) }
  }

  /// The client takes a track, or does not any more.
  func setWanted(_ sid: String, _ isWanted: Bool) {
    if !isWanted, let stream = LiveKitRegistry.stream(of: sid) { stop(stream) }
    arrange()
  }

  /// The client is not to be sent a track for the moment, or is again.
  func setPaused(_ sid: String, _ isPaused: Bool) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    let lane: PlayerLane? = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }), state.remotes[index].isPaused != isPaused else {
        return nil
      }
      state.remotes[index].isPaused = isPaused
      return state.remotes[index].lane
    }
    guard let lane else { return }
    if isPaused { return place.unsubscribe(from: stream) }
    lane.follow(stream)
    subscribe(to: stream, lane)
  }

  func subscribe(to stream: StreamID, _ lane: PlayerLane) {
    place.subscribe(to: stream, .encoded(lane))
    guard lane.isVideo, let most = state.withLock({ $0.remotes.first { $0.stream.id == stream }?.most }) else { return }
    place.choose(most, of: stream)
    allocate()
  }

  /// What is of use to the client of a track, the best of its layers, and how much it matters beside others.
  func setPreference(_ sid: String, _ preference: VideoPreference, layer: Int, rank: UInt8) {
    guard let stream = LiveKitRegistry.stream(of: sid) else { return }
    guard (try? preference.check(argument: sid)) != nil else { return }
    let isSent: Bool = state.withLock { state in
      guard let index = state.remotes.firstIndex(where: { $0.stream.id == stream }) else { return false }
      (state.remotes[index].most, state.remotes[index].rank) = (layer, rank)
      state.remotes[index].wantsBase = preference.frameRate.map { $0.perSecond <= LiveKitMedia.baseRate } ?? false
      return state.remotes[index].lane != nil
    }
    place.prefer(preference, of: stream)
    place.choose(layer, of: stream)
    // A message may be of thousands of tracks, and few of them are sent.
    if isSent { allocate() }
  }

  /// How well the client is connected; nil: it is not known yet.
  func sampleQuality(now: Int64) -> LiveKitConnectionQuality? {
    let figures = [peer, subscriber].map { $0?.transport.networkFigures ?? NetworkFigures() }
    return state.withLock { $0.quality.sample(figures, isLost: $0.wasConnected && !$0.isConnected, now: now) }
  }
}
