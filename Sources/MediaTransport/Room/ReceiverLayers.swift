import MediaCore

/// What one receiver gets of a stream in several layers. Any thread may say what it wants; frames come one at a time.
final class ReceiverLayers: Sendable {
  private struct State {
    var selection = LayerSelection()
    var preference: VideoPreference
    /// The best that the receiver has chosen, and the best that its path allows.
    var chosen = StreamLayers.most - 1
    var allowed = StreamLayers.most - 1
    /// It says how much it takes: smaller layers have to be there.
    var isAdaptive = false
    /// Of the sizes by which `selection.useful` was found; nil: of none.
    var revision: Int?
  }

  private let state: Monitor<State>

  init(preferring preference: VideoPreference = .any) { state = Monitor(State(preference: preference)) }

  /// The best that its path allows. Its publisher need not know.
  func allow(_ layer: Int) {
    state.withLock { state in
      state.allowed = layer
      state.selection.limit = min(layer, state.chosen)
    }
  }

  /// The best that it chooses, as one whose path allows now more and now less.
  func choose(_ layer: Int) {
    state.withLock { state in
      (state.chosen, state.isAdaptive) = (layer, true)
      state.selection.limit = min(layer, state.allowed)
    }
  }

  /// What it wants, of `count` layers: one, or, as its path may take less, the smaller ones too.
  func wanted(of figures: LayerFigures, count: Int) -> LayerSet {
    state.withLock { state in
      let best = min(state.chosen, figures.useful(for: state.preference), count - 1)
      return state.isAdaptive ? LayerSet(0..<max(0, best + 1)) : LayerSet([best])
    }
  }

  func prefer(_ preference: VideoPreference) { state.withLock { ($0.preference, $0.revision) = (preference, nil) } }

  func take(_ id: FrameID, of layer: Int, isKeyFrame: Bool, at time: Int64, _ flow: LayerFigures.Flow) -> LayerSelection.Outcome {
    state.withLock { state in
      if state.revision != flow.revision {
        (state.revision, state.selection.useful) = (flow.revision, flow.useful(for: state.preference))
      }
      return state.selection.take(id, of: layer, isKeyFrame: isKeyFrame, at: time, flowing: flow.flowing)
    }
  }
}
