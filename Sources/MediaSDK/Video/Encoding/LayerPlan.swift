import MediaCore
import MediaTransport

/// How much each layer of a stream is to take of what the stream may send: the small ones first, as they reach everybody, and none that would look worse
/// than a smaller one. Pure; it knows which layers it gave something before.
struct LayerPlan {
  /// Bits a second; 0: the layer is not encoded.
  private(set) var bitrates: [UInt64] = []

  /// Of what the layer above would take: as many bits a pixel.
  static let part = 0.25
  /// A layer that gets less of its wish is left out, as a format that has less bits a pixel is not chosen.
  static let least = FormatNegotiator.neededBitsPerPixel / FormatNegotiator.targetBitsPerPixel

  /// What all active layers, and the best if it is needed here, take of what the best takes alone.
  static func sum(of layers: StreamLayers, hasBest: Bool = false) -> Double {
    guard layers.layers.count > 1 else { return 1 }
    var (sum, weight) = (0.0, 1.0)
    for (index, layer) in layers.layers.enumerated().reversed() {
      if layer.isActive || hasBest && index == layers.layers.count - 1 { sum += weight }
      weight *= part
    }
    return sum
  }

  /// `wish`: what the best layer would take without a bound. `total`: what all may take. `hasBest`: the best is needed here, whoever receives it.
  mutating func update(_ layers: StreamLayers, wish: UInt64, total: UInt64, hasBest: Bool) {
    let former = bitrates
    let best = layers.layers.count - 1
    bitrates = layers.layers.map { _ in 0 }
    var left = total
    var isFirst = true
    for (index, layer) in layers.layers.enumerated() where layer.isActive || index == best && hasBest {
      var wanted = UInt64(Double(wish) * (0..<best - index).reduce(1) { weight, _ in weight * LayerPlan.part })
      if layer.bitrate > 0 { wanted = min(wanted, layer.bitrate) }
      let isNew = former.count != bitrates.count || former[index] == 0
      let needed = Double(wanted) * LayerPlan.least * (isNew && !former.isEmpty ? FormatNegotiator.headroom : 1)
      guard isFirst || Double(left) >= needed || index == best && hasBest else { continue }
      bitrates[index] = max(1_000, min(wanted, left))
      left -= min(left, bitrates[index])
      isFirst = false
    }
  }
}
