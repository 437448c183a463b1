/// When reports are due in a group: timer reconsideration (RFC 3550, section 6.3), at the rates of RTP/AVPF (RFC 4585, section 3.4). Feedback does not
/// wait for reports. Names of times are the standards': tp is when the last report was sent, tn when the next is due.
struct ReportSchedule: Sendable {
  typealias Group = ReportInterval.Group

  /// Of all members together, in bits a second.
  private let bandwidth: Int
  /// RFC 4585's T_rr_interval.
  private let minimum: Int64
  private var averageSize: Double
  private var tp: Int64
  /// When to ask next what is due.
  private var tn: Int64
  private var isInitial = true
  private var membersBefore: Int
  /// No report before that.
  private var nextRegular: Int64?

  private static let initialSize = 128.0
  private static let largestSize = 1500
  private static let least: Int64 = 10_000_000
  private static let second: Int64 = 1_000_000_000

  init(bandwidth: Int, minimum: Int64, at now: Int64, _ group: Group, using random: inout some RandomNumberGenerator) {
    (self.bandwidth, self.minimum) = (bandwidth, max(0, minimum))
    averageSize = ReportSchedule.initialSize
    (tp, tn) = (now, now)
    membersBefore = max(1, group.members)
    reschedule(group, &random)
  }

  /// When to ask next. Times at which no report may be sent yet pass without a word.
  var deadline: Int64 { max(tn, nextRegular ?? tn) }

  // MARK: The interval

  /// RFC 4585, section 3.4: a second at first, then as the bandwidth has it.
  private var rule: ReportInterval {
    ReportInterval(bandwidth: bandwidth, averageSize: averageSize, minimum: isInitial ? ReportSchedule.second : ReportSchedule.least)
  }

  private mutating func reschedule(_ group: Group, _ random: inout some RandomNumberGenerator) {
    tn = tp &+ rule.randomised(group, using: &random)
  }

  /// By which members time out (RFC 3550, section 6.3.5): as of a receiver, without randomness, never under five seconds.
  func timeoutInterval(_ group: Group) -> Int64 {
    var group = group
    group.isSender = false
    return ReportInterval(bandwidth: bandwidth, averageSize: averageSize, minimum: 5 * ReportSchedule.second).calculated(group)
  }

  // MARK: What happens

  /// A control packet came or was sent, of that many bytes with its UDP and IP headers. Packets longer than the path carries are no reason to keep
  /// silent: a hostile peer sends such.
  mutating func count(size: Int) {
    averageSize += (Double(min(max(1, size), ReportSchedule.largestSize)) - averageSize) / 16
  }

  /// A goodbye came; the group is what is left. Reports come sooner by that (reverse reconsideration, RFC 3550, section 6.3.4).
  mutating func goodbyeReceived(_ group: Group, at now: Int64) {
    let members = max(1, group.members)
    guard members < membersBefore else { return }
    let ratio = Double(members) / Double(membersBefore)
    tn = now &+ Int64(Double(max(0, tn &- now)) * ratio)
    tp = now &- Int64(Double(max(0, now &- tp)) * ratio)
    membersBefore = members
  }

  // MARK: What is due

  /// Whether a report is: to be asked at the deadline, or whenever it suits. What is due counts as sent.
  mutating func poll(_ group: Group, at now: Int64, using random: inout some RandomNumberGenerator) -> Bool {
    guard tn <= now else { return false }
    let again = tp &+ rule.randomised(group, using: &random)
    membersBefore = max(1, group.members)
    guard again <= now else {
      tn = again
      return false
    }
    tp = now
    let isDue = isRegularDue(now, &random)
    if isDue { isInitial = false }
    reschedule(group, &random)
    return isDue
  }

  /// Reports are the fewer the more the least time between them is (RFC 4585, section 3.5.3).
  private mutating func isRegularDue(_ now: Int64, _ random: inout some RandomNumberGenerator) -> Bool {
    guard minimum > 0 else { return true }
    if let nextRegular, now < nextRegular { return false }
    nextRegular = now &+ Int64(Double(min(minimum, 3600 * ReportSchedule.second)) * Double.random(in: 0.5..<1.5, using: &random))
    return true
  }
}
