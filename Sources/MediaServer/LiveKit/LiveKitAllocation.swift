import MediaCore
import MediaRTP
import MediaTransport

/// Which layers of the streams of others the client is sent.
extension LiveKitMedia {
  /// Gives the streams that the client is sent layers for which its path has room, now and as these change.
  func allocate() {
    let now = table.clock.now()
    let sent = state.withLock { $0.remotes.filter { $0.lane != nil && !$0.isPaused } }
    guard sent.contains(where: \.stream.isVideo) else { return }
    let layers = Dictionary(uniqueKeysWithValues: sent.map { ($0.stream.id, place.layers(of: $0.stream.id)) })
    let (allowed, changes, demand, isFollowed): ([StreamID: Int], [Remote], LayerAllocator.Demand, Bool) = state.withLock { state in
      if now &- state.measured >= LiveKitMedia.measuring { state.measure(now) }
      var lanes: [LayerAllocator.Lane] = []
      for one in state.remotes where one.lane?.isVideo == true {
        guard let layers = layers[one.stream.id] else { continue }
        let isLayered = layers.count > 1
        func single(_ rate: Double?) -> [UInt64] { [rate.map { UInt64(max(1, $0)) } ?? 0] }
        lanes.append(
          LayerAllocator.Lane(
            stream: one.stream.id, rates: isLayered ? layers.map(\.bitrate) : single(one.rate), most: one.most,
            isScreen: one.stream.isScreen, rank: one.rank,
            baseRates: isLayered ? layers.map(\.baseBitrate) : single(one.baseRate), wantsBase: one.wantsBase))
      }
      defer { state.isAllocating = true }
      let allowed = state.allocator.allocate(lanes, besides: UInt64(state.audioRate), estimate: state.estimate, now: now)
      var changes: [Remote] = []
      for one in state.remotes { one.lane?.thin(state.allocator.isThinned(one.stream.id)) }
      for index in state.remotes.indices {
        guard let layer = allowed[state.remotes[index].stream.id], state.remotes[index].isHeld != (layer < 0) else { continue }
        state.remotes[index].isHeld = layer < 0
        changes.append(state.remotes[index])
      }
      return (allowed, changes, state.allocator.demand, state.isAllocating)
    }
    for (stream, layer) in allowed where (layers[stream]?.count ?? 0) > 1 { place.allow(max(0, layer), of: stream) }
    (subscriber ?? peer)?.setDemand(demand.bits, isShort: demand.isShort)
    for one in changes {
      one.lane?.hold(one.isHeld)
      owner?.change { $0.setPaused(one.sid, one.isHeld) }
    }
    guard !isFollowed else { return }
    table.loop.schedule(at: now &+ LiveKitMedia.allocation) { [weak self] in
      self?.state.withLock { $0.isAllocating = false }
      self?.allocate()
    }
  }

  func lane(_ stream: StreamID) -> PlayerLane? { state.withLock { $0.remotes.first { $0.lane?.stream == stream }?.lane } }
}
