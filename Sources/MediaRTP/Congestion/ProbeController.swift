/// When to probe, and how high: at the start at three and six times the rate, then twice as high as long as the last probe came through; where
/// the application wants more than before; after an outage at what was had before it; every few seconds where the estimate lies far below what
/// it was, where the link was never full, and where the application sends less than it may. Never above what the application could use, nor
/// while the link is overused.
struct ProbeController {
  static let first = [3.0, 6.0]
  static let further = 2.0
  /// Of a probe's rate, to go on from it.
  static let success = 0.7
  static let patience: Int64 = 1_000_000_000
  /// Between probes without an occasion; longer when a minute of them found nothing.
  static let interval: Int64 = 4_000_000_000
  static let longInterval: Int64 = 7_000_000_000
  /// While something is left out, and no link is known that could be the reason.
  static let urgentInterval: Int64 = 1_500_000_000
  static let minute: Int64 = 60_000_000_000
  /// Of what was had before: below it the estimate has fallen.
  static let fall = 0.66
  static let capacity = 4

  private(set) var pending: [ProbeCluster] = []
  private var lastId: Int32 = 0
  /// An estimate above the second, until the first, is a reason to go on.
  private var waiting: (until: Int64, above: Double)?
  private var lastProbe: Int64?
  private var fallen: Int64?
  private var hasStarted = false
  /// The highest estimate that was had.
  private(set) var peak = 0.0

  mutating func take() -> ProbeCluster? {
    pending.isEmpty ? nil : pending.removeFirst()
  }

  mutating func cancel() {
    pending.removeAll(keepingCapacity: true)
    waiting = nil
  }

  private mutating func probe(_ rates: some Sequence<Double>, _ limit: Double, _ now: Int64) {
    var highest = 0.0
    for rate in rates {
      let rate = min(rate, limit)
      guard rate > highest, pending.count < ProbeController.capacity else { continue }
      highest = rate
      lastId = lastId == .max ? 1 : lastId + 1
      pending.append(ProbeCluster(id: lastId, rate: rate))
    }
    guard highest > 0 else { return }
    lastProbe = now
    waiting = highest < limit ? (now + ProbeController.patience, ProbeController.success * highest) : nil
  }

  mutating func start(_ rate: Double, limit: Double, now: Int64) {
    guard !hasStarted else { return }
    hasStarted = true
    if limit > rate { probe(ProbeController.first.map { $0 * rate }, limit, now) }
  }

  mutating func estimate(_ rate: Double, limit: Double, now: Int64) {
    peak = max(peak, rate)
    if rate >= ProbeController.fall * peak { fallen = nil } else if fallen == nil { fallen = now }
    guard let waiting else { return }
    if now > waiting.until {
      self.waiting = nil
    } else if rate > waiting.above, rate < limit {
      probe(CollectionOfOne(ProbeController.further * rate), limit, now)
    }
  }

  /// The application could use more than before.
  mutating func demand(_ maximum: Double, rate: Double, limit: Double, now: Int64) {
    guard hasStarted, maximum > rate else { return }
    probe([maximum, 2 * maximum], limit, now)
  }

  mutating func recovered(from before: Double, rate: Double, limit: Double, now: Int64) {
    cancel()
    if before > rate { probe([max(rate, before / 2), before], limit, now) }
  }

  /// Without an occasion; `isOpen`: nothing is known that speaks against it; `isUrgent`: something is left out until more is found. Says when to
  /// be asked again.
  mutating func process(_ rate: Double, limit: Double, isOpen: Bool, isUrgent: Bool = false, now: Int64) -> Int64? {
    if let waiting, now > waiting.until { self.waiting = nil }
    guard hasStarted, waiting == nil, pending.isEmpty, fallen != nil || isOpen, rate < 0.95 * limit else { return nil }
    let interval = now - (fallen ?? now) > ProbeController.minute ? ProbeController.longInterval : ProbeController.interval
    let usual = max(lastProbe ?? 0, fallen.map { $0 + ProbeController.interval / 2 - interval } ?? .min) + interval
    let due = isUrgent ? min(usual, (lastProbe ?? 0) + ProbeController.urgentInterval) : usual
    guard now >= due else { return due }
    probe(CollectionOfOne(ProbeController.further * rate), limit, now)
    return nil
  }
}
