import Testing

@testable import MediaRTP

@Suite struct ProbeControllerTests {
  private let second: Int64 = 1_000_000_000

  private func taken(_ controller: inout ProbeController) -> [Int] {
    var rates: [Int] = []
    while let cluster = controller.take() { rates.append(cluster.rate) }
    return rates
  }

  @Test func theBeginningIsThreeAndSixTimesAndThenTwiceAsLongAsItComesThrough() {
    var controller = ProbeController()
    controller.start(300_000, limit: 20e6, now: 0)
    #expect(taken(&controller) == [900_000, 1_800_000])
    controller.start(300_000, limit: 20e6, now: 0)
    #expect(taken(&controller) == [])
    controller.estimate(900_000, limit: 20e6, now: second / 4)
    #expect(taken(&controller) == [])
    controller.estimate(1_800_000, limit: 20e6, now: second / 3)
    #expect(taken(&controller) == [3_600_000])
    controller.estimate(3_500_000, limit: 20e6, now: second / 2)
    #expect(taken(&controller) == [7_000_000])
    // A link of 4 Mbit/s.
    controller.estimate(3_800_000, limit: 20e6, now: second)
    #expect(taken(&controller) == [])
    controller.estimate(6_000_000, limit: 20e6, now: 3 * second)
    #expect(taken(&controller) == [])
  }

  @Test(arguments: [false, true]) func whileSomethingIsLeftOutItLooksForMoreSooner(isUrgent: Bool) {
    var controller = ProbeController()
    controller.start(300_000, limit: 20e6, now: 0)
    _ = taken(&controller)
    var probes = 0
    for step in 1...80 {
      _ = controller.process(300_000, limit: 20e6, isOpen: true, isUrgent: isUrgent, now: Int64(step) * second / 10)
      let rates = taken(&controller)
      #expect(rates == [] || rates == [600_000])
      probes += rates.count
    }
    #expect(probes == (isUrgent ? 5 : 2))
  }

  @Test func neverAboveWhatCanBeUsed() {
    var controller = ProbeController()
    controller.start(300_000, limit: 1e6, now: 0)
    #expect(taken(&controller) == [900_000, 1_000_000])
    controller.estimate(1e6, limit: 1e6, now: second / 4)
    #expect(taken(&controller) == [])
    controller.demand(2e6, rate: 1e6, limit: 2.5e6, now: 5 * second)
    #expect(taken(&controller) == [2_000_000, 2_500_000])
    var sound = ProbeController()
    sound.start(300_000, limit: 100_000, now: 0)
    #expect(taken(&sound) == [])
  }

  @Test func afterAFallItLooksEveryFewSeconds() {
    var controller = ProbeController()
    controller.start(300_000, limit: 20e6, now: 0)
    controller.estimate(4e6, limit: 20e6, now: second / 2)
    _ = taken(&controller)
    controller.estimate(300_000, limit: 20e6, now: 30 * second)
    var times: [Int64] = []
    for tenth in 300..<1200 as Range<Int64> {
      let now = tenth * second / 10
      controller.estimate(300_000, limit: 20e6, now: now)
      _ = controller.process(300_000, limit: 20e6, isOpen: false, now: now)
      let rates = taken(&controller)
      if !rates.isEmpty {
        #expect(rates == [600_000])
        times.append(tenth)
      }
    }
    #expect(times.first == 320)
    #expect(zip(times, times.dropFirst()).allSatisfy { $1 - $0 == ($1 <= 900 ? 40 : 70) }, "\(times)")
    // Come back: no more of it.
    controller.estimate(3e6, limit: 20e6, now: 130 * second)
    #expect(controller.process(3e6, limit: 20e6, isOpen: false, now: 140 * second) == nil)
    #expect(taken(&controller) == [])
  }

  @Test func afterAnOutageAtWhatWasHad() {
    var controller = ProbeController()
    controller.start(300_000, limit: 20e6, now: 0)
    controller.recovered(from: 2e6, rate: 300_000, limit: 20e6, now: 9 * second)
    #expect(taken(&controller) == [1_000_000, 2_000_000])
  }

  @Test func noMoreThanAFewWait() {
    var controller = ProbeController()
    controller.start(300_000, limit: 20e6, now: 0)
    for more in 1...20 { controller.demand(Double(more) * 1e6, rate: 300_000, limit: 20e6, now: second) }
    #expect(taken(&controller).count == ProbeController.capacity)
  }
}
