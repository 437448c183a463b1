import MediaCore
import Testing

@testable import MediaRTP

@Suite struct SendHistoryTests {
  private func history(_ numbers: some Sequence<Int>, size: Int = 100) -> SendHistory {
    var history = SendHistory()
    for (index, number) in numbers.enumerated() {
      history.add(sequence: UInt16(truncatingIfNeeded: number), size: size, now: Int64(index) * 1_000_000)
    }
    return history
  }

  @Test func arrivalsFindTheirPacketsAcrossTheWrap() {
    var history = history(65_530..<65_540)
    #expect(history.inFlight == 1000)
    history.report([65_534, 65_535, 0, 1].map { ReportedPacket(sequence: $0, arrival: $0 == 0 ? nil : 5) })
    #expect(history.results.map(\.sequence) == [65_534, 65_535, 65_536, 65_537])
    #expect(history.results.map(\.sent) == [4_000_000, 5_000_000, 6_000_000, 7_000_000])
    #expect(history.results.map { $0.arrival != nil } == [true, true, false, true])
    #expect(history.inFlight == 200)
    // An earlier feedback was lost, that told of the first four.
    #expect(history.steppedOver == 400)
  }

  @Test func whatWasToldBeforeIsToldOnce() {
    var history = history(0..<5)
    history.report([ReportedPacket(sequence: 2, arrival: 7), ReportedPacket(sequence: 2, arrival: 9)])
    #expect(history.results.count == 1)
    history.report([ReportedPacket(sequence: 2, arrival: 9), ReportedPacket(sequence: 2, arrival: nil)])
    #expect(history.results.isEmpty)
    #expect(history.inFlight == 200)
  }

  @Test func aLostOneThatComesAfterAllIsToldAgain() {
    var history = history(0..<5)
    history.report([ReportedPacket(sequence: 1, arrival: nil), ReportedPacket(sequence: 2, arrival: 4)])
    #expect(history.results.map(\.wasLost) == [false, false])
    history.report([ReportedPacket(sequence: 1, arrival: 6)])
    #expect(history.results.map(\.wasLost) == [true])
    #expect(history.inFlight == 200)
  }

  @Test func whatWasNeverSentIsIgnored() {
    var empty = SendHistory()
    empty.report([ReportedPacket(sequence: 3, arrival: 1)])
    #expect(empty.results.isEmpty)
    var history = history(100..<110)
    history.report([99, 110, 40_000, 111].map { ReportedPacket(sequence: $0, arrival: 1) })
    #expect(history.results.isEmpty)
    #expect(history.inFlight == 1000)
  }

  @Test func itHoldsSoManyAndNoOlder() {
    var history = history(0..<20_000)
    #expect(history.count == SendHistory.capacity)
    #expect(history.inFlight == SendHistory.capacity * 100)
    history.report([ReportedPacket(sequence: 20_000 - 8193, arrival: 1)])
    #expect(history.results.isEmpty)
    history.report([ReportedPacket(sequence: 20_000 - 8192, arrival: 1)])
    #expect(history.results.count == 1)
    history.add(sequence: 20_000, size: 50, now: 60_000_000_000)
    #expect(history.count == 1)
    #expect(history.inFlight == 50)
  }

  @Test func numbersThatLeapOrGoBack() {
    var history = history([10, 11, 20, 15, 20, 30_000])
    #expect(history.oldestInFlight == 5_000_000)
    history.report([11, 15, 20, 30_000].map { ReportedPacket(sequence: $0, arrival: 1) })
    #expect(history.results.map(\.sequence) == [30_000])
    #expect(history.inFlight == 0)
    #expect(history.oldestInFlight == nil)
  }

  @Test func bytesInFlightAreThoseThatWereNotSpokenOf() {
    var random = SeededRandom(seed: 5)
    var history = SendHistory()
    var (sequence, open) = (60_000, [Int]())
    for round in 0..<3000 {
      for _ in 0..<Int.random(in: 0...20, using: &random) {
        history.add(sequence: UInt16(truncatingIfNeeded: sequence), size: 10, now: Int64(round) * 10_000_000)
        open.append(sequence)
        sequence += 1
      }
      guard let newest = open.randomElement(using: &random), Bool.random(using: &random) else { continue }
      history.report([ReportedPacket(sequence: UInt16(truncatingIfNeeded: newest), arrival: Bool.random(using: &random) ? 1 : nil)])
      open.removeAll { $0 <= newest }
      #expect(history.inFlight == open.count * 10)
    }
  }
}
