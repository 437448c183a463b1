/// Whether the bottleneck's queue grows, shrinks or stays (draft-ietf-rmcat-gcc-02, section 5.4).
public enum LinkUsage: Sendable, Equatable {
  case normal, over, under
}

/// The slope of the queueing delay, as a line through the last bursts, against a threshold that follows what the link does anyway
/// (draft-ietf-rmcat-gcc-02, section 5.4; the line in place of its Kalman filter is what libwebrtc does since 2016).
struct OveruseDetector {
  static let window = 20
  static let smoothing = 0.9
  static let gain = 4.0
  static let countMaximum = 60
  static let initialThreshold = 12.5
  static let thresholds = 6.0...600.0
  /// How fast the threshold follows, in 1/ms, when it is exceeded and when not.
  static let up = 0.0087
  static let down = 0.039
  /// Overuse lasts this long before it is told.
  static let patience = 10.0

  private var times: [Double] = []
  private var delays: [Double] = []
  private var accumulated = 0.0
  private var smoothed = 0.0
  private var count = 0
  private var threshold = OveruseDetector.initialThreshold
  private var lastAdapted: Double?
  private var overusedFor: Double?
  private var overuses = 0
  private var previousTrend = 0.0
  private(set) var usage = LinkUsage.normal

  init() {
    times.reserveCapacity(OveruseDetector.window)
    delays.reserveCapacity(OveruseDetector.window)
  }

  mutating func reset() {
    let threshold = threshold
    self = OveruseDetector()
    self.threshold = threshold
  }

  mutating func add(_ delta: ArrivalDelta) {
    count = min(count + 1, 1000)
    accumulated += delta.arrived - delta.sent
    smoothed = OveruseDetector.smoothing * smoothed + (1 - OveruseDetector.smoothing) * accumulated
    if times.count == OveruseDetector.window {
      times.removeFirst()
      delays.removeFirst()
    }
    times.append(delta.arrival)
    delays.append(smoothed)
    // A line through less tells little.
    let trend = times.count == OveruseDetector.window ? slope() ?? previousTrend : previousTrend
    detect(trend, delta)
  }

  /// By least squares.
  private func slope() -> Double? {
    let number = Double(times.count)
    let meanTime = times.reduce(0, +) / number
    let meanDelay = delays.reduce(0, +) / number
    var (above, below) = (0.0, 0.0)
    for index in times.indices {
      let distance = times[index] - meanTime
      above += distance * (delays[index] - meanDelay)
      below += distance * distance
    }
    return below > 0 ? above / below : nil
  }

  private mutating func detect(_ trend: Double, _ delta: ArrivalDelta) {
    defer { previousTrend = trend }
    guard count >= 2 else { return }
    let scaled = Double(min(count, OveruseDetector.countMaximum)) * trend * OveruseDetector.gain
    if scaled > threshold {
      overusedFor = (overusedFor ?? -delta.sent / 2) + delta.sent
      overuses += 1
      if (overusedFor ?? 0) > OveruseDetector.patience, overuses > 1, trend >= previousTrend {
        (overusedFor, overuses) = (0, 0)
        usage = .over
      }
    } else {
      (overusedFor, overuses) = (nil, 0)
      usage = scaled < -threshold ? .under : .normal
    }
    adapt(scaled, delta.arrival)
  }

  /// Flows that fill queues until they overflow would starve this one if it did not bear as much as they cause (section 5.4).
  private mutating func adapt(_ scaled: Double, _ time: Double) {
    let passed = min(max(0, time - (lastAdapted ?? time)), 100)
    lastAdapted = time
    let size = abs(scaled)
    // A single leap, of a route or of a radio, teaches nothing.
    if size > threshold + 15 { return }
    let pace = size < threshold ? OveruseDetector.down : OveruseDetector.up
    threshold = min(
      max(threshold + pace * (size - threshold) * passed, OveruseDetector.thresholds.lowerBound), OveruseDetector.thresholds.upperBound)
  }
}
