import Testing

@testable import MediaRTP

@Suite struct RoundTripsTests {
  private let ms: Int64 = 1_000_000

  @Test func theTimeOfCollectingDoesNotCount() {
    var trips = RoundTrips()
    #expect(trips.smoothed == nil && trips.shortest == nil)
    // Sent at 0, 20 and 40 ms, underway for 50 ms each, reported at 90, heard at 140.
    let results = [0, 20, 40].map { PacketResult(sequence: 0, sent: $0 * ms, arrival: ($0 + 9050) * ms, size: 1, probe: 0, wasLost: false) }
    trips.add(results, now: 140 * ms)
    #expect(trips.smoothed == 100 * ms)
    #expect(trips.shortest == 100 * ms)
  }

  @Test func theShortestIsForgottenAfterAWhile() {
    var trips = RoundTrips()
    for second in 0..<60 as Range<Int64> { trips.add(second < 10 ? 50 * ms : 200 * ms, now: second * 1000 * ms) }
    #expect(trips.shortest == 200 * ms)
    trips.add(.min, now: 0)
    trips.add(.max, now: 0)
    #expect(trips.shortest == 0)
  }
}
