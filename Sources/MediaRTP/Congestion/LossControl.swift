import Glibc

/// The bound that losses set. Losses of a radio do not depend on how much is sent, those of an overflowing queue or a policer do: of what the
/// last five seconds showed, at the rates at which it was sent, it takes the link whose rate and inherent loss explain it best. So a link that
/// loses a tenth of whatever it is given keeps its rate, where the draft's rule (draft-ietf-rmcat-gcc-02, section 6: above 10 % down, below 2 %
/// up) would go down to nothing. A loss that was not known to be inherent is first taken for the link's bound: what is sent goes down a little,
/// and when that does not help, up again. Rates go down once a round trip, and up by 8 % an observation, faster where nothing is lost any more.
struct LossControl {
  static let span: Int64 = 250_000_000
  static let packets = 10
  static let capacity = 20
  /// Losses come in bursts and say less than as many that come alone.
  static let trust = 0.5
  /// Of an observation, with each that follows.
  static let fading = 0.88
  /// What it costs to believe in inherent loss, in nats for the whole.
  static let disbelief = 30.0
  /// A loss above it bounds the rate by itself: to the balance over what is above.
  static let bearable = 0.2
  static let balance = 200_000.0
  /// A loss above it is that of a queue that may be full: the link carries what came, and less than that lets the queue drain.
  static let overflow = 0.1
  static let drain = 0.85
  /// So much more is lost at once: the link is another.
  static let change = 0.45
  /// After so many observations without a loss the earlier ones count no more.
  static let forgiven = 3
  static let inherents = [0, 0.005, 0.01, 0.02, 0.03, 0.04, 0.05, 0.06, 0.08, 0.1, 0.12, 0.15, 0.2, 0.25, 0.3, 0.4, 0.5]
  static let steps = [0.5, 0.6, 0.7, 0.8, 0.85, 0.9, 0.95, 1, 1.05]

  private struct Observation {
    var packets = 0
    var lost = 0
    var bytes = 0
    var first = Int64.max
    var last = Int64.min
    var rate = 0.0
  }

  private var observations: [Observation] = []
  private var open = Observation()
  /// How many observations in a row saw no loss.
  private var clean = 0
  private var lowered = Int64.min
  /// Nil: losses do not limit. In bits a second.
  private(set) var bound: Double?
  /// The inherent loss that was believed.
  private(set) var inherent = 0.0
  private var recent = 0.0

  init() {
    observations.reserveCapacity(LossControl.capacity)
  }

  /// The share lost in the last observations.
  var loss: Double { recent }

  /// What is known is of another link.
  mutating func reset() {
    observations.removeAll(keepingCapacity: true)
    open = Observation()
    bound = nil
  }

  mutating func add(_ result: PacketResult) {
    if result.wasLost {
      if open.lost > 0 { open.lost -= 1 }
      return
    }
    open.packets += 1
    if result.arrival == nil { open.lost += 1 }
    open.bytes += result.size
    open.first = min(open.first, result.sent)
    open.last = max(open.last, result.sent)
  }

  /// After the packets of a feedback; what else is known of the link's rate bounds what is worth considering. `overflows`: a queue
  /// stands, of which the delays did not tell.
  mutating func update(estimate: Double, overflows: Bool, now: Int64) {
    guard open.packets >= LossControl.packets, open.last - open.first >= LossControl.span else { return }
    open.rate = 8e9 * Double(open.bytes) / Double(open.last - open.first)
    add(open, estimate, now, overflows: overflows)
  }

  /// From reports that tell no single packets: the share lost of a number, sent at a rate.
  mutating func add(packets: Int, lost: Double, rate: Double, estimate: Double, now: Int64) {
    guard packets > 0, rate > 0 else { return }
    let count = min(packets, 10_000)
    add(Observation(packets: count, lost: Int((Double(count) * min(max(0, lost), 1)).rounded()), rate: rate), estimate, now)
  }

  private mutating func add(_ observation: Observation, _ estimate: Double, _ now: Int64, overflows: Bool = false) {
    clean = observation.lost == 0 ? min(clean + 1, 100) : 0
    if hasChanged(observation) || clean >= LossControl.forgiven { observations.removeAll(keepingCapacity: true) }
    if observations.count == LossControl.capacity { observations.removeFirst() }
    observations.append(observation)
    open = Observation()
    recent += 0.3 * (Double(observation.lost) / Double(observation.packets) - recent)
    guard observations.contains(where: { $0.lost > 0 }) else {
      inherent *= 0.95
      return raise(estimate)
    }
    let reference = min(bound ?? estimate, estimate)
    var (best, chosen) = (score(.infinity), Double.infinity)
    var scores: [(rate: Double, score: Double)] = [(.infinity, best.score)]
    func consider(_ rate: Double) {
      let result = score(rate)
      scores.append((rate, result.score))
      if result.score > best.score { best = result }
    }
    for step in LossControl.steps { consider(reference * step) }
    // What came of what was sent then, which with a long queue is not now.
    let share = Double(observation.lost) / Double(observation.packets)
    let came = observation.rate * (1 - share)
    let lasting = min(recent, share)
    if overflows, lasting > LossControl.overflow {
      if LossControl.drain * came < reference, observation.first >= lowered { lower(LossControl.drain * came, reference, now) }
      return
    }
    if came > 0, came < reference, observation.rate > 0.9 * reference { consider(came) }
    // Of those that explain it about as well the highest.
    chosen = scores.reduce(0) { $1.score > best.score - 1 ? max($0, $1.rate) : $0 }
    // Where the same is sent all the time nothing new is learned, and what was learned is not soon forgotten.
    inherent += (best.inherent > inherent ? 0.3 : 0.02) * (best.inherent - inherent)
    if chosen > reference {
      raise(estimate)
    } else if chosen == reference || observation.first >= lowered {
      lower(chosen, reference, now)
    }
    // Whatever the cause, nobody is served by much of what is lost.
    if lasting > LossControl.bearable {
      let most = max(came, LossControl.balance / (lasting - LossControl.bearable))
      if most < reference, observation.first >= lowered { lower(min(most, chosen), reference, now) }
    }
  }

  /// Much more is lost of no more than was sent before: another link, of which nothing is known.
  private func hasChanged(_ observation: Observation) -> Bool {
    var (packets, lost) = (0, 0)
    for before in observations where before.rate > 0.9 * observation.rate {
      packets += before.packets
      lost += before.lost
    }
    guard packets > 0 else { return false }
    return Double(observation.lost) / Double(observation.packets) - Double(lost) / Double(packets) > LossControl.change
  }

  /// Not again before something is known of what was sent since.
  private mutating func lower(_ rate: Double, _ reference: Double, _ now: Int64) {
    bound = rate
    if rate < reference { lowered = now }
  }

  private mutating func raise(_ estimate: Double) {
    guard let before = bound else { return }
    let next = min(before, estimate) * (clean > LossControl.forgiven ? 1.2 : 1.08)
    bound = next >= estimate ? nil : next
  }

  /// The logarithms of each inherent loss and of what it leaves.
  private static let logarithms = inherents.map { logarithm($0) }

  private static func logarithm(_ share: Double) -> (lost: Double, kept: Double) {
    let share = min(max(share, 0.002), 0.998)
    return (log(share), log(1 - share))
  }

  /// The logarithm of how likely it all is on a link of that rate, with the inherent loss that suits it best.
  private func score(_ rate: Double) -> (score: Double, inherent: Double) {
    var best = (score: -Double.infinity, inherent: 0.0)
    // Those below the rate have the inherent loss in common.
    var (lost, kept, weight) = (0.0, 0.0, LossControl.trust)
    for observation in observations.reversed() {
      if observation.rate <= rate {
        lost += weight * Double(observation.lost)
        kept += weight * Double(observation.packets - observation.lost)
      }
      weight *= LossControl.fading
    }
    for (inherent, logarithm) in zip(LossControl.inherents, LossControl.logarithms) {
      var sum = lost * logarithm.lost + kept * logarithm.kept - LossControl.disbelief * max(0, inherent - self.inherent - 0.01)
      weight = LossControl.trust
      for observation in observations.reversed() {
        if observation.rate > rate {
          let above = LossControl.logarithm(inherent + (1 - inherent) * (1 - rate / observation.rate))
          sum += weight * (Double(observation.lost) * above.lost + Double(observation.packets - observation.lost) * above.kept)
        }
        weight *= LossControl.fading
      }
      if sum > best.score { best = (sum, inherent) }
    }
    return best
  }
}
