import Testing

@testable import MediaTransport

@Suite struct LayerDemandTests {
  private func follow(_ demand: inout LayerDemand, _ best: Int, _ milliseconds: Int64) -> Int? {
    demand.follow(best, now: milliseconds * millisecond) ? demand.announced : nil
  }

  @Test func moreIsWantedAtOnceAndLessLater() {
    var demand = LayerDemand(layers: 3)
    #expect(follow(&demand, 2, 0) == nil && demand.due == nil)
    #expect(follow(&demand, 0, 1_000) == nil && demand.due == 6_000 * millisecond)
    #expect(follow(&demand, 0, 5_999) == nil)
    #expect(follow(&demand, 0, 6_000) == 0 && demand.due == nil)
    #expect(follow(&demand, 2, 6_001) == 2 && demand.due == nil)
    // What comes back meanwhile changes nothing.
    #expect(follow(&demand, -1, 7_000) == nil && follow(&demand, 2, 8_000) == nil && follow(&demand, 2, 20_000) == nil)
  }

  @Test func theMostOfWhatWasWantedMeanwhileCounts() {
    var demand = LayerDemand(layers: 3)
    #expect(follow(&demand, -1, 0) == nil && follow(&demand, 1, 2_000) == nil && follow(&demand, -1, 4_000) == nil)
    #expect(follow(&demand, -1, 5_000) == 1 && demand.due == 10_000 * millisecond)
    #expect(follow(&demand, -1, 10_000) == -1 && demand.due == nil)
    #expect(follow(&demand, 0, 10_001) == 0)
  }
}
