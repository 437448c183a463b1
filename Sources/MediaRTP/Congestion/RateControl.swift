import Glibc

/// What the link carried when it was overused, and how sure that is (draft-ietf-rmcat-gcc-02, section 5.5: the average and deviation of R_hat).
struct LinkCapacity {
  static let share = 0.05
  private(set) var estimate: Double?
  /// Of the square of the error over the estimate, in kbit/s.
  private var deviation = 0.4

  var spread: Double { 3e3 * (deviation * (estimate ?? 0) / 1e3).squareRoot() }
  var upper: Double { estimate.map { $0 + spread } ?? .infinity }
  var lower: Double { estimate.map { max(0, $0 - spread) } ?? 0 }

  mutating func overused(at rate: Double) {
    guard let before = estimate else {
      estimate = rate
      return
    }
    let next = (1 - LinkCapacity.share) * before + LinkCapacity.share * rate
    let error = (next - rate) / 1e3
    deviation = min(max((1 - LinkCapacity.share) * deviation + LinkCapacity.share * error * error / max(1, next / 1e3), 0.4), 2.5)
    estimate = next
  }

  mutating func reset() {
    self = LinkCapacity()
  }
}

/// Additive increase, multiplicative decrease by what the detector says (draft-ietf-rmcat-gcc-02, section 5.5). Rates in bits a second.
struct RateControl {
  static let decrease = 0.85
  static let growth = 1.08
  /// A second, near the link's rate and far from it. Less, as in proportion to a small rate, leaves a flow that fell low with what the others of
  /// its link have not taken: they grow by as much in the same time.
  static let leastGrowth = 12_000.0

  private enum Phase { case hold, increase }

  private(set) var rate: Double
  private var phase = Phase.hold
  private var link = LinkCapacity()
  private var lastChange: Int64?
  private var lastDecrease: Int64?
  private var roundTrip = 0.2
  /// Each time that it was taken down.
  private(set) var decreases = 0

  /// Whether it was overused at about this rate: then more is found out by little steps.
  var knowsLink: Bool { link.estimate != nil }

  init(rate: Double) {
    self.rate = rate
  }

  mutating func set(_ rate: Double, now: Int64) {
    if rate > link.upper || rate < link.lower { link.reset() }
    self.rate = rate
    lastChange = now
  }

  mutating func onRoundTrip(_ nanoseconds: Int64) {
    roundTrip = min(max(Double(nanoseconds) / 1e9, 0.001), 2)
  }

  /// `recent` is the rate of the last moments, which a fall shows in first.
  mutating func update(_ usage: LinkUsage, acknowledged: Double?, recent: Double?, limits: ClosedRange<Double>, now: Int64) {
    switch usage {
    case .under: phase = .hold
    case .over:
      phase = .hold
      reduce(acknowledged, recent, now)
    case .normal:
      if phase == .hold {
        phase = .increase
        lastChange = now
      } else {
        grow(acknowledged, now)
      }
    }
    rate = min(max(rate, limits.lowerBound), limits.upperBound)
  }

  private mutating func reduce(_ acknowledged: Double?, _ recent: Double?, _ now: Int64) {
    let interval = Int64(min(max(roundTrip, 0.01), 0.2) * 1e9)
    guard let acknowledged else {
      // At the very beginning nothing is known but that it is too much.
      guard now - (lastDecrease ?? 0) >= interval || lastDecrease == nil else { return }
      rate *= 0.5
      (lastChange, lastDecrease, decreases) = (now, now, decreases + 1)
      return
    }
    let measured = recent ?? acknowledged
    guard lastDecrease == nil || now - (lastDecrease ?? 0) >= interval || measured < 0.5 * rate else { return }
    if measured < link.lower { link.reset() }
    var next = RateControl.decrease * measured
    if next > rate, let estimate = link.estimate { next = RateControl.decrease * estimate }
    if next < rate {
      rate = next
      decreases += 1
    }
    link.overused(at: measured)
    (lastChange, lastDecrease) = (now, now)
  }

  private mutating func grow(_ acknowledged: Double?, _ now: Int64) {
    let passed = min(max(0, Double(now - (lastChange ?? now)) / 1e9), 1)
    lastChange = now
    if let acknowledged, acknowledged > link.upper { link.reset() }
    // No more than can be told from what arrives.
    let ceiling = acknowledged.map { 1.5 * $0 + 10_000 } ?? .infinity
    guard rate < ceiling else { return }
    let step =
      link.estimate == nil
      ? max(rate * (pow(RateControl.growth, passed) - 1), RateControl.leastGrowth * passed) : perSecondNearLink * passed
    rate = min(rate + step, ceiling)
  }

  /// About one packet more in each response time (section 5.5), for pictures of 30 a second in packets of 1200 bytes.
  private var perSecondNearLink: Double {
    let picture = rate / 30
    let packet = picture / max(1, (picture / 9600).rounded(.up))
    return max(RateControl.leastGrowth, packet / (roundTrip + 0.1))
  }
}
