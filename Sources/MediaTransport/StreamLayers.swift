import MediaCore

/// The layers in which a video stream is sent, the smallest first, and what its transport lets each of them take: of a layer that nobody receives
/// nothing need be encoded (dynacast). Pure; kept by the stream, and by its transport where that has to announce them.
public struct StreamLayers: Sendable, Equatable {
  /// What the transport allows for one size of the stream.
  public struct Layer: Sendable, Equatable {
    /// Whether somebody receives it.
    public var isActive = true
    /// The most that it may take, in bits a second; 0: no bound of its own.
    public var bitrate: UInt64 = 0
  }

  /// A room server forwards up to three sizes: a quarter, a half, and the whole.
  public static let most = 3
  /// One layer, active and not bounded.
  public static let one = StreamLayers(count: 1)

  /// Of so many layers, less one, none is received.
  private static let allUnreceived = (1...most).map { count in
    var layers = StreamLayers(count: count)
    layers.follow(active: [], bitrates: [])
    return layers
  }

  /// The same layers, of which none is received.
  public var unreceived: StreamLayers { StreamLayers.allUnreceived[layers.count - 1] }

  /// The smallest first, one to three.
  public private(set) var layers: [Layer]

  /// All active, none bounded; 1 to 3.
  public init(count: Int) {
    layers = [Layer](repeating: Layer(), count: min(max(1, count), StreamLayers.most))
  }

  /// The size of a layer of a stream that is so large: each is half as wide and high as the next, with even sides.
  public func size(of layer: Int, width: UInt32, height: UInt32) -> (width: UInt32, height: UInt32) {
    let halvings = UInt32(layers.count - 1 - layer)
    guard halvings > 0 else { return (width, height) }
    return (max(2, (width >> halvings) & ~1), max(2, (height >> halvings) & ~1))
  }

  /// Of the pixels of the best layer those of the smallest that is received; 1 if none is.
  public var smallestPart: Double {
    guard let smallest = layers.firstIndex(where: \.isActive) else { return 1 }
    return (smallest..<layers.count - 1).reduce(1) { part, _ in part / 4 }
  }

  /// What a transport says, which may come from a network: what it does not name is not active, or not bounded, and names of what does not exist
  /// are nothing.
  public mutating func follow(active: [Bool], bitrates: [UInt64]) {
    for index in layers.indices {
      layers[index].isActive = active.indices.contains(index) && active[index]
      layers[index].bitrate = bitrates.indices.contains(index) ? bitrates[index] : 0
    }
  }

  /// Whether anything of the stream is received.
  public var isActive: Bool { layers.contains(where: \.isActive) }

  /// Of a rate that is to be made of all active layers together, so much as they may take; never below `least`.
  public func bounded(_ bitrate: UInt64, least: UInt64) -> UInt64 {
    let active = layers.filter(\.isActive)
    guard !active.isEmpty, active.allSatisfy({ $0.bitrate > 0 }) else { return bitrate }
    let bound = active.reduce(UInt64(0)) { sum, layer in
      let (sum, isOver) = sum.addingReportingOverflow(layer.bitrate)
      return isOver ? .max : sum
    }
    return min(bitrate, max(least, bound))
  }

  /// For a transport that has one: `.unsupported` for more. `place` names it.
  package func checkIsOne(over place: String) throws(MediaError) {
    guard layers.count == 1 else { throw MediaError(.unsupported, "the stream has \(layers.count) layers; accepted over \(place): 1") }
  }
}
