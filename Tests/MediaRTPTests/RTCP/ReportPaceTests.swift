import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportPaceTests {
  private let second: Int64 = 1_000_000_000

  @Test func reportsOfTwoEndsKeepTheirPace() {
    for minimum in [0, 500_000_000, 1_000_000_000, 5_000_000_000] as [Int64] {
      var random = SeededRandom(seed: UInt64(minimum) + 1)
      var pace = ReportPace(minimum: minimum, at: 0, using: &random)
      let usual = max(minimum, 10_000_000)
      #expect(pace.deadline >= min(usual, second) / 2 && pace.deadline <= min(usual, second) * 3 / 2)
      #expect(!pace.isReportDue(at: pace.deadline - 1, using: &random))
      var (last, sum): (Int64, Int64) = (pace.deadline, 0)
      for _ in 0..<1000 {
        let due = pace.isReportDue(at: last, using: &random)
        let wait = pace.deadline - last
        #expect(due && wait >= usual / 2 && wait <= usual * 3 / 2)
        sum += wait
        last = pace.deadline
      }
      #expect(abs(sum / 1000 - usual) < usual / 20)
    }
    var random = SeededRandom(seed: 9)
    #expect(ReportPace(minimum: .max, at: 0, using: &random).deadline <= 3 * second / 2)
  }
}
