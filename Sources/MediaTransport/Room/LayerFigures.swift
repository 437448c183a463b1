import MediaCore

/// What is known of the layers in which somebody publishes a stream: their sizes, how much they take, and whether they come. Written by who brings
/// the frames, read by any thread; times are those of capture.
package final class LayerFigures: Sendable {
  /// One layer.
  package struct Layer: Sendable, Equatable {
    /// Of its last key frame; 0: none has come.
    package fileprivate(set) var width: UInt32 = 0
    package fileprivate(set) var height: UInt32 = 0
    /// What it takes, in bits a second, over some seconds; 0: it does not come.
    package fileprivate(set) var bitrate: UInt64 = 0
    /// The same without its droppable frames.
    package fileprivate(set) var baseBitrate: UInt64 = 0
    /// Of the newest frame.
    fileprivate var newest: Int64?
    /// What is counted at present: since when, and how much.
    fileprivate var begin: Int64 = 0
    fileprivate var (bytes, baseBytes) = (0, 0)
  }

  private struct State {
    var layers: [Layer]
    /// Counts the changes of sizes.
    var revision = 0

    /// Of one that has not come yet, half of the next larger one that has: so publishers make them. 0: none has.
    func size(of layer: Int) -> (width: UInt32, height: UInt32) {
      guard let known = layers[layer...].firstIndex(where: { $0.width > 0 }) else { return (0, 0) }
      return (layers[known].width >> UInt32(known - layer), layers[known].height >> UInt32(known - layer))
    }

    /// Whether a layer is as large as a receiver shows it.
    func suffices(_ layer: Int, _ preference: VideoPreference) -> Bool {
      let (width, height) = size(of: layer)
      guard !preference.isAnySize, width > 0 else { return false }
      return max(width, height) >= preference.longer && min(width, height) >= preference.shorter
    }
  }

  /// Nanoseconds without a frame, after which a layer is one that does not come: its publisher has stopped it.
  static let silence: Int64 = 700_000_000
  /// Over which a rate is measured.
  static let window: Int64 = 1_000_000_000

  private let state: Monitor<State>
  /// What all receivers get together, where they are not told apart.
  let shared = ReceiverLayers()

  init(count: Int) { state = Monitor(State(layers: [Layer](repeating: Layer(), count: min(max(1, count), StreamLayers.most)))) }

  /// As they are; the smallest first.
  package var layers: [Layer] { state.withLock { $0.layers } }

  /// What there is at a frame.
  struct Flow {
    /// The layers that come.
    fileprivate(set) var flowing = LayerSet([])
    /// Changes with their sizes.
    fileprivate(set) var revision: Int
    /// It has just changed.
    fileprivate(set) var isNewSize = false
    fileprivate let figures: LayerFigures

    /// The smallest layer that is as large as a receiver shows it, or the best.
    func useful(for preference: VideoPreference) -> Int { figures.useful(for: preference) }
  }

  /// A frame of a layer has come.
  func note(_ frame: EncodedFrame, of layer: Int) -> Flow {
    let time = frame.native.pointee.timestamp_ns
    return state.withLock { state in
      guard state.layers.indices.contains(layer) else { return Flow(revision: state.revision, figures: self) }
      var flow = Flow(revision: state.revision, figures: self)
      let former = state.layers[layer].newest
      state.layers[layer].newest = max(time, state.layers[layer].newest ?? time)
      count(frame, at: time, in: &state.layers[layer])
      let size = (frame.native.pointee.width, frame.native.pointee.height)
      if frame.isKeyFrame, size.0 > 0, size != (state.layers[layer].width, state.layers[layer].height) {
        (state.layers[layer].width, state.layers[layer].height) = size
        state.revision += 1
        (flow.revision, flow.isNewSize) = (state.revision, true)
      }
      for other in state.layers.indices {
        if isFlowing(state.layers[other], at: time, after: former) {
          flow.flowing.insert(other)
        } else {
          (state.layers[other].bitrate, state.layers[other].baseBitrate) = (0, 0)
        }
      }
      return flow
    }
  }

  /// At a frame of another layer, which had one before at `former`. A slow stream's layers come if they had that one, too.
  private func isFlowing(_ layer: Layer, at time: Int64, after former: Int64?) -> Bool {
    guard let newest = layer.newest else { return false }
    guard time &- newest >= LayerFigures.silence, let former, former < time else { return time &- newest < LayerFigures.silence }
    return newest >= former &- (time &- former) / 2
  }

  private func count(_ frame: EncodedFrame, at time: Int64, in layer: inout Layer) {
    // One that comes again begins anew, and one of which nothing is known counts at once.
    if layer.bitrate == 0, layer.bytes == 0 || time &- layer.begin > 2 * LayerFigures.window {
      (layer.begin, layer.bytes, layer.baseBytes) = (time, 0, 0)
    }
    let bytes = NetworkLink.packetBytes(of: frame)
    layer.bytes += bytes
    if !frame.isDroppable { layer.baseBytes += bytes }
    let elapsed = time &- layer.begin
    guard elapsed >= LayerFigures.window else { return }
    func rate(_ bytes: Int, after former: UInt64) -> UInt64 {
      let rate = UInt64(Double(bytes) * 8 * 1_000_000_000 / Double(elapsed))
      return max(1, former == 0 ? rate : (former + rate) / 2)
    }
    (layer.bitrate, layer.baseBitrate) = (rate(layer.bytes, after: layer.bitrate), rate(layer.baseBytes, after: layer.baseBitrate))
    (layer.begin, layer.bytes, layer.baseBytes) = (time, 0, 0)
  }

  func useful(for preference: VideoPreference) -> Int {
    state.withLock { state in state.layers.indices.first { state.suffices($0, preference) } ?? StreamLayers.most - 1 }
  }
}
