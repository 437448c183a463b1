import Testing

@testable import MediaRTP

@Suite struct InterArrivalTests {
  private let ms: Int64 = 1_000_000

  private func deltas(_ packets: [(Int64, Int64)]) -> [ArrivalDelta] {
    var groups = InterArrival()
    return packets.compactMap { groups.add(sent: $0 * ms, arrival: $1 * ms, now: $1 * ms) }
  }

  @Test func whatIsSentWithinFiveMillisecondsIsOneBurst() {
    let found = deltas([(0, 50), (2, 52), (5, 54), (20, 71), (22, 73), (40, 92), (60, 110)])
    // The last of each counts; the first pair has nothing before it.
    #expect(found == [ArrivalDelta(sent: 17, arrived: 19, arrival: 23), ArrivalDelta(sent: 18, arrived: 19, arrival: 42)])
  }

  @Test func whatALinkLetGoAtOnceJoinsTheBurst() {
    // Sent 10 ms apart, held back and come together.
    let found = deltas([(0, 50), (20, 70), (40, 120), (50, 121), (60, 122), (80, 135), (100, 150)])
    #expect(found.map(\.arrived) == [20, 52, 13])
    #expect(found.map(\.sent) == [20, 40, 20])
  }

  @Test func whatWasSentBeforeTheBurstIsLeftOut() {
    #expect(deltas([(0, 50), (20, 70), (10, 71), (40, 90), (60, 110)]).map(\.sent) == [20, 20])
  }

  @Test func aClockThatJumpsBeginsAnew() {
    for leap in [10_000, -10_000, 4000, -4000] as [Int64] {
      var groups = InterArrival()
      var found = 0
      for index in 0..<20 as Range<Int64> {
        let arrival = index * 20 + 50 + (index >= 10 ? leap : 0)
        let delta = groups.add(sent: index * 20 * ms, arrival: arrival * ms, now: (index * 20 + 50) * ms)
        if let delta {
          found += 1
          #expect(delta.arrived == 20)
        }
      }
      #expect(groups.jumped)
      #expect(found == 16)
    }
  }

  @Test func timesThatGoBackBeginAnewAfterAWhile() {
    var groups = InterArrival()
    for index in 0..<20 as Range<Int64> {
      let delta = groups.add(sent: index * 20 * ms, arrival: (5000 - index * 20) * ms, now: index * 20 * ms)
      #expect(delta == nil)
    }
    #expect(groups.jumped)
  }

  @Test func anyTimesAreBorne() {
    var groups = InterArrival()
    for (index, arrival) in ([0, 1 << 60, -1 << 60, 1, 1 << 60, 1 << 60, -1 << 60, 0, 0, 0] as [Int64]).enumerated() {
      _ = groups.add(sent: Int64(index) * 20 * ms, arrival: arrival, now: Int64(index) * 20 * ms)
    }
  }
}
