import MediaCore
import Testing

@testable import MediaTransport

@Suite struct NetworkLinkTests {
  private let megabit = NetworkScript.Step(bandwidth: 1_000_000, queue: 50_000_000)

  @Test(arguments: [(0, 1), (1, 1), (1200, 1), (1201, 2), (120_000, 100)])
  func packetsAreOf1200Bytes(bytes: Int, packets: Int) {
    #expect(NetworkLink.packets(bytes: bytes) == packets)
  }

  @Test func bitsLeaveAtTheBandwidth() {
    var link = NetworkLink()
    // 12,500 bytes are 100,000 bits: 100 ms.
    #expect(link.departure(bytes: 12_500, now: 0, step: megabit) == 100_000_000)
    #expect(link.departure(bytes: 125, now: 50_000_000, step: megabit) == 101_000_000)
    #expect(link.departure(bytes: 125, now: 200_000_000, step: megabit) == 201_000_000)
  }

  @Test func aQueueTooLongTakesNoMore() {
    var link = NetworkLink()
    #expect(link.departure(bytes: 12_500, now: 0, step: megabit) != nil)
    #expect(link.departure(bytes: 1, now: 49_999_999, step: megabit) == nil)
    #expect(link.departure(bytes: 1, now: 50_000_000, step: megabit) != nil)
  }

  @Test func withoutALimitNothingWaitsButOrderIsKept() {
    var link = NetworkLink()
    #expect(link.departure(bytes: 1 << 30, now: 5, step: NetworkScript.Step()) == 5)
    #expect(link.departure(bytes: 12_500, now: 5, step: megabit) == 100_000_005)
    #expect(link.departure(bytes: 1, now: 10, step: NetworkScript.Step()) == 100_000_005)
  }

  @Test func noSizeOverflows() {
    var link = NetworkLink()
    let slow = NetworkScript.Step(bandwidth: 1000, queue: .max)
    var last: Int64 = 0
    for _ in 0..<3 {
      let departure = link.departure(bytes: .max, now: 1_000_000_000, step: slow)
      #expect((departure ?? .max) > last)
      last = departure ?? .max
    }
  }
}

@Suite struct NetworkPathTests {
  private func arrivals(_ step: NetworkScript.Step, seed: UInt64 = 1, to: String = "b", count: Int = 200) -> [(time: Int64, lost: Int)] {
    var path = NetworkPath(seed: seed, from: "a", to: to)
    return (0..<count).map { path.arrival(departure: Int64($0) * 1_000_000, packets: 3, step: step) }
  }

  @Test func delayIsAddedExactly() {
    let all = arrivals(NetworkScript.Step(delay: 40_000_000))
    for (index, arrival) in all.enumerated() {
      #expect(arrival.time == Int64(index) * 1_000_000 + 40_000_000)
      #expect(arrival.lost == 0)
    }
  }

  @Test func jitterIsBoundedAndKeepsTheOrder() {
    let jitter: Int64 = 30_000_000
    let all = arrivals(NetworkScript.Step(delay: 5_000_000, jitter: jitter))
    var last = Int64.min
    for (index, arrival) in all.enumerated() {
      let soonest = Int64(index) * 1_000_000 + 5_000_000
      #expect(arrival.time >= soonest)
      #expect(arrival.time >= last)
      #expect(arrival.time <= max(soonest + jitter, last))
      last = arrival.time
    }
    #expect(Set(zip(all, all.indices).map { $0.time - Int64($1) * 1_000_000 }).count > 10)
  }

  @Test func lossIsByPacketAndAboutAsMuchAsWasSaid() {
    let lost = arrivals(NetworkScript.Step(loss: 100_000), count: 2000).reduce(0) { $0 + $1.lost }
    // Of 6,000 packets a tenth: three standard deviations are 70.
    #expect((530...670).contains(lost))
    #expect(arrivals(NetworkScript.Step(loss: 1_000_000)).allSatisfy { $0.lost == 3 })
    #expect(arrivals(NetworkScript.Step(loss: 0)).allSatisfy { $0.lost == 0 })
  }

  @Test func theSameSeedIsTheSameRun() {
    let step = NetworkScript.Step(jitter: 20_000_000, loss: 50_000)
    #expect(arrivals(step).map(\.time) == arrivals(step).map(\.time))
    #expect(arrivals(step).map(\.lost) == arrivals(step).map(\.lost))
    #expect(arrivals(step).map(\.time) != arrivals(step, seed: 2).map(\.time))
    #expect(arrivals(step).map(\.time) != arrivals(step, to: "c").map(\.time))
  }

  @Test func namesDoNotRunIntoEachOther() {
    let step = NetworkScript.Step(jitter: 20_000_000)
    func first(_ from: String, _ to: String) -> Int64 {
      var path = NetworkPath(seed: 1, from: from, to: to)
      return path.arrival(departure: 0, packets: 1, step: step).time
    }
    #expect(first("a", "b>c") != first("a>b", "c"))
    #expect(first("a", "b") != first("b", "a"))
  }
}
