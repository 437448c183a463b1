/// The layers of a stream that anybody wants, as its publisher is to know it: more is wanted at once, less only after some seconds of it, so that who
/// comes and goes changes nothing. A value; time comes in.
struct LayerDemand: Sendable {
  /// Nanoseconds for which less has to be wanted.
  static let hold: Int64 = 5_000_000_000

  private(set) var announced: LayerSet
  private var hasBegun = false
  /// What was wanted since less is.
  private var fewer: (wanted: LayerSet, since: Int64)?

  /// All layers, at first.
  init(layers: Int) { announced = LayerSet(0..<layers) }

  /// When it is to be looked at again; nil: when something changes.
  var due: Int64? { fewer.map { $0.since &+ LayerDemand.hold } }

  /// Whether that is news to the publisher.
  mutating func follow(_ wanted: LayerSet, now: Int64) -> Bool {
    let former = announced
    announced.formUnion(wanted)
    // Nobody misses what nobody has had.
    if !hasBegun, !wanted.isEmpty { (hasBegun, announced) = (true, wanted) }
    guard wanted != announced else {
      fewer = nil
      return announced != former
    }
    var (meanwhile, since) = fewer ?? (wanted, now)
    meanwhile.formUnion(wanted)
    if now &- since >= LayerDemand.hold {
      announced = meanwhile
      fewer = wanted == announced ? nil : (wanted, now)
    } else {
      fewer = (meanwhile, since)
    }
    return announced != former
  }
}
