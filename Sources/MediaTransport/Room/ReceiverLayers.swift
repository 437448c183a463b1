import MediaCore

/// What one receiver gets of a stream in several layers. Any thread may say what it wants; frames come one at a time.
final class ReceiverLayers: Sendable {
  private struct State {
    var selection = LayerSelection()
    var preference: VideoPreference
    /// The best that the receiver has chosen, and the best that its path allows.
    var chosen = StreamLayers.most - 1
    var allowed = StreamLayers.most - 1
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

  /// The best that it chooses.
  func choose(_ layer: Int) {
    state.withLock { state in
      state.chosen = layer
      state.selection.limit = min(layer, state.allowed)
    }
  }

  /// The best that it wants.
  func wanted(of figures: LayerFigures) -> Int { state.withLock { min($0.chosen, figures.useful(for: $0.preference)) } }

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
