import MediaCore
import Testing

@testable import MediaRTP

@Suite struct GroupControlTests {
  private let second: Int64 = 1_000_000_000

  /// One other end needs none of it.
  @Test func onlyAGroupHasIt() throws {
    for isGroup in [true, false] {
      let call = try TestCall(seed: 1, isGroup: isGroup)
      try call.film(seconds: 2)
      #expect((call.sender.group != nil) == isGroup && (call.receiver.group?.members.count ?? 0) == (isGroup ? 3 : 0))
      #expect(call.there.pictures.count == call.pictures.count)
    }
  }

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

  /// Two ends report as often as each other, however many streams there are; a stream whose source only reports goes on.
  @Test func aSourceThatOnlyReportsIsThere() throws {
    for isGroup in [true, false] {
      let call = try TestCall(seed: 3, isGroup: isGroup)
      try call.film(seconds: 1)
      let control = written {
        SenderReport(ssrc: SSRC(100), ntp: NTPTimestamp(rawValue: 1 << 32), timestamp: RTPTimestamp(1), packetCount: 1, octetCount: 1)
          .write(to: &$0, [])
        SourceDescription.write(to: &$0, [.init(ssrc: SSRC(100), cname: "here")])
      }
      call.forth.loss = 1
      for _ in 0..<50 {
        call.run(until: call.now + second)
        reading(control) { call.receiver.receive($0, now: call.now, call.there) }
      }
      #expect(call.receiver.receivedStreams == [SSRC(100)])
      call.run(until: call.now + 32 * second)
      #expect(call.receiver.receivedStreams.isEmpty)
    }
  }
}
