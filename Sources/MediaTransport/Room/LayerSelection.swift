import MediaCore

/// Which layer of a stream that comes in several of them one receiver gets: the best that it may have of those that come, from a key frame on. Its
/// frames are counted anew, so that another layer is no gap. A value; times are those of capture.
struct LayerSelection: Sendable {
  /// What becomes of a frame.
  enum Outcome: Equatable {
    /// The receiver gets it, under that number.
    case passes(FrameID)
    case skipped
    /// Skipped; a key frame of its layer is to be asked for.
    case needsKeyFrame
  }

  /// Nanoseconds between two requests for a key frame.
  static let requestPause: Int64 = 500_000_000

  /// The best layer that it may have: as its path allows, and as is of use to it.
  var limit = StreamLayers.most - 1
  var useful = StreamLayers.most - 1
  private(set) var current: Int?
  /// The number of the frame before in that layer, and of what the receiver got.
  private var (last, sent): (FrameID, FrameID) = (0, 0)
  private var asked: Int64?

  /// `flowing`: the layers that come, the smallest first.
  mutating func take(_ id: FrameID, of layer: Int, isKeyFrame: Bool, at time: Int64, flowing: LayerSet) -> Outcome {
    let target = flowing.best(upTo: min(limit, useful))
    if layer == target, layer != current {
      guard isKeyFrame else {
        if let asked, time &- asked < LayerSelection.requestPause { return .skipped }
        asked = time
        return .needsKeyFrame
      }
      (current, last, asked) = (layer, id &- 1, nil)
    }
    guard layer == current else { return .skipped }
    // What was lost in the layer is lost to the receiver.
    sent &+= id > last ? id &- last : 1
    last = id
    return .passes(sent)
  }
}

/// Some of a stream's layers.
struct LayerSet: Sendable, Equatable {
  private var bits: UInt8 = 0

  init(_ layers: some Sequence<Int>) { for layer in layers { insert(layer) } }

  mutating func insert(_ layer: Int) { bits |= 1 << UInt8(layer) }
  mutating func remove(_ layer: Int) { bits &= ~(1 << UInt8(layer)) }
  mutating func formUnion(_ other: LayerSet) { bits |= other.bits }
  var isEmpty: Bool { bits == 0 }
  func contains(_ layer: Int) -> Bool { bits & 1 << UInt8(layer) != 0 }

  /// The best of them that is not above `most`; where all are above it, the smallest. nil: there is none.
  func best(upTo most: Int) -> Int? {
    let within = bits & ((2 << UInt8(min(max(0, most), StreamLayers.most - 1))) - 1)
    if within != 0 { return 7 - within.leadingZeroBitCount }
    return bits == 0 ? nil : bits.trailingZeroBitCount
  }
}
