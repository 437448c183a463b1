import MediaCore

/// A bottleneck on the virtual clock: a rate that changes by a schedule, a queue bounded in packets, a delay, losses and jitter, the same for a seed.
struct SimulatedLink {
  /// From a time on, in nanoseconds, so many bits a second; in order.
  var schedule: [(from: Int64, rate: Double)]
  var delay: Int64
  var queue: Int
  var loss = 0.0
  /// Mean length of a burst of losses; 1: each falls by itself.
  var burst = 1.0
  /// Up to so much later, without overtaking.
  var jitter: Int64 = 0
  /// While the rate is 0 packets are lost, and not kept.
  var losesInOutage = true
  /// A policer: what exceeds the rate is lost and nothing waits for longer than this many nanoseconds.
  var policer: Int64?

  private var departures: [Int64] = []
  private var head = 0
  private var busyUntil: Int64 = 0
  private var isInBurst = false
  private var latest: Int64 = 0
  private var random: SeededRandom
  private(set) var dropped = 0

  init(rate: Double, delay: Int64, queue: Int, seed: UInt64) {
    schedule = [(0, rate)]
    (self.delay, self.queue) = (delay, queue)
    random = SeededRandom(seed: seed, name: "link")
  }

  func rate(at time: Int64) -> Double {
    schedule.last { $0.from <= time }?.rate ?? 0
  }

  /// When it arrives; nil: lost.
  mutating func send(_ size: Int, at now: Int64) -> Int64? {
    while head < departures.count, departures[head] <= now { head += 1 }
    if head > 1024 {
      departures.removeFirst(head)
      head = 0
    }
    if losesInOutage, rate(at: now) <= 0 { return lost() }
    if departures.count - head >= queue { return lost() }
    if let policer, busyUntil - now > policer { return lost() }
    let departure = transmitted(Double(size * 8), from: max(now, busyUntil))
    busyUntil = departure
    departures.append(departure)
    if isLost() { return lost() }
    let arrival = departure + delay + (jitter > 0 ? Int64.random(in: 0...jitter, using: &random) : 0)
    latest = max(latest + 1, arrival)
    return latest
  }

  private mutating func lost() -> Int64? {
    dropped += 1
    return nil
  }

  private mutating func isLost() -> Bool {
    guard loss > 0 else { return false }
    if burst <= 1 { return Double.random(in: 0..<1, using: &random) < loss }
    let leave = 1 / burst
    let enter = leave * loss / (1 - loss)
    isInBurst = Double.random(in: 0..<1, using: &random) < (isInBurst ? 1 - leave : enter)
    return isInBurst
  }

  private func transmitted(_ bits: Double, from start: Int64) -> Int64 {
    var (left, time) = (bits, start)
    for (index, piece) in schedule.enumerated() {
      let end = index + 1 < schedule.count ? schedule[index + 1].from : .max
      guard end > time else { continue }
      let needed = piece.rate > 0 ? left / piece.rate * 1e9 : .infinity
      if end == .max || needed <= Double(end - time) { return time + Int64(min(needed, 1e15)) }
      left -= piece.rate * Double(end - time) / 1e9
      time = end
    }
    return time
  }
}
