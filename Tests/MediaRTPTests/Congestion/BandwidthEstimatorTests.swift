import MediaCore
import Testing

@testable import MediaRTP

@Suite struct BandwidthEstimatorTests {
  private let ms: Int64 = 1_000_000

  /// Sends 1000 bytes each 10 ms (800 kbit/s) and reports them each 50 ms over a path of 40 ms.
  private func run(
    _ estimator: inout BandwidthEstimator, from: Int64, to: Int64, reports: Bool = true, lost: (Int64) -> Bool = { _ in false }
  ) {
    for index in from / 10..<to / 10 {
      let now = index * 10 * ms
      estimator.onSent(sequence: UInt16(truncatingIfNeeded: index), size: 1000, now: now)
      if reports, index % 5 == 0 {
        estimator.onFeedback(
          (index - 12..<index - 7).map {
            ReportedPacket(sequence: UInt16(truncatingIfNeeded: $0), arrival: lost($0) ? nil : ($0 * 10 + 40) * ms)
          }, now: now)
      }
      _ = estimator.process(now: now)
    }
  }

  private func probes(_ estimator: inout BandwidthEstimator) -> [Int] {
    var rates: [Int] = []
    while let cluster = estimator.takeProbe() { rates.append(cluster.rate) }
    return rates
  }

  @Test func itBeginsWhereItIsToldAndStaysWithinItsLimits() {
    var estimator = BandwidthEstimator(.init(minimum: 100_000, start: 500_000, maximum: 900_000))
    #expect(estimator.target == 500_000)
    #expect(estimator.state == .starting)
    run(&estimator, from: 0, to: 30_000)
    #expect(estimator.state == .normal)
    #expect(estimator.target == 900_000)
    #expect(estimator.pacingRate == 1_350_000)
    #expect(estimator.roundTrip.map { $0 / ms } == 80, "\(String(describing: estimator.roundTrip))")
    #expect(abs((estimator.acknowledged ?? 0) - 800_000) < 10_000)
    estimator.setLimits(.init(minimum: 10_000, start: 50_000, maximum: 200_000), now: 30_000 * ms)
    #expect(estimator.target == 200_000)
  }

  @Test func limitsMayBeAnything() {
    for (minimum, start, maximum) in [(Int.min, Int.min, Int.min), (Int.max, Int.max, Int.max), (900, 5, 3), (0, 0, 0)] {
      var estimator = BandwidthEstimator(.init(minimum: minimum, start: start, maximum: maximum))
      estimator.setDemand(maximum, isShort: false, now: 0)
      run(&estimator, from: 0, to: 2000)
      estimator.setDemand(minimum, isShort: false, now: 2000 * ms)
      #expect(estimator.target > 0)
    }
  }

  /// Delays that are long from the beginning do not grow: round trips and losses tell of the queue.
  @Test func aQueueThatIsFullFromTheBeginningIsFound() {
    var estimator = BandwidthEstimator(.init(start: 1_000_000))
    var told: Int64 = 0
    for index in 0..<300 as Range<Int64> {
      let now = index * 10 * ms
      estimator.onSent(sequence: UInt16(index), size: 1000, now: now)
      let end = index - (index < 20 ? 4 : 34)
      if index % 5 == 0, end > told {
        estimator.onFeedback(
          (told..<end).map { ReportedPacket(sequence: UInt16($0), arrival: $0 % 4 > 0 ? nil : ($0 * 10 + 40) * ms) }, now: now)
        told = end
      }
      _ = estimator.process(now: now)
    }
    // Of 800 kbit/s 200 arrive.
    #expect(estimator.usage == .normal && estimator.estimate > 120_000 && estimator.estimate < 200_000, "\(estimator.estimate)")
  }

  @Test func theFirstPacketsAskForProbes() {
    var estimator = BandwidthEstimator()
    let idle = estimator.process(now: 0)
    let none = probes(&estimator)
    #expect(idle == nil && none == [])
    estimator.onSent(sequence: 0, size: 1000, now: 0)
    let next = estimator.process(now: 0)
    #expect(next != nil)
    let rates = probes(&estimator)
    #expect(rates == [900_000, 1_800_000])
  }

  @Test func silenceIsAnOutageAndThenItBeginsAgain() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    let before = estimator.target
    while estimator.takeProbe() != nil {}
    run(&estimator, from: 20_000, to: 20_500, reports: false)
    #expect(estimator.state == .normal)
    run(&estimator, from: 20_500, to: 21_000, reports: false)
    #expect(estimator.state == .outage)
    #expect(estimator.target == 30_000)
    // That all was lost does not end it.
    run(&estimator, from: 21_000, to: 25_000, lost: { _ in true })
    #expect(estimator.state == .outage)
    run(&estimator, from: 25_000, to: 25_200)
    #expect(estimator.state == .normal)
    #expect(estimator.target >= 290_000)
    let rates = probes(&estimator)
    #expect(rates.count == 2 && zip(rates, [before / 2, before]).allSatisfy { abs($0 - $1) < 2000 }, "\(rates) \(before)")
    #expect(estimator.loss < 0.01)
  }

  @Test func withoutWordTheTargetFallsLongBeforeItIsAnOutage() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    let estimate = estimator.estimate
    while estimator.takeProbe() != nil {}
    #expect(!estimator.holdsPictures && estimator.target > 1_000_000)
    run(&estimator, from: 20_000, to: 20_150, reports: false)
    #expect(estimator.holdsPictures && estimator.target == estimate)
    // What was not tried lately is forgotten at once: 800 kbit/s were, and half of it is left, and again half of it.
    run(&estimator, from: 20_150, to: 20_280, reports: false)
    #expect(estimator.target > 380_000 && estimator.target < 420_000, "\(estimator.target)")
    run(&estimator, from: 20_280, to: 20_380, reports: false)
    #expect(estimator.target > 190_000 && estimator.target < 210_000, "\(estimator.target)")
    #expect(estimator.estimate == estimate && estimator.state == .normal)
    #expect(probes(&estimator) == [])
    // A moment's silence leaves nothing behind.
    run(&estimator, from: 20_380, to: 20_500)
    #expect(!estimator.holdsPictures && estimator.target >= estimate * 9 / 10, "\(estimator.target)")
  }

  /// Nearly nothing was sent meanwhile, so that a queue would have drained however slow the link has become.
  @Test func afterALongerSilenceTheRateIsFoundOutAgain() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    let before = estimator.estimate
    while estimator.takeProbe() != nil {}
    run(&estimator, from: 20_000, to: 20_700, reports: false)
    #expect(estimator.target == 100_000 && estimator.estimate == before && estimator.state == .normal)
    run(&estimator, from: 20_700, to: 20_750)
    #expect((290_000...310_000).contains(estimator.estimate), "\(estimator.estimate)")
    let rates = probes(&estimator)
    #expect(rates.count == 2 && zip(rates, [before / 2, before]).allSatisfy { abs($0 - $1) < 2000 }, "\(rates) \(before)")
  }

  @Test(arguments: [(0, [900_000, 1_800_000]), (400_000, [500_000]), (1_000_000, [900_000, 1_250_000]), (200_000, [])])
  func probesGoAQuarterAboveWhatCouldBeUsed(demand: Int, first: [Int]) {
    var estimator = BandwidthEstimator()
    estimator.setDemand(demand, isShort: false, now: 0)
    run(&estimator, from: 0, to: 10)
    #expect(probes(&estimator) == first)
    // Later, where no occasion is needed.
    run(&estimator, from: 10, to: 20_000)
    let highest = probes(&estimator).max() ?? 0
    #expect(demand == 0 ? highest > 500_000 : highest <= demand * 5 / 4, "\(highest)")
  }

  /// Only where the link is not known to be full, and not for each bit of it.
  @Test func whereMoreCouldBeUsedProbesAreSent() {
    for isFull in [false, true] {
      var estimator = BandwidthEstimator(.init(start: 800_000))
      estimator.setDemand(500_000, isShort: false, now: 0)
      for index in 0..<400 as Range<Int64> {
        let late = isFull && index >= 300 ? (index - 300) * ms / 2 : 0
        estimator.onSent(sequence: UInt16(index), size: 1000, now: index * 10 * ms)
        estimator.onFeedback([ReportedPacket(sequence: UInt16(index), arrival: index * 10 * ms + late)], now: index * 10 * ms)
        _ = estimator.process(now: index * 10 * ms)
        while estimator.takeProbe() != nil {}
      }
      var sent: [Int] = []
      for demand in [550_000, 600_000, 3_000_000, 3_100_000] {
        estimator.setDemand(demand, isShort: false, now: 4_000 * ms)
        sent += probes(&estimator)
      }
      #expect(isFull ? sent == [] : sent == [1_875_000, 3_750_000], "\(isFull): \(sent)")
    }
  }

  /// The link is known to have been full, so that no more is tried, and what arrives says nothing of more than half as much again.
  @Test(arguments: [0, 5_000_000]) func whatIsLeftOutForWantOfRoomIsAReasonToLookForMore(wanted: Int) {
    var estimator = BandwidthEstimator(.init(start: 800_000, maximum: 900_000))
    var probes = 0
    for index in 0..<2000 as Range<Int64> {
      let now = index * 10 * ms
      let late = index < 300 ? 0 : index < 400 ? (index - 300) * ms / 2 : 50 * ms
      estimator.onSent(sequence: UInt16(index), size: 1000, now: now)
      estimator.onFeedback([ReportedPacket(sequence: UInt16(index), arrival: now + late)], now: now)
      if index == 400 {
        estimator.setLimits(.init(maximum: 5_000_000), now: now)
        estimator.setDemand(wanted, isShort: true, now: now)
      }
      _ = estimator.process(now: now)
      while estimator.takeProbe() != nil { if index >= 400 { probes += 1 } }
    }
    #expect(estimator.estimate < 1_300_000)
    #expect(wanted == 0 ? probes == 0 : probes > 2, "\(probes)")
  }

  /// It counts for what flows, and for nothing that is waited for.
  @Test func ofWhatBearsNoNumberNoWordIsWaitedFor() {
    var estimator = BandwidthEstimator(.init(start: 300_000, maximum: 900_000))
    for index in 0..<2000 as Range<Int64> {
      let (now, number) = (index * 10 * ms, UInt16(truncatingIfNeeded: 0x9000 + index))
      estimator.onSent(sequence: number, size: 1000, now: now)
      estimator.onFeedback([ReportedPacket(sequence: number, arrival: now)], now: now)
      estimator.onSent(sequence: nil, size: 100, now: now)
      _ = estimator.process(now: now)
      #expect(!estimator.holdsPictures && estimator.inFlight == 0)
    }
    #expect(estimator.estimate == 900_000, "\(estimator.estimate)")
    // Pictures end, sound goes on.
    for index in 2000..<2500 as Range<Int64> {
      estimator.onSent(sequence: nil, size: 100, now: index * 10 * ms)
      _ = estimator.process(now: index * 10 * ms)
      #expect(!estimator.holdsPictures && estimator.estimate == 900_000)
    }
  }

  @Test func withoutTransportFeedbackNoWordIsWaitedFor() {
    var estimator = BandwidthEstimator(.init(start: 1_000_000), hasTransportFeedback: false)
    for index in 0..<1000 as Range<Int64> {
      estimator.onSent(sequence: 0, size: 1000, now: index * 10 * ms)
      _ = estimator.process(now: index * 10 * ms)
      #expect(!estimator.holdsPictures && estimator.target == 1_000_000)
    }
  }

  @Test func whatComesLateAfterAnOutageIsASlowLinkAndNoOutage() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    run(&estimator, from: 20_000, to: 21_500, reports: false)
    #expect(estimator.state == .outage)
    while estimator.takeProbe() != nil {}
    // 100 kbit/s: what was sent since then comes each 80 ms, and word of it at once, which is seconds after it was sent.
    for index in 0..<20 as Range<Int64> {
      let now = (21_500 + index * 80) * ms
      estimator.onFeedback([ReportedPacket(sequence: UInt16(truncatingIfNeeded: 2000 + index), arrival: now)], now: now)
      _ = estimator.process(now: now)
    }
    #expect(estimator.state != .outage)
    #expect(estimator.target < 150_000, "\(estimator.target)")
    let rates = probes(&estimator)
    #expect(rates == [], "\(rates)")
  }

  /// Of the last packets no word came, as when their receiver gave the stream up: what is sent after a pause is not held for them.
  @Test func whatIsSentAfterAPauseIsJudgedByItself() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    run(&estimator, from: 20_000, to: 20_060, reports: false)
    let target = estimator.target
    for time in stride(from: 20_060 as Int64, to: 22_000, by: 100) { _ = estimator.process(now: time * ms) }
    #expect(estimator.state == .normal && estimator.target == target)
    run(&estimator, from: 22_000, to: 22_300, reports: false)
    #expect(estimator.state == .normal)
    run(&estimator, from: 22_300, to: 23_000, reports: false)
    #expect(estimator.state == .outage)
  }

  @Test func aPauseIsNoOutageAndWakesNobody() {
    var estimator = BandwidthEstimator()
    run(&estimator, from: 0, to: 20_000)
    var (now, wakes) = (20_000 * ms, 0)
    while let next = estimator.process(now: now), wakes < 1000 {
      now = max(next, now + 1)
      wakes += 1
    }
    #expect(wakes < 40, "\(wakes)")
    #expect(estimator.state == .normal)
    _ = estimator.process(now: 60_000 * ms)
    #expect(estimator.state == .normal)
  }

  @Test func theReceiversEstimateBoundsWhereThereIsNoTransportFeedback() {
    var estimator = BandwidthEstimator(.init(start: 1_000_000), hasTransportFeedback: false)
    estimator.onRemb(400_000, now: 0)
    #expect(estimator.target == 400_000)
    estimator.onRemb(.min, now: 0)
    #expect(estimator.target == 150_000)
    var other = BandwidthEstimator(.init(start: 1_000_000))
    other.onRemb(400_000, now: 0)
    #expect(other.target == 1_000_000)
    let none = probes(&estimator)
    #expect(none == [])
  }

  @Test func receiverReportsAloneGoUpAndDown() {
    var estimator = BandwidthEstimator(.init(start: 500_000), hasTransportFeedback: false)
    func drive(_ from: Int64, _ to: Int64, _ loss: (Double) -> Double) -> Int {
      for second in from..<to {
        for packet in 0..<100 as Range<Int64> {
          estimator.onSent(sequence: 0, size: estimator.target / 800, now: (second * 1000 + packet * 10) * ms)
        }
        estimator.onReceiverReport(loss: loss(Double(estimator.target)), roundTrip: 50 * ms, now: (second * 1000 + 999) * ms)
        _ = estimator.process(now: (second * 1000 + 999) * ms)
      }
      return estimator.target
    }
    let clean = drive(0, 30) { _ in 0 }
    #expect(clean > 2_000_000)
    // A link of 1 Mbit/s.
    let full = drive(30, 60) { max(0, 1 - 1e6 / $0) }
    #expect(full > 600_000 && full < 1_500_000, "\(full)")
    #expect(estimator.state == .normal || estimator.state == .lossy)
    estimator.onReceiverReport(loss: .nan, roundTrip: .min, now: 60_000 * ms)
    estimator.onReceiverReport(loss: .infinity, roundTrip: .max, now: 60_001 * ms)
    estimator.onReceiverReport(loss: -7, roundTrip: 0, now: 61_000 * ms)
    #expect(estimator.target > 0)
  }

  @Test func whateverIsReportedIsBorne() {
    for seed in 1...10 as ClosedRange<UInt64> {
      var random = SeededRandom(seed: seed)
      var estimator = BandwidthEstimator()
      var (now, sequence) = (Int64(0), UInt16(0))
      for _ in 0..<2000 {
        now += Int64.random(in: 0...30, using: &random) * ms
        for _ in 0..<Int.random(in: 0...5, using: &random) {
          estimator.onSent(
            sequence: sequence, size: Int.random(in: -5...70_000, using: &random), probe: Int32.random(in: -1...3, using: &random), now: now
          )
          sequence = Int.random(in: 0..<100, using: &random) == 0 ? UInt16.random(in: 0...(.max), using: &random) : sequence &+ 1
        }
        let packets = (0..<Int.random(in: 0...40, using: &random)).map { _ in
          let number =
            Bool.random(using: &random)
            ? sequence &- UInt16.random(in: 0...60, using: &random) : UInt16.random(in: 0...(.max), using: &random)
          let arrivals = [
            nil, .min, .max, 0, now, Int64.random(in: .min...(.max), using: &random), now + Int64.random(in: -50...50, using: &random) * ms
          ]
          return ReportedPacket(sequence: number, arrival: arrivals.randomElement(using: &random) ?? nil)
        }
        estimator.onFeedback(packets, now: now)
        estimator.onRoundTrip(Int64.random(in: .min...(.max), using: &random), now: now)
        estimator.onRemb(Int.random(in: .min...(.max), using: &random), now: now)
        _ = estimator.process(now: now)
        while estimator.takeProbe() != nil {}
        let target = estimator.target
        #expect(target >= 30_000 && target <= 20_000_000)
        #expect(estimator.inFlight >= 0)
      }
    }
  }
}
