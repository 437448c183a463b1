import MediaCore

/// When reports are due between two ends: each between a half and one and a half of the least time after the one before (RFC 4585, section 3.4, without
/// what makes room for others). Feedback does not wait for them. Called by its session alone.
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
