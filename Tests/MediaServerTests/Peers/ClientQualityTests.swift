import MediaRTP
import MediaSignalling
import Testing

@testable import MediaServer

@Suite struct ClientQualityTests {
  private func run(_ quality: inout ClientQuality, _ seconds: ClosedRange<Int64>, lost: Int64, roundTrip: Int64? = nil)
    -> LiveKitConnectionQuality?
  {
    var last: LiveKitConnectionQuality?
    for time in seconds {
      var figures = NetworkFigures()
      (figures.packetsReceived, figures.packetsLost) = (UInt64(time) * 100, time * lost)
      figures.roundTrip = roundTrip
      last = quality.sample([NetworkFigures(), figures], isLost: false, now: time * second)
    }
    return last
  }

  @Test func gradesAreThoseOfTheWorstDirection() {
    var quality = ClientQuality()
    #expect(run(&quality, 1...1, lost: 0) == nil)
    #expect(run(&quality, 2...9, lost: 0) == .excellent)
    var poor = ClientQuality()
    #expect(run(&poor, 1...9, lost: 5) == .good)
    var bad = ClientQuality()
    #expect(run(&bad, 1...9, lost: 40) == .poor)
    var slow = ClientQuality()
    #expect(run(&slow, 1...9, lost: 0, roundTrip: 600_000_000) == .good)
  }

  @Test func aPathThatIsLostIsThatAtOnce() {
    var quality = ClientQuality()
    #expect(run(&quality, 1...9, lost: 0) == .excellent)
    #expect(quality.sample([], isLost: true, now: 10 * second) == .lost)
    #expect(quality.sample([], isLost: false, now: 11 * second) == .excellent)
  }
}
