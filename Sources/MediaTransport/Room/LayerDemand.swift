/// The best layer of a stream that anybody wants, as its publisher is to know it: more is wanted at once, less only after some seconds of it, so that who
/// comes and goes changes nothing. A value; time comes in.
struct LayerDemand: Sendable {
  /// Nanoseconds for which less has to be wanted.
  static let hold: Int64 = 5_000_000_000

  /// -1: none.
  private(set) var announced: Int
  private var lower: (best: Int, since: Int64)?

  /// All layers, at first.
  init(layers: Int) { announced = layers - 1 }

  /// When it is to be looked at again; nil: when something changes.
  var due: Int64? { lower.map { $0.since &+ LayerDemand.hold } }

  /// Whether that is news to the publisher. `best`: -1 if nobody wants anything.
  mutating func follow(_ best: Int, now: Int64) -> Bool {
    guard best < announced else {
      defer { (announced, lower) = (best, nil) }
      return best > announced
    }
    // The most of what was wanted meanwhile.
    lower = (max(best, lower?.best ?? best), lower?.since ?? now)
    guard let (most, since) = lower, now &- since >= LayerDemand.hold else { return false }
    (announced, lower) = (most, best < most ? (best, now) : nil)
    return true
  }
}
