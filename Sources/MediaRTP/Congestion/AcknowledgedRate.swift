/// How much arrives at the other end, from what it reports (draft-ietf-rmcat-gcc-02, section 5.5: R_hat). Over at least a second and twenty
/// packets, five seconds at most; and over the last quarter of a second, which is what a link that has just fallen is judged by.
struct AcknowledgedRate {
  static let packets = 20
  static let capacity = 512
  static let shortest: Int64 = 1_000_000_000
  static let longest: Int64 = 5_000_000_000
  static let recent: Int64 = 250_000_000
  static let recentPackets = 5
  static let needed = 10

  private struct Arrival {
    var sent: Int64
    var arrival: Int64
    var size: Int
  }

  /// By arrival.
  private var arrivals: [Arrival] = []
  private var assumed: Double?
  private var from = Int64.min

  init() {
    arrivals.reserveCapacity(AcknowledgedRate.capacity)
  }

  mutating func reset() {
    arrivals.removeAll(keepingCapacity: true)
    assumed = nil
  }

  /// Packets in the order of their arrival. What a lost feedback told of counts as arrived, with the first of the next.
  mutating func add(_ results: [PacketResult], steppedOver: Int) {
    var extra = steppedOver
    for result in results {
      guard let arrival = result.arrival, result.sent >= from else { continue }
      if let last = arrivals.last {
        // A clock that jumped.
        let ahead = arrival &- last.arrival
        if ahead > AcknowledgedRate.longest || ahead < -1_000_000_000 { reset() }
      }
      if arrivals.count == AcknowledgedRate.capacity { arrivals.removeFirst(AcknowledgedRate.capacity / 4) }
      var index = arrivals.count
      while index > 0, arrivals[index - 1].arrival > arrival { index -= 1 }
      arrivals.insert(Arrival(sent: result.sent, arrival: arrival, size: result.size + extra), at: index)
      extra = 0
    }
    trim()
    if isTelling { assumed = nil }
  }

  private mutating func trim() {
    guard let last = arrivals.last else { return }
    var drop = 0
    while arrivals.count - drop > AcknowledgedRate.packets, last.arrival - arrivals[drop].arrival > AcknowledgedRate.shortest { drop += 1 }
    while drop < arrivals.count, last.arrival - arrivals[drop].arrival > AcknowledgedRate.longest { drop += 1 }
    // Not for each packet.
    if drop > 0 { arrivals.removeFirst(drop) }
  }

  /// Where a probe has just shown what comes through: what was sent before it says less.
  mutating func restart(_ rate: Double, sentFrom: Int64) {
    reset()
    assumed = rate
    from = sentFrom
  }

  private var isTelling: Bool {
    guard arrivals.count >= AcknowledgedRate.needed, let first = arrivals.first, let last = arrivals.last else { return false }
    return assumed == nil || last.arrival - first.arrival >= AcknowledgedRate.recent
  }

  /// In bits a second, of what arrived and was sent in a time the lesser: a queue that drains is not a faster link.
  var rate: Double? {
    isTelling ? rate(from: 0, alsoSent: true) : assumed
  }

  /// What arrived in the last moments: while the queue of the bottleneck does not empty that is what it carries.
  var recentRate: Double? {
    guard isTelling else { return assumed }
    guard arrivals.count >= AcknowledgedRate.needed, let last = arrivals.last else { return nil }
    var index = arrivals.count - 1
    while index > 0,
      arrivals.count - index <= AcknowledgedRate.recentPackets || last.arrival - arrivals[index].arrival < AcknowledgedRate.recent
    {
      index -= 1
    }
    return rate(from: index, alsoSent: false)
  }

  private func rate(from index: Int, alsoSent: Bool) -> Double? {
    guard index < arrivals.count, let last = arrivals.last else { return nil }
    var (bytes, firstSent, lastSent) = (0, Int64.max, Int64.min)
    var (gap, second) = (Int64(0), Int64(0))
    var before = arrivals[index]
    var firstSentSize = before.size
    for at in index..<arrivals.count {
      let one = arrivals[at]
      bytes += one.size
      if one.sent < firstSent { (firstSent, firstSentSize) = (one.sent, one.size) }
      lastSent = max(lastSent, one.sent)
      let between = one.arrival - before.arrival
      if between > gap { (gap, second) = (between, gap) } else if between > second { second = between }
      before = one
    }
    // One pause of the radio is as long as the next one.
    let arrived = max(last.arrival - arrivals[index].arrival - gap + second, 1_000_000)
    let sent = max(lastSent - firstSent, 1_000_000)
    let rate = 8e9 * Double(bytes - arrivals[index].size) / Double(arrived)
    return alsoSent ? min(rate, 8e9 * Double(bytes - firstSentSize) / Double(sent)) : rate
  }
}
