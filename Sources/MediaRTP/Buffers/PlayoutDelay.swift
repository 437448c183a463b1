/// How long what arrives is held back, so that it can be handed on in even steps. Learns from how much later than the quickest things arrive
/// (RFC 3550, section 6.4.1, measures the same by its mean): long enough for 95 of 100, and nothing at all on a way without jitter.
public struct PlayoutDelay: Sendable {
  /// Bounds of the delay, and how much of the jitter it covers. What is out of range is clamped.
  public struct Settings: Sendable {
    var least: Int64 = 0
    /// The most that jitter and resends make of the delay, in nanoseconds; a minute at most.
    public var most: Int64 = 1_000_000_000
    /// Of a thousand arrivals so many are to be in time.
    var share = 950
    /// Jitter below it is not worth a delay.
    var noise: Int64 = 4_000_000

    init() {}

    /// Nothing is held back for less than nothing, or for longer than a minute.
    fileprivate var checked: Settings {
      var settings = self
      settings.least = min(max(0, least), 60_000_000_000)
      settings.most = min(max(settings.least, most), 60_000_000_000)
      settings.share = min(max(0, share), 1000)
      return settings
    }
  }

  /// Buckets of 2 ms, counts that are forgotten little by little.
  private static let width: Int64 = 2_000_000
  private static let bucketCount = 512
  /// How long the quickest arrival is the measure, so that a sender's clock may drift.
  private static let window: Int64 = 5_000_000_000

  private let settings: Settings
  private var counts = [Float](repeating: 0, count: bucketCount)
  private var total: Float = 0
  /// The quickest of this window and of the one before it: arrival less the stamp's time.
  private var quickest: Int64?
  private var former: Int64?
  private var windowEnd: Int64 = .min
  /// What the counts are measured from.
  private var origin: Int64?
  /// Held back now.
  private(set) var target: Int64
  /// Of it, what resends of lost packets take beyond what the arrivals need.
  var resend: Int64 = 0
  /// Held back beyond that, to be in step with another stream.
  var hold: Int64 = 0

  init(_ settings: Settings = Settings()) {
    self.settings = settings.checked
    target = self.settings.least
  }

  private var base: Int64? {
    switch (quickest, former) {
    case (let one?, let other?): min(one, other)
    case (let one, let other): one ?? other
    }
  }

  /// Something stamped with `time` (of the sender's, in nanoseconds, unwrapped) is whole.
  mutating func arrived(stamp time: Int64, at now: Int64) {
    let way = now &- time
    // A stamp that leads away from all others for more than the longest delay is the beginning of another time line.
    if let base, (way &- base).magnitude > UInt64(max(settings.most, 2_000_000_000) * 2) { restart() }
    if now >= windowEnd {
      (former, quickest) = (quickest, nil)
      windowEnd = now &+ PlayoutDelay.window
    }
    quickest = min(quickest ?? way, way)
    follow()
    let late = max(0, way &- (base ?? way))
    let bucket = min(Int(late / PlayoutDelay.width), PlayoutDelay.bucketCount - 1)
    counts[bucket] += 1
    total += 1
    if total > 300 {
      for index in counts.indices { counts[index] *= 0.75 }
      total *= 0.75
    }
    update()
  }

  /// The quickest have become slower: what was late by the old measure is less so by the new one, and what comes is due when it was before.
  private mutating func follow() {
    guard let base else { return }
    guard let origin, base > origin else {
      self.origin = base
      return
    }
    let buckets = (base &- origin) / PlayoutDelay.width
    guard buckets > 0 else { return }
    self.origin = origin &+ buckets &* PlayoutDelay.width
    let shift = min(Int(clamping: buckets), PlayoutDelay.bucketCount - 1)
    for place in 1..<PlayoutDelay.bucketCount {
      counts[max(0, place - shift)] += counts[place]
      counts[place] = 0
    }
    target = max(settings.least, target &- min(target, buckets &* PlayoutDelay.width))
  }

  private mutating func update() {
    var (sum, bucket) = (Float(0), 0)
    let wanted = total * Float(settings.share) / 1000
    while bucket < PlayoutDelay.bucketCount - 1 {
      sum += counts[bucket]
      if sum >= wanted { break }
      bucket += 1
    }
    let measured = Int64(bucket) * PlayoutDelay.width
    let wish = min(max(measured <= settings.noise ? 0 : measured + PlayoutDelay.width, settings.least) &+ resend, settings.most)
    // Up at once, since being late is seen; down in small steps.
    target = wish >= target ? wish : max(wish, target - max(target / 64, 250_000))
  }

  /// When something with this stamp is handed on; nil before anything arrived.
  func release(stamp time: Int64) -> Int64? {
    unheld(stamp: time).map { $0 &+ hold }
  }

  /// The same as the way of this stream alone would have it.
  func unheld(stamp time: Int64) -> Int64? {
    base.map { time &+ $0 &+ target }
  }

  mutating func restart() {
    (quickest, former, origin, windowEnd) = (nil, nil, nil, .min)
    for index in counts.indices { counts[index] = 0 }
    total = 0
  }
}
