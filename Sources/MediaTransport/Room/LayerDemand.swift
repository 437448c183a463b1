/// The layers of a stream that anybody wants, as its publisher is to know it: one that is wanted at once, one that is not only after some seconds,
/// so that who comes and goes changes nothing. A value; time comes in.
struct LayerDemand: Sendable {
  /// Nanoseconds for which nobody has to want a layer.
  static let hold: Int64 = 5_000_000_000

  private(set) var announced: LayerSet
  private var hasBegun = false
  /// Of each layer that is announced, since when nobody wants it.
  private var unwanted: [Int64?]

  /// All layers, at first.
  init(layers: Int) { (announced, unwanted) = (LayerSet(0..<layers), [Int64?](repeating: nil, count: layers)) }

  /// When it is to be looked at again; nil: when something changes.
  var due: Int64? { unwanted.compactMap { $0 }.min().map { $0 &+ LayerDemand.hold } }

  /// Whether that is news to the publisher.
  mutating func follow(_ wanted: LayerSet, now: Int64) -> Bool {
    let former = announced
    announced.formUnion(wanted)
    // Nobody misses what nobody has had.
    if !hasBegun, !wanted.isEmpty { (hasBegun, announced) = (true, wanted) }
    for layer in unwanted.indices {
      guard announced.contains(layer), !wanted.contains(layer) else {
        unwanted[layer] = nil
        continue
      }
      let since = unwanted[layer] ?? now
      let isOver = now &- since >= LayerDemand.hold
      unwanted[layer] = isOver ? nil : since
      if isOver { announced.remove(layer) }
    }
    return announced != former
  }
}
