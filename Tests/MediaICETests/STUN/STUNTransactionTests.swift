import Testing

@testable import MediaICE

@Suite struct STUNTransactionTests {
  @Test func theTimeDoublesUpToTheLongest() {
    var schedule = STUNSchedule(first: 50, longest: 300, last: 1000, most: 5, now: 7)
    var times: [Int64] = []
    while !schedule.isOver {
      times.append(schedule.due)
      schedule.send(now: schedule.due)
    }
    #expect(times == [7, 57, 157, 357, 657])
    #expect(schedule.due == 1657)
  }

  @Test func aServerIsAskedSevenTimesAndAStreamOnce() {
    var server = STUNSchedule.server(now: 0)
    var count = 0
    while !server.isOver {
      server.send(now: server.due)
      count += 1
    }
    #expect(count == 7 && (4_000_000_000...6_000_000_000).contains(server.due))
    var stream = STUNSchedule.stream(now: 0)
    stream.send(now: 0)
    #expect(stream.isOver && stream.due == 8_000_000_000)
  }
}
