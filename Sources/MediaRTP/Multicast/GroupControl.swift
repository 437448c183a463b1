import MediaCore

/// What a session needs where any number of members hear one another, as behind a multicast address (RFC 3550, sections 6.2, 6.3 and 8.2): who takes part,
/// reports that share a bandwidth among all, numbers that collide. Where there is one other end a session has none of it.
struct GroupControl {
  var members = Members()
  var schedule: ReportSchedule
  /// Whose packets are whose, and of which of one's own a collision is known.
  var conflicts = SourceConflicts<UInt64>()

  init(_ settings: ReportSchedule.Settings, at now: Int64, using random: inout SeededRandom) {
    schedule = ReportSchedule(settings, at: now, .init(members: 1, senders: 0, isSender: false), using: &random)
  }

  /// All that are there.
  func population(sending isSender: Bool) -> ReportInterval.Group {
    .init(members: members.count, senders: members.senderCount + (isSender ? 1 : 0), isSender: isSender)
  }

  /// Whether a report is due.
  mutating func isReportDue(sending isSender: Bool, at now: Int64, using random: inout SeededRandom) -> Bool {
    defer { members.expire(at: now, interval: schedule.timeoutInterval(population(sending: isSender))) }
    return schedule.poll(population(sending: isSender), at: now, using: &random) != .nothing
  }
}

/// When reports are due between two ends: each between a half and one and a half of the least time after the one before (RFC 4585, section 3.4, without
/// what makes room for others). Feedback does not wait for them.
struct ReportPace {
  private let interval: Int64
  private(set) var deadline: Int64
  private static let first: Int64 = 1_000_000_000
  private static let range: ClosedRange<Int64> = 10_000_000...3_600_000_000_000

  init(minimum: Int64, at now: Int64, using random: inout SeededRandom) {
    interval = min(max(ReportPace.range.lowerBound, minimum), ReportPace.range.upperBound)
    deadline = now &+ ReportPace.spread(min(interval, ReportPace.first), &random)
  }

  mutating func isReportDue(at now: Int64, using random: inout SeededRandom) -> Bool {
    guard now >= deadline else { return false }
    deadline = now &+ ReportPace.spread(interval, &random)
    return true
  }

  private static func spread(_ time: Int64, _ random: inout SeededRandom) -> Int64 {
    Int64(Double(time) * Double.random(in: 0.5..<1.5, using: &random))
  }
}
