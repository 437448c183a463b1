import MediaCore
import Testing

@testable import MediaRTP

@Suite struct ReportScheduleTests {
  private static let second: Int64 = 1_000_000_000
  private typealias Group = ReportSchedule.Group
  private let pair = ReportSchedule.Group(members: 2, senders: 1, isSender: false)

  /// When regular reports were sent within that time.
  private func reports(_ settings: ReportSchedule.Settings, _ group: ReportSchedule.Group, seconds: Int64, seed: UInt64) -> [Int64] {
    var random = SeededRandom(seed: seed)
    var schedule = ReportSchedule(settings, at: 0, group, using: &random)
    var times: [Int64] = []
    while schedule.deadline < seconds * Self.second {
      let now = schedule.deadline
      if schedule.poll(group, at: now, using: &random) == .regular {
        times.append(now)
        schedule.sent(size: 128, at: now)
      }
    }
    return times
  }

  @Test func betweenTwoThereIsAReportEveryFiveSeconds() {
    for seed in 1...10 as ClosedRange<UInt64> {
      let times = reports(.init(bandwidth: 50_000), pair, seconds: 3600, seed: seed)
      // The first sooner; on average as often as the standard means, each time between half and three halves of it.
      #expect((times.first ?? 0) < 4 * Self.second)
      #expect((650...790).contains(times.count), "\(times.count)")
      let gaps = zip(times.dropFirst(), times).map { Double($0 - $1) / 1e9 }
      #expect((gaps.min() ?? 0) >= 2.5 / 1.21828 && (gaps.max() ?? 9) <= 7.5 / 1.21828 + 0.001)
    }
  }

  @Test func withFeedbackTheBandwidthTells() {
    // 128 bytes of two members in 10,000 bits: a receiver among them has three quarters.
    let times = reports(.init(bandwidth: 10_000, profile: .early, minimum: 0), pair, seconds: 100, seed: 1)
    let share = Double(times.count * 128 * 8) / 100
    #expect(share > 4000 && share < 10_000, "\(share)")
    // And no more often than was asked for.
    #expect(
      (60...130).contains(reports(.init(bandwidth: 1_000_000, profile: .early, minimum: Self.second), pair, seconds: 100, seed: 1).count))
  }

  @Test func nobodyIsWokenForReportsThatMayNotBeSentYet() {
    var random = SeededRandom(seed: 21)
    var schedule = ReportSchedule(.init(bandwidth: 50_000, profile: .immediate, minimum: Self.second), at: 0, pair, using: &random)
    var (asked, reports) = (0, 0)
    while schedule.deadline < 100 * Self.second {
      asked += 1
      let now = schedule.deadline
      guard schedule.poll(pair, at: now, using: &random) == .regular else { continue }
      reports += 1
      schedule.sent(size: 128, at: now)
    }
    // Timers are reconsidered (RFC 3550, section 6.3.6), a few times for a report.
    #expect(reports > 60 && asked < 4 * reports, "\(asked) for \(reports)")
    // Feedback that has to wait for one does not wait for longer.
    schedule.sent(size: 0xFFFF, at: schedule.deadline - 900_000_000)
    let now = schedule.deadline - 800_000_000
    guard case .withReport(let time) = schedule.request(pair, at: now, using: &random) else { return }
    #expect(schedule.deadline == time)
  }

  @Test func athousandThatJoinAtOnceDoNotSpeakAtOnce() {
    var random = SeededRandom(seed: 12)
    let settings = ReportSchedule.Settings(bandwidth: 50_000)
    var schedules = (0..<1000).map { _ in ReportSchedule(settings, at: 0, Group(members: 1, senders: 0, isSender: false), using: &random) }
    // Each knows of those that have spoken.
    var spoken: Set<Int> = []
    var bytes = [Int](repeating: 0, count: 61)
    for now in stride(from: 0, to: 60 * Self.second, by: 50_000_000) {
      for index in schedules.indices where schedules[index].deadline <= now {
        let group = Group(members: spoken.count + (spoken.contains(index) ? 0 : 1), senders: 0, isSender: false)
        guard schedules[index].poll(group, at: now, using: &random) == .regular else { continue }
        spoken.insert(index)
        bytes[Int(now / Self.second)] += 128
      }
    }
    // Without reconsideration all thousand would have spoken within the first three seconds: 340 kbit in each.
    #expect(bytes.prefix(5).reduce(0, +) < 1000 * 128 / 2)
    let rate = bytes[20..<60].reduce(0, +) * 8 / 40
    #expect(rate < 75_000 && rate > 20_000, "\(rate)")
  }

  @Test func whenOthersLeaveReportsComeSooner() {
    var random = SeededRandom(seed: 13)
    let crowd = Group(members: 1000, senders: 0, isSender: false)
    var schedule = ReportSchedule(.init(bandwidth: 8000), at: 0, crowd, using: &random)
    let before = schedule.deadline
    #expect(before > 30 * Self.second)
    schedule.goodbyeReceived(size: 40, Group(members: 100, senders: 0, isSender: false), at: 0)
    #expect(schedule.deadline <= before / 9)
    let after = schedule.deadline
    schedule.goodbyeReceived(size: 40, Group(members: 200, senders: 0, isSender: false), at: 0)
    #expect(schedule.deadline == after)
  }

  @Test func feedbackOfThePlainProfileWaitsForTheReport() {
    var random = SeededRandom(seed: 14)
    var schedule = ReportSchedule(.init(bandwidth: 50_000), at: 0, pair, using: &random)
    let deadline = schedule.deadline
    #expect(schedule.request(pair, at: 0, using: &random) == .withReport(deadline))
    #expect(schedule.request(maximumDelay: 1000, pair, at: 0, using: &random) == .useless)
    #expect(schedule.deadline == deadline)
  }

  @Test func oneIsEarlyBetweenTwoReports() {
    var random = SeededRandom(seed: 15)
    var schedule = ReportSchedule(.init(bandwidth: 2000, profile: .early, minimum: 0), at: 0, pair, using: &random)
    let regular = schedule.deadline
    // Between two at once.
    let answer = schedule.request(pair, at: 1000, using: &random)
    #expect(answer == .at(1000) && schedule.deadline == 1000)
    #expect(schedule.request(pair, at: 1001, using: &random) == .at(1000))
    #expect(schedule.poll(pair, at: 1001, using: &random) == .feedback)
    // The next report is left out, the one after it is not; until then nothing is early.
    #expect(schedule.deadline == 2 * regular)
    #expect(schedule.request(maximumDelay: 0, pair, at: 2000, using: &random) == .useless)
    #expect(schedule.request(pair, at: 2000, using: &random) == .withReport(2 * regular))
    var due = ReportSchedule.Due.nothing
    var now: Int64 = 2000
    while due == .nothing {
      now = schedule.deadline
      due = schedule.poll(pair, at: now, using: &random)
    }
    #expect(due == .regular && now >= 2 * regular)
    #expect(schedule.request(pair, at: now, using: &random) == .at(now))
  }

  @Test func amongManyEarlyFeedbackIsDithered() {
    let group = Group(members: 20, senders: 2, isSender: false)
    var (times, withdrawn): (Set<Int64>, Int) = ([], 0)
    for seed in 0..<50 as Range<UInt64> {
      var random = SeededRandom(seed: seed)
      var schedule = ReportSchedule(.init(bandwidth: 8000, profile: .early, minimum: 0), at: 0, group, using: &random)
      let regular = schedule.deadline
      guard case .at(let time) = schedule.request(group, at: 0, using: &random) else { continue }
      #expect(time < regular / 2 + 1)
      times.insert(time)
      // Another said it.
      schedule.withdraw()
      if schedule.deadline == regular { withdrawn += 1 }
    }
    #expect(times.count > 45 && withdrawn > 45)
  }

  @Test func amongFewItIsAtOnceAsLongAsTheBandwidthLasts() {
    var random = SeededRandom(seed: 16)
    var schedule = ReportSchedule(.init(bandwidth: 40_000, profile: .immediate, minimum: Self.second), at: 0, pair, using: &random)
    var sent = 0
    // Every millisecond for ten seconds something is missing.
    for millisecond in 0..<10_000 as Range<Int64> {
      let now = millisecond * 1_000_000
      _ = schedule.request(maximumDelay: 0, pair, at: now, using: &random)
      while schedule.deadline <= now {
        guard schedule.poll(pair, at: now, using: &random) != .nothing else { continue }
        sent += 80 * 8
        schedule.sent(size: 80, at: now)
      }
    }
    // What a second of bandwidth lets through at once comes on top, and little more.
    #expect(sent > 40_000 * 9 && sent < 40_000 * 13, "\(sent)")
    // It recovers.
    #expect(schedule.request(maximumDelay: 0, pair, at: 20 * Self.second, using: &random) == .at(20 * Self.second))
  }

  @Test func aSmallGroupIsLeftAtOnceALargeOneInTurn() {
    var random = SeededRandom(seed: 17)
    var schedule = ReportSchedule(.init(bandwidth: 50_000), at: 0, pair, using: &random)
    schedule.leave(goodbyeSize: 60, pair, at: 5, using: &random)
    #expect(schedule.deadline == 5)
    #expect(schedule.poll(pair, at: 5, using: &random) == .goodbye)
    #expect(schedule.poll(pair, at: 100 * Self.second, using: &random) == .nothing)
    #expect(schedule.request(pair, at: 5, using: &random) == .useless)

    // A hundred leave together.
    let crowd = Group(members: 100, senders: 0, isSender: false)
    var all = (0..<100).map { _ in ReportSchedule(.init(bandwidth: 4_000), at: 0, crowd, using: &random) }
    for index in all.indices { all[index].leave(goodbyeSize: 60, crowd, at: 0, using: &random) }
    var (gone, perSecond) = (0, [Int: Int]())
    for now in stride(from: 0, to: 120 * Self.second, by: 50_000_000) {
      for index in all.indices where all[index].deadline <= now {
        guard all[index].poll(crowd, at: now, using: &random) == .goodbye else { continue }
        gone += 1
        perSecond[Int(now / Self.second), default: 0] += 60 * 8
        for other in all.indices where other != index { all[other].goodbyeReceived(size: 60, crowd, at: now) }
      }
    }
    #expect(gone == 100)
    // All at once would be 48 kbit.
    #expect((perSecond.values.max() ?? 0) < 16_000, "\(perSecond)")
  }

  @Test func membersTimeOutByTheReceiversInterval() {
    var random = SeededRandom(seed: 18)
    let schedule = ReportSchedule(.init(bandwidth: 50_000, profile: .immediate, minimum: 0), at: 0, pair, using: &random)
    #expect(schedule.timeoutInterval(Group(members: 2, senders: 2, isSender: true)) == 5 * Self.second)
  }

  @Test func hugePacketsDoNotSilenceIt() {
    var random = SeededRandom(seed: 20)
    var schedule = ReportSchedule(.init(bandwidth: 20_000), at: 0, pair, using: &random)
    for _ in 0..<1000 { schedule.received(size: 65_535) }
    #expect(schedule.timeoutInterval(pair) == 5 * Self.second)
  }

  @Test func absurdNumbersDoNotTrap() {
    var random = SeededRandom(seed: 19)
    for profile in [ReportSchedule.Profile.regular, .early, .immediate] {
      var schedule = ReportSchedule(
        .init(bandwidth: -1, profile: profile, minimum: .max), at: .min, Group(members: -1, senders: 9, isSender: true), using: &random)
      for time in [Int64.max, .min, 0, .max] {
        schedule.received(size: .max)
        schedule.sent(size: .min, at: time)
        schedule.goodbyeReceived(size: -1, Group(members: .min, senders: .max, isSender: false), at: time)
        _ = schedule.request(Group(members: .max, senders: .min, isSender: false), at: time, using: &random)
        _ = schedule.poll(Group(members: .max, senders: .min, isSender: true), at: time, using: &random)
      }
    }
  }
}
