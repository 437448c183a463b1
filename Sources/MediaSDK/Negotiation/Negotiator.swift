import MediaCore
import MediaTransport

/// Chooses what a stream makes by the bandwidth estimate, and by what its receivers want. Pure: these and time in, choice out.
protocol Negotiator: Sendable {
  /// What it chooses among, best first.
  var formats: [VideoFormat] { get }
  var current: VideoFormat? { get }
  /// Slower than the format's own frame rate; nil: that rate.
  var pace: FrameRate? { get }
  /// Whether frames are encoded: raw ones need more of an estimate.
  var isEncoded: Bool { get set }
  /// Of the pixels of a format those of its smallest layer, which is what the estimate has to carry: the others give way before the format does.
  var layerPart: Double { get set }
  /// Nothing better than what satisfies this is chosen; what is too much is left, and what is wanted again is chosen, with the next update.
  var wanted: VideoPreference { get set }
  /// The pixels a second of that, as a part of those of the best.
  var wantedPart: Double { get }
  /// When `update` is worth calling again with the same estimate.
  var nextCheck: Int64? { get }
  /// Takes the estimate in bits a second (0: unlimited) and says whether the choice changed.
  mutating func update(estimate bits: UInt64, now: Int64) -> Bool
}

/// How long something has been true of the estimate, and between what it was meanwhile.
struct Hysteresis: Sendable {
  let hold: Int64
  private var begun: (at: Int64, range: ClosedRange<Double>)?

  init(hold: Int64) { self.hold = hold }

  /// When it will have lasted long enough.
  var due: Int64? { begun.map { $0.at + hold } }

  /// The least and the most that the estimate was, once it has lasted long enough, which ends it.
  mutating func lasting(_ isTrue: Bool, _ estimate: Double, now: Int64) -> ClosedRange<Double>? {
    guard isTrue else {
      end()
      return nil
    }
    let (at, range) = begun ?? (now, estimate...estimate)
    let meanwhile = min(range.lowerBound, estimate)...max(range.upperBound, estimate)
    begun = (at, meanwhile)
    guard now - at >= hold else { return nil }
    end()
    return meanwhile
  }

  mutating func end() { begun = nil }
}
