import MediaCore

/// Streams in several layers: what their receivers get, and what their publishers are told.
extension LoopbackRoom {
  /// nil: it has one alone, or is not there.
  func layers(of id: StreamID) -> LayerFigures? { state.withLock { $0.streams[id]?.layers } }

  /// nil: the member does not receive it, or it has one alone.
  func layers(of id: StreamID, at receiver: LoopbackTransport) -> ReceiverLayers? {
    state.withLock { $0.streams[id]?.receivers.first { $0.transport === receiver }?.layers }
  }

  /// What its receivers want may be another layer now.
  func followDemand(_ id: StreamID) { state.withLock { followDemand(id, in: &$0) } }

  func followDemand(_ id: StreamID, in state: inout State) {
    guard let stream = state.streams[id], let figures = stream.layers else { return }
    let count = figures.layers.count
    let wanted = stream.receivers.reduce(into: LayerSet([])) { wanted, receiver in
      if let layers = receiver.layers { wanted.formUnion(layers.wanted(of: figures, count: count)) }
    }
    var demand = stream.demand
    if demand.follow(wanted, now: clock.now()) {
      stream.publisher.post(.layers(id, active: (0..<count).map(demand.announced.contains), bitrates: []))
    }
    state.streams[id]?.demand = demand
    guard let due = demand.due, due < stream.demandDue else { return }
    state.streams[id]?.demandDue = due
    stream.publisher.loop.schedule(at: due) {
      self.state.withLock { state in
        guard state.streams[id]?.demandDue == due else { return }
        state.streams[id]?.demandDue = .max
        self.followDemand(id, in: &state)
      }
    }
  }
}
