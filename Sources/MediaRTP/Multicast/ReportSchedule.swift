/// When to send control packets: timer reconsideration (RFC 3550, section 6.3), early feedback (RFC 4585, section 3.5), and a bound on what feedback
/// may take. Names of times are the standards': tp is when the last packet was sent, tn when the next is due.
public struct ReportSchedule: Sendable {
  /// How often a session may send control packets.
  public struct Settings: Sendable, Equatable {
    /// Of all members together, in bits a second.
    var bandwidth: Int
    var profile: Profile
    /// The least time between regular reports: five seconds without feedback. RFC 4585's T_rr_interval with it.
    public var minimum: Int64

    init(bandwidth: Int, profile: Profile = .regular, minimum: Int64 = 5_000_000_000) {
      (self.bandwidth, self.profile, self.minimum) = (bandwidth, profile, max(0, minimum))
    }
  }

  enum Profile: Sendable {
    /// RTP/AVP: feedback waits for the next report.
    case regular
    /// RTP/AVPF: one early packet between two regular ones.
    case early
    /// RTP/AVPF among few (RFC 4585, section 3.3): at once, as long as the bandwidth lasts; else early.
    case immediate
  }

  enum Due: Sendable, Equatable {
    case nothing
    /// A compound packet with reports; feedback that waits goes with it.
    case regular
    /// Feedback that waits.
    case feedback
    case goodbye
  }

  enum Feedback: Sendable, Equatable {
    /// Send it then, when it is due.
    case at(Int64)
    /// It goes with the next report.
    case withReport(Int64)
    /// That would be too late to be of use.
    case useless
  }

  typealias Group = ReportInterval.Group

  private let settings: Settings
  private var averageSize: Double
  private var tp: Int64
  /// When to ask next what is due, feedback aside.
  private var tn: Int64
  private var interval: Int64
  private var isInitial = true
  private var membersBefore: Int
  private var mayBeEarly = true
  private var feedbackAt: Int64?
  private var isFeedbackWaiting = false
  /// With feedback: no regular report before that.
  private var nextRegular: Int64?
  /// Those that left since one wants to leave: the group while one waits with one's goodbye (RFC 3550, section 6.3.7).
  private var leaving: Int?
  /// Bits that feedback may still take at once.
  private var budget: Double
  private var budgetAt: Int64

  private static let initialSize = 128.0
  private static let largestSize = 1500
  private static let least: Int64 = 10_000_000
  private static let second: Int64 = 1_000_000_000
  static let largeGroup = 50

  init(_ settings: Settings, at now: Int64, _ group: Group, using random: inout some RandomNumberGenerator) {
    self.settings = settings
    averageSize = ReportSchedule.initialSize
    (tp, tn, interval) = (now, now, 0)
    membersBefore = max(1, group.members)
    budget = Double(max(0, settings.bandwidth))
    budgetAt = now
    reschedule(group, &random)
  }

  /// When to ask next. Times at which no regular report may be sent yet pass without a word, unless feedback waits for one of them.
  var deadline: Int64 {
    let isKept = isFeedbackWaiting || leaving != nil
    return min(isKept ? tn : max(tn, nextRegular ?? tn), feedbackAt ?? .max)
  }

  // MARK: The interval

  private var rule: ReportInterval {
    var minimum = settings.minimum
    // RFC 4585, section 3.4: a second at first, then as the bandwidth has it.
    if settings.profile != .regular { minimum = isInitial ? ReportSchedule.second * 2 : ReportSchedule.least }
    // RFC 3550, section 6.2: half at first.
    return ReportInterval(bandwidth: settings.bandwidth, averageSize: averageSize, minimum: isInitial ? minimum / 2 : minimum)
  }

  private mutating func reschedule(_ group: Group, _ random: inout some RandomNumberGenerator) {
    interval = rule.randomised(group, using: &random)
    tn = tp &+ interval
  }

  /// By which members time out (RFC 3550, section 6.3.5): as of a receiver, without randomness, never under five seconds.
  func timeoutInterval(_ group: Group) -> Int64 {
    var group = group
    group.isSender = false
    return ReportInterval(bandwidth: settings.bandwidth, averageSize: averageSize, minimum: 5 * ReportSchedule.second).calculated(group)
  }

  // MARK: What happens

  /// A control packet came, of that many bytes with its UDP and IP headers.
  mutating func received(size: Int) {
    guard leaving == nil else { return }
    average(size)
  }

  /// What was due was sent.
  mutating func sent(size: Int, at now: Int64) {
    average(size)
    refill(now)
    budget = max(budget - Double(min(max(0, size), 0xFFFF)) * 8, -Double(max(0, settings.bandwidth)))
  }

  /// Packets longer than the path carries are no reason to keep silent: a hostile peer sends such.
  private mutating func average(_ size: Int) {
    averageSize += (Double(min(max(1, size), ReportSchedule.largestSize)) - averageSize) / 16
  }

  private mutating func refill(_ now: Int64) {
    let bandwidth = Double(max(0, settings.bandwidth))
    budget = min(bandwidth, budget + Double(max(0, now &- budgetAt)) / 1e9 * bandwidth)
    budgetAt = now
  }

  /// A goodbye came; the group is what is left. Reports come sooner by that (reverse reconsideration, section 6.3.4).
  mutating func goodbyeReceived(size: Int, _ group: Group, at now: Int64) {
    if let count = leaving {
      leaving = count &+ 1
      return average(size)
    }
    average(size)
    let members = max(1, group.members)
    guard members < membersBefore else { return }
    let ratio = Double(members) / Double(membersBefore)
    tn = now &+ Int64(Double(max(0, tn &- now)) * ratio)
    tp = now &- Int64(Double(max(0, now &- tp)) * ratio)
    membersBefore = members
  }

  /// There is feedback to send: when, if it is of use for that long.
  mutating func request(
    maximumDelay: Int64 = Int64.max, _ group: Group, at now: Int64, using random: inout some RandomNumberGenerator
  ) -> Feedback {
    guard leaving == nil else { return .useless }
    if let feedbackAt { return .at(feedbackAt) }
    func withReport() -> Feedback {
      guard tn &- now <= maximumDelay else { return .useless }
      isFeedbackWaiting = true
      return .withReport(tn)
    }
    if settings.profile == .regular { return withReport() }
    refill(now)
    if settings.profile == .immediate, budget > 0 {
      feedbackAt = now
      return .at(now)
    }
    // Between two there is nobody whose feedback would make one's own superfluous.
    let dither = group.members <= 2 ? 0 : interval / 2
    guard mayBeEarly, now &+ dither <= tn else { return withReport() }
    let time = dither > 0 ? now &+ Int64.random(in: 0..<dither, using: &random) : now
    feedbackAt = time
    return .at(time)
  }

  /// Another member said the same: one's own feedback is superfluous (RFC 4585, section 3.5.2).
  mutating func withdraw() {
    (feedbackAt, isFeedbackWaiting) = (nil, false)
  }

  /// Leaves: at once in a small group, else when it is due, lest all that leave together speak at once (RFC 3550, section 6.3.7).
  mutating func leave(goodbyeSize: Int, _ group: Group, at now: Int64, using random: inout some RandomNumberGenerator) {
    guard leaving == nil else { return }
    withdraw()
    (leaving, tp, membersBefore) = (1, now, 1)
    guard group.members >= ReportSchedule.largeGroup else {
      tn = now
      return
    }
    isInitial = true
    averageSize = Double(min(max(1, goodbyeSize), ReportSchedule.largestSize))
    reschedule(Group(members: 1, senders: 0, isSender: false), &random)
  }

  // MARK: What is due

  /// To be asked at the deadline, or whenever it suits. What it says is due counts as sent.
  mutating func poll(_ group: Group, at now: Int64, using random: inout some RandomNumberGenerator) -> Due {
    if let count = leaving { return pollLeaving(count, now, &random) }
    if let time = feedbackAt, time <= now {
      feedbackAt = nil
      // Those at once are bounded by the budget, others by leaving out the next report.
      if settings.profile == .early || budget <= 0 {
        mayBeEarly = false
        (tn, tp) = (tp &+ 2 &* interval, tn)
      }
      return .feedback
    }
    guard tn <= now else { return .nothing }
    let again = tp &+ rule.randomised(group, using: &random)
    membersBefore = max(1, group.members)
    guard again <= now else {
      tn = again
      return .nothing
    }
    tp = now
    mayBeEarly = true
    let due = isRegularDue(now, &random) ? Due.regular : isFeedbackWaiting ? .feedback : .nothing
    isFeedbackWaiting = false
    if due == .regular { isInitial = false }
    reschedule(group, &random)
    return due
  }

  /// With feedback regular reports are the fewer the more the least time between them is (RFC 4585, section 3.5.3).
  private mutating func isRegularDue(_ now: Int64, _ random: inout some RandomNumberGenerator) -> Bool {
    if settings.profile != .regular, settings.minimum > 0 {
      if let nextRegular, now < nextRegular { return false }
      nextRegular = now &+ Int64(Double(min(settings.minimum, 3600 * ReportSchedule.second)) * Double.random(in: 0.5..<1.5, using: &random))
    }
    feedbackAt = nil
    return true
  }

  private mutating func pollLeaving(_ count: Int, _ now: Int64, _ random: inout some RandomNumberGenerator) -> Due {
    guard tn <= now else { return .nothing }
    if tn > tp {
      let again = tp &+ rule.randomised(Group(members: count, senders: 0, isSender: false), using: &random)
      guard again <= now else {
        tn = again
        return .nothing
      }
    }
    tn = Int64.max
    return .goodbye
  }
}
