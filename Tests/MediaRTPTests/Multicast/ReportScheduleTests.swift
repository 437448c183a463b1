import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportScheduleTests {
  private static let second: Int64 = 1_000_000_000
  private typealias Group = ReportSchedule.Group
  private let pair = ReportSchedule.Group(members: 2, senders: 1, isSender: false)

  /// When reports were sent within that time.
  private func reports(_ bandwidth: Int, minimum: Int64, _ group: ReportSchedule.Group, seconds: Int64, seed: UInt64) -> [Int64] {
    var random = SeededRandom(seed: seed)
    var schedule = ReportSchedule(bandwidth: bandwidth, minimum: minimum, at: 0, group, using: &random)
    var times: [Int64] = []
    while schedule.deadline < seconds * Self.second {
      let now = schedule.deadline
      if schedule.poll(group, at: now, using: &random) {
        times.append(now)
        schedule.count(size: 128)
      }
    }
    return times
  }

  @Test func betweenTwoThereIsAReportEveryFiveSeconds() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let times = reports(50_000, minimum: 5 * Self.second, pair, seconds: 3600, seed: seed)
      // The first sooner; on average as often as the standard means, each time between half and three halves of it, and what the timer adds.
      #expect((times.first ?? 0) < 3 * Self.second / 2)
      #expect((650...740).contains(times.count), "\(times.count)")
      let gaps = zip(times.dropFirst(), times).map { Double($0 - $1) / 1e9 }
      #expect((gaps.min() ?? 0) >= 2.5 && (gaps.max() ?? 9) <= 7.6, "\(gaps.min() ?? 0), \(gaps.max() ?? 9)")
    }
  }

  @Test func theBandwidthTells() {
    // 128 bytes of two members in 10,000 bits: a receiver among them has three quarters.
    let times = reports(10_000, minimum: 0, pair, seconds: 100, seed: 1)
    let share = Double(times.count * 128 * 8) / 100
    #expect(share > 4000 && share < 10_000, "\(share)")
    // And no more often than was asked for.
    #expect((60...130).contains(reports(1_000_000, minimum: Self.second, pair, seconds: 100, seed: 1).count))
  }

  @Test func nobodyIsWokenForReportsThatMayNotBeSentYet() {
    var random = SeededRandom(seed: 21)
    var schedule = ReportSchedule(bandwidth: 50_000, minimum: Self.second, at: 0, pair, using: &random)
    var (asked, reports) = (0, 0)
    while schedule.deadline < 100 * Self.second {
      asked += 1
      guard schedule.poll(pair, at: schedule.deadline, using: &random) else { continue }
      reports += 1
      schedule.count(size: 128)
    }
    // Timers are reconsidered (RFC 3550, section 6.3.6), a few times for a report.
    #expect(reports > 60 && asked < 4 * reports, "\(asked) for \(reports)")
  }

  @Test func athousandThatJoinAtOnceDoNotSpeakAtOnce() {
    var random = SeededRandom(seed: 12)
    var schedules = (0..<1000).map { _ in
      ReportSchedule(bandwidth: 50_000, minimum: Self.second, at: 0, Group(members: 1, senders: 0, isSender: false), using: &random)
    }
    // Each knows of those that have spoken.
    var spoken: Set<Int> = []
    var bytes = [Int](repeating: 0, count: 61)
    for now in stride(from: 0, to: 60 * Self.second, by: 50_000_000) {
      for index in schedules.indices where schedules[index].deadline <= now {
        let group = Group(members: spoken.count + (spoken.contains(index) ? 0 : 1), senders: 0, isSender: false)
        guard schedules[index].poll(group, at: now, using: &random) else { continue }
        spoken.insert(index)
        bytes[Int(now / Self.second)] += 128
      }
    }
    // Without reconsideration all thousand would have spoken within the first two seconds: 512 kbit in each.
    let atOnce: Int = bytes.prefix(5).reduce(0, +)
    #expect(atOnce < 64_000, "\(bytes)")
    let rate: Int = bytes[20..<60].reduce(0, +) * 8 / 40
    #expect(rate < 75_000 && rate > 20_000, "\(rate)")
  }

  @Test func whenOthersLeaveReportsComeSooner() {
    var random = SeededRandom(seed: 13)
    let crowd = Group(members: 1000, senders: 0, isSender: false)
    var schedule = ReportSchedule(bandwidth: 8000, minimum: 0, at: 0, crowd, using: &random)
    let before = schedule.deadline
    #expect(before > 30 * Self.second)
    schedule.goodbyeReceived(Group(members: 100, senders: 0, isSender: false), at: 0)
    #expect(schedule.deadline <= before / 9)
    let after = schedule.deadline
    schedule.goodbyeReceived(Group(members: 200, senders: 0, isSender: false), at: 0)
    #expect(schedule.deadline == after)
  }

  @Test func membersTimeOutByTheReceiversInterval() {
    var random = SeededRandom(seed: 18)
    let schedule = ReportSchedule(bandwidth: 50_000, minimum: 0, at: 0, pair, using: &random)
    #expect(schedule.timeoutInterval(Group(members: 2, senders: 2, isSender: true)) == 5 * Self.second)
  }

  @Test func hugePacketsDoNotSilenceIt() {
    var random = SeededRandom(seed: 20)
    var schedule = ReportSchedule(bandwidth: 20_000, minimum: 0, at: 0, pair, using: &random)
    for _ in 0..<1000 { schedule.count(size: 65_535) }
    #expect(schedule.timeoutInterval(pair) == 5 * Self.second)
  }

  @Test func absurdNumbersDoNotTrap() {
    var random = SeededRandom(seed: 19)
    for minimum in [Int64.min, 0, .max] {
      var schedule = ReportSchedule(
        bandwidth: -1, minimum: minimum, at: .min, Group(members: -1, senders: 9, isSender: true), using: &random)
      for time in [Int64.max, .min, 0, .max] {
        schedule.count(size: .max)
        schedule.count(size: .min)
        schedule.goodbyeReceived(Group(members: .min, senders: .max, isSender: false), at: time)
        _ = schedule.poll(Group(members: .max, senders: .min, isSender: true), at: time, using: &random)
      }
    }
  }
}
