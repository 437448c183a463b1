/// What a path does just now, by the packets sent over it.
public enum PathState: Sendable, Equatable {
  /// Nothing was reported yet.
  case starting
  case normal
  /// Its queue grows, or it was just taken down for that.
  case congested
  /// Losses limit the rate.
  case lossy
  /// What is sent is not reported any more.
  case outage
}

/// How much may be sent on a transport: delay-based and loss-based congestion control of the sender (draft-ietf-rmcat-gcc-02 and what libwebrtc
/// does since: bursts, a line through delays, a measured rate, probes, a window for what is in flight). All rates in bits a second, all times in
/// nanoseconds of one monotonic clock. Memory is bounded by that of `SendHistory` and windows of seconds. It has one owner: to look at it is not to
/// copy it, which would count a reference to each of its windows.
public struct BandwidthEstimator: ~Copyable, Sendable {
  /// Between what the estimate stays, and where it begins, in bits a second.
  public struct Limits: Sendable, Equatable {
    /// 5 kbit/s to 10 Gbit/s; what is outside is taken for the nearest of them.
    public var minimum: Int
    /// Moved to within the other two.
    public var start: Int
    /// Not less than `minimum`, and up to 10 Gbit/s.
    public var maximum: Int

    /// Nothing is refused: an estimator moves each of them to within its bounds.
    public init(minimum: Int = 30_000, start: Int = 300_000, maximum: Int = 20_000_000) {
      (self.minimum, self.start, self.maximum) = (minimum, start, maximum)
    }
  }

  /// No feedback for this long, with packets out, is an outage; twice the round trip comes on top.
  static let silence: Int64 = 600_000_000
  static let longestSilence: Int64 = 1_500_000_000
  /// So long something was sent since.
  static let sending: Int64 = 250_000_000
  /// After the last packet nothing is looked after any more.
  static let idle: Int64 = 2_000_000_000
  /// Of receiver reports, which come every few seconds (RFC 3550, section 6.2).
  static let reportSilence: Int64 = 12_000_000_000
  /// Beyond the shortest round trip, losses are of the past.
  static let stale: Int64 = 1_000_000_000
  /// Beyond the shortest round trip, in flight: two feedbacks and a queue.
  static let queue = 0.35
  static let drain = 0.5
  /// Beyond the shortest round trip: what comes after a silence has waited in a queue that still stands, so nothing was out but the link is slow.
  static let late: Int64 = 350_000_000
  /// Beyond the shortest round trip, for a while: a queue that stands.
  static let standing: Int64 = 150_000_000
  /// The least that is left of more before it is an outage, for a moment: pictures wait in the pacer anyway, and formats need not follow.
  static let unheard = 100_000.0
  /// Of the rate: where no more was left than that while nothing was heard, what was known before has to be found out again.
  static let cut = 1.0 / 16
  static let pacing = 1.5
  /// Of what could be used, as a format or a layer begins with as much to spare.
  static let spare = 1.25
  static let pacingInCongestion = 1.25

  private(set) var limits: Limits
  /// The most that a probe may show: what the application could use, and a quarter more.
  private var allocation = 0.0
  /// What it would need to give all that it has; 0: it does.
  private var wanted = 0.0
  /// The demand that probes were sent for, or a lower one since.
  private var demandProbed = Double.infinity
  private var hasTransportFeedback: Bool

  private var history = SendHistory()
  /// When sending began again, after a pause in which word of all that was sent before could have come.
  private var resumed = Int64.min
  private var groups = InterArrival()
  private var detector = OveruseDetector()
  private var rates = AcknowledgedRate()
  private var control: RateControl
  private var losses = LossControl()
  private var application = ApplicationLimit()
  private var probing = ProbeController()
  private var probed = ProbeEstimator()
  private var roundTrips = RoundTrips()
  private var watch = FeedbackTimeout()
  private var arrived: [PacketResult] = []

  private var lastFeedback: Int64?
  private var lastSent: Int64?
  private var lastCongested: Int64?
  private var remb = Double.infinity
  /// In bits a second.
  private static let leastRemb = 150_000
  /// The rate before the outage that is on.
  private var before: Double?
  /// Since when word comes in it, late.
  private var lateSince: Int64?
  private var lossesCountFrom = Int64.min
  /// Since the last receiver report.
  private var sentSince = (packets: 0, bytes: 0, from: Int64?.none)
  private var window = 1.0

  /// Without transport-wide feedback it goes by receiver reports and REMB.
  public init(_ limits: Limits = Limits(), hasTransportFeedback: Bool = true) {
    self.limits = BandwidthEstimator.checked(limits)
    self.hasTransportFeedback = hasTransportFeedback
    control = RateControl(rate: Double(self.limits.start))
  }

  private static func checked(_ limits: Limits) -> Limits {
    let minimum = min(max(5000, limits.minimum), 10_000_000_000)
    let maximum = min(max(minimum, limits.maximum), 10_000_000_000)
    return Limits(minimum: minimum, start: min(max(minimum, limits.start), maximum), maximum: maximum)
  }

  private var range: ClosedRange<Double> { Double(limits.minimum)...Double(limits.maximum) }
  private var base: Double {
    before == nil ? min(control.rate, losses.bound ?? .infinity, hasTransportFeedback ? .infinity : remb) : range.lowerBound
  }
  /// While nothing is heard what was not tried lately counts for nothing.
  private var usable: Double {
    guard watch.share < 1 else { return base }
    return min(base, max(BandwidthEstimator.unheard, max(rates.rate ?? base, Double(limits.start)) * watch.share))
  }
  private var probeLimit: Double { min(range.upperBound, allocation > 0 ? allocation : .infinity) }
  /// A queue that was full from the beginning on: delays that do not grow any more tell nothing of it.
  private var isFull: Bool { control.decreases == 0 && hasQueue }
  private func clamped(_ rate: Double) -> Double { min(max(rate, range.lowerBound), range.upperBound) }

  // MARK: What it says

  /// Much waits somewhere on the path.
  var hasQueue: Bool {
    guard let smoothed = roundTrips.smoothed, let shortest = roundTrips.shortest else { return false }
    return smoothed - shortest > BandwidthEstimator.standing
  }

  /// What the link is thought to carry.
  public var estimate: Int { Int(clamped(base)) }
  /// What encoders and retransmissions may make together: the estimate, less while more is in flight than it should be, and much less while
  /// nothing is heard of it.
  public var target: Int { Int(clamped(max(min(usable, BandwidthEstimator.unheard), usable * window))) }
  /// For the pacer: half more than the target, a quarter more while the path is congested.
  public var pacingRate: Int {
    Int(
      clamped(usable * window)
        * (state == .normal || state == .starting ? BandwidthEstimator.pacing : BandwidthEstimator.pacingInCongestion))
  }
  /// Nothing is heard of what was sent: more of it would wait where it cannot be taken back from.
  public var holdsPictures: Bool { watch.isHolding }
  /// After the last call.
  public private(set) var state = PathState.starting
  /// What arrives, where it is known.
  public var acknowledged: Int? { rates.rate.map { Int(min($0, 1e12)) } }
  /// Bytes that were sent and not reported yet.
  public var inFlight: Int { history.inFlight }
  /// Smoothed; nil: not known yet.
  public var roundTrip: Int64? { roundTrips.smoothed }
  /// The share that was lost lately.
  public var loss: Double { losses.loss }
  /// What the delays say of the link's queue.
  public var usage: LinkUsage { detector.usage }
  /// The application sends less than it may.
  public var isApplicationLimited: Bool { application.isLimited }

  /// A probe to be sent, once.
  public mutating func takeProbe() -> ProbeCluster? {
    guard let cluster = probing.take() else { return nil }
    probed.expect(cluster)
    return cluster
  }

  // MARK: What it is told

  /// The estimate moves to within them at once.
  public mutating func setLimits(_ limits: Limits, now: Int64) {
    self.limits = BandwidthEstimator.checked(limits)
    control.set(clamped(control.rate), now: now)
  }

  /// Whether the other end reports arrivals, from now on: what was found is the beginning of what is found otherwise.
  public mutating func setTransportFeedback(_ hasFeedback: Bool) { hasTransportFeedback = hasFeedback }

  /// What could be sent if there were room for it: no probe goes above it by more than a quarter, as it would take from others what is of no use
  /// here, and probes are sent when it grows. 0: not known. `isShort`: some of it is left out for want of room, and more is looked for, however much
  /// flows.
  public mutating func setDemand(_ bitrate: Int, isShort: Bool, now: Int64) {
    let demand = Double(min(max(0, bitrate), 10_000_000_000))
    (allocation, wanted) = (BandwidthEstimator.spare * demand, isShort ? demand : 0)
    defer { demandProbed = min(demandProbed, demand) }
    // A link that is full does not carry more because more is at hand.
    guard demand > BandwidthEstimator.spare * demandProbed, hasTransportFeedback, before == nil, application.isLimited || !control.knowsLink
    else {
      return
    }
    demandProbed = demand
    probing.demand(allocation / 2, rate: base, limit: probeLimit, now: now)
  }

  /// Each packet that left, in the order of the numbers; `probe` is that of its cluster. nil: it bears no transport-wide number, as where that is not
  /// agreed on of its medium, and no feedback will speak of it.
  public mutating func onSent(sequence: UInt16?, size: Int, probe: Int32 = 0, now: Int64) {
    let size = min(max(0, size), 65_535)
    if hasTransportFeedback, let sequence {
      if let lastSent, now - lastSent > BandwidthEstimator.longestSilence { resumed = now }
      history.add(sequence: sequence, size: size, probe: probe, now: now)
      watch.sent(now: now)
    }
    count(size, now)
  }

  /// A packet left once more, as it had, under the same number.
  public mutating func onSentAgain(sequence: UInt16?, size: Int, now: Int64) {
    if hasTransportFeedback, let sequence { history.sentAgain(sequence: sequence) }
    count(min(max(0, size), 65_535), now)
  }

  private mutating func count(_ size: Int, _ now: Int64) {
    lastSent = now
    sentSince = (min(sentSince.packets + 1, 1_000_000), min(sentSince.bytes + size, 1 << 40), sentSince.from ?? now)
    application.sent(size, rate: base, now: now)
  }

  /// What is worth telling as missing: no feedback spoke of them yet.
  public var awaited: SendHistory.Awaited { history.awaited }

  /// A transport-wide feedback (draft-holmer-rmcat-transport-wide-cc-extensions-01 or RFC 8888).
  public mutating func onFeedback(_ packets: some Sequence<ReportedPacket>, now: Int64) {
    guard hasTransportFeedback else { return }
    let former = history.oldestInFlight
    history.report(packets)
    guard !history.results.isEmpty else { return }
    lastFeedback = now
    arrived.removeAll(keepingCapacity: true)
    for result in history.results where result.arrival != nil { arrived.append(result) }
    // That everything was lost is no sign of life of the path.
    if let from = before {
      guard let last = arrived.map(\.sent).max() else { return }
      let isLate = roundTrips.shortest.map { now - last > $0 + BandwidthEstimator.late } ?? false
      let began = lateSince ?? now
      lateSince = began
      if !isLate { recover(from, now) } else if now - began > BandwidthEstimator.late { resume(min(from, Double(limits.start)), now) }
    }
    arrived.sort { ($0.arrival ?? 0, $0.sequence) < ($1.arrival ?? 0, $1.sequence) }
    roundTrips.add(arrived, now: now)
    hear(former, now)
    if let roundTrip = roundTrips.smoothed { control.onRoundTrip(roundTrip) }

    var probe: Double?
    // What waited for long tells of a queue that was full then, with which the delays have been dealt with since.
    let fresh = max(lossesCountFrom, now - BandwidthEstimator.stale - (roundTrips.shortest ?? 0))
    for result in history.results where result.sent >= fresh { losses.add(result) }
    for result in arrived {
      if let rate = probed.add(result) { probe = rate }
      guard let arrival = result.arrival else { continue }
      if let delta = groups.add(sent: result.sent, arrival: arrival, now: now) { detector.add(delta) }
      if groups.jumped {
        groups.jumped = false
        detector.reset()
        rates.reset()
      }
    }
    rates.add(arrived, steppedOver: history.steppedOver)
    if !arrived.isEmpty { adjust(probe, now) }
    if state == .starting { state = .normal }
    losses.update(estimate: control.rate, overflows: isFull, now: now)
    settle(now)
  }

  private mutating func hear(_ former: Int64?, _ now: Int64) {
    guard let last = history.results.lazy.filter({ !$0.wasLost }).map(\.sent).max() else { return }
    let share = watch.share
    watch.told(last: last, former: former, oldest: history.oldestInFlight, shortest: roundTrips.shortest, now: now)
    // The queue has drained while next to nothing was sent, and of what the link carries now nothing has been found out.
    guard share <= BandwidthEstimator.cut, watch.share == 1, before == nil else { return }
    let from = control.rate
    control.set(clamped(min(from, Double(limits.start))), now: now)
    probing.recovered(from: from, rate: control.rate, limit: probeLimit, now: now)
  }

  private mutating func adjust(_ probe: Double?, _ now: Int64) {
    if let probe, detector.usage != .over, probe > control.rate {
      control.set(clamped(probe), now: now)
      rates.restart(0.9 * probe, sentFrom: now)
    } else {
      let decreases = control.decreases
      control.update(detector.usage, acknowledged: rates.rate, recent: rates.recentRate, limits: range, now: now)
      if control.decreases > decreases {
        watch.measured()
        if before != nil { resume(control.rate, now) }
      }
    }
    if detector.usage == .over { lastCongested = now }
  }

  /// The fraction lost of a receiver report (RFC 3550, section 6.4.1; 0...1) of what this transport sends, where there is no transport-wide feedback.
  public mutating func onReceiverReport(loss: Double, roundTrip: Int64?, now: Int64) {
    if let roundTrip { onRoundTrip(roundTrip, now: now) }
    guard !hasTransportFeedback, loss.isFinite else { return }
    lastFeedback = now
    if let from = before { recover(from, now) }
    if state == .starting { state = .normal }
    guard let from = sentSince.from, now - from >= 200_000_000, sentSince.packets > 0 else { return }
    let rate = 8e9 * Double(sentSince.bytes) / Double(now - from)
    // Of a rate that was never tried nothing is known: what is lost is lost of what was sent.
    let tried = loss > 0 ? min(control.rate, max(range.lowerBound, 1.25 * rate)) : control.rate
    losses.add(packets: sentSince.packets, lost: loss, rate: rate, estimate: tried, now: now)
    control.update(.normal, acknowledged: rate, recent: nil, limits: range, now: now)
    sentSince = (0, 0, nil)
    settle(now)
  }

  /// One that was measured by RTCP; what is not above 0 is ignored.
  public mutating func onRoundTrip(_ nanoseconds: Int64, now: Int64) {
    guard nanoseconds > 0 else { return }
    if !hasTransportFeedback { roundTrips.add(nanoseconds, now: now) }
    control.onRoundTrip(nanoseconds)
  }

  /// The receiver's estimate (draft-alvestrand-rmcat-remb-03): an upper bound where there is no transport-wide feedback. One below `leastRemb` counts
  /// as that: who has seen little asks for little, and what audio takes of it would leave nothing for video. Losses lower the target all the same.
  public mutating func onRemb(_ bitrate: Int, now: Int64) {
    remb = Double(max(BandwidthEstimator.leastRemb, bitrate))
    if !hasTransportFeedback { settle(now) }
  }

  /// To be called at the time that it says, and after each of the above; nil: nothing will happen by itself.
  public mutating func process(now: Int64) -> Int64? {
    guard let lastSent, now - lastSent < BandwidthEstimator.idle else { return nil }
    if hasTransportFeedback { probing.start(base, limit: probeLimit, now: now) }
    let silent = silence(now)
    if before == nil, let silent, now >= silent { lose(now) }
    if hasTransportFeedback { listen(now) }
    settle(now)
    var next = before == nil ? silent : nil
    if hasTransportFeedback, before == nil, state != .congested, losses.bound == nil, window == 1, watch.share == 1, !watch.isHolding {
      let isOpen = application.isLimited || !control.knowsLink || wanted > base
      let due = probing.process(base, limit: probeLimit, isOpen: isOpen, isUrgent: wanted > base && !control.knowsLink, now: now)
      if let due { next = min(next ?? .max, due) }
    }
    // What is in flight grows without a feedback.
    if history.inFlight > 0 { next = min(next ?? .max, now + 100_000_000) }
    return next
  }

  private mutating func listen(_ now: Int64) {
    let wasHolding = watch.isHolding
    watch.look(history.oldestInFlight, now: now)
    if watch.isHolding, !wasHolding { probing.cancel() }
  }

  // MARK: Outage

  private func silence(_ now: Int64) -> Int64? {
    guard hasTransportFeedback else {
      return lastFeedback.map { $0 + BandwidthEstimator.reportSilence }
    }
    guard let oldest = history.oldestInFlight, let last = history.lastSent else { return nil }
    // The last packets before a pause may be lost without a word.
    let quiet = max(lastFeedback ?? oldest, oldest, resumed)
    guard last - quiet >= BandwidthEstimator.sending else { return nil }
    let patience = min(BandwidthEstimator.silence + 2 * (roundTrips.smoothed ?? 400_000_000), BandwidthEstimator.longestSilence)
    return quiet + patience
  }

  private mutating func lose(_ now: Int64) {
    (before, lateSince) = (base, nil)
    state = .outage
    probing.cancel()
  }

  /// Starts at a rate that any link bears, with probes at what was had.
  private mutating func recover(_ from: Double, _ now: Int64) {
    before = nil
    state = .normal
    groups.reset()
    detector.reset()
    rates.reset()
    losses.reset()
    probed.reset()
    lossesCountFrom = now
    watch.reset()
    control.set(clamped(min(from, Double(limits.start))), now: now)
    probing.recovered(from: from, rate: control.rate, limit: probeLimit, now: now)
  }

  /// The way was not out but has become slow, and what is known of its delays says how slow; or it has become a longer one.
  private mutating func resume(_ rate: Double, _ now: Int64) {
    before = nil
    state = .normal
    control.set(clamped(rate), now: now)
  }

  // MARK: All of it

  private mutating func settle(_ now: Int64) {
    guard before == nil else { return }
    if let shortest = roundTrips.shortest, hasTransportFeedback {
      let room = base * (Double(shortest) / 1e9 + BandwidthEstimator.queue)
      // So that what is too much has drained after a second.
      window = min(1, max(BandwidthEstimator.drain, 1 - (Double(history.inFlight) * 8 - room) / max(1, base)))
    }
    if state != .starting {
      if let lastCongested, now - lastCongested < 500_000_000 {
        state = .congested
      } else {
        state = losses.bound == nil ? .normal : .lossy
      }
    }
    if hasTransportFeedback, !watch.isHolding { probing.estimate(base, limit: probeLimit, now: now) }
  }
}
