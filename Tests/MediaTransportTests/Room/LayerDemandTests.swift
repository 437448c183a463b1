import Testing

@testable import MediaTransport

@Suite struct LayerDemandTests {
  private func follow(_ demand: inout LayerDemand, _ wanted: [Int], _ milliseconds: Int64) -> LayerSet? {
    demand.follow(LayerSet(wanted), now: milliseconds * millisecond) ? demand.announced : nil
  }

  @Test func aLayerIsWantedAtOnceAndUnwantedLater() {
    var demand = LayerDemand(layers: 3)
    #expect(follow(&demand, [0, 1, 2], 0) == nil && demand.due == nil)
    #expect(follow(&demand, [0], 1_000) == nil && demand.due == 6_000 * millisecond)
    #expect(follow(&demand, [0], 5_999) == nil)
    #expect(follow(&demand, [0], 6_000) == LayerSet([0]) && demand.due == nil)
    #expect(follow(&demand, [2], 6_001) == LayerSet([0, 2]) && demand.due == 11_001 * millisecond)
    #expect(follow(&demand, [2], 11_001) == LayerSet([2]) && demand.due == nil)
    // What comes back meanwhile changes nothing.
    #expect(follow(&demand, [], 12_000) == nil && follow(&demand, [2], 13_000) == nil && follow(&demand, [2], 25_000) == nil)
  }

  @Test func eachLayerHasATimeOfItsOwn() {
    var demand = LayerDemand(layers: 3)
    #expect(follow(&demand, [0, 1, 2], 0) == nil && follow(&demand, [2], 1_000) == nil)
    #expect(follow(&demand, [0], 3_000) == nil && demand.due == 6_000 * millisecond)
    #expect(follow(&demand, [0], 6_000) == LayerSet([0, 2]) && demand.due == 8_000 * millisecond)
    #expect(follow(&demand, [0], 8_000) == LayerSet([0]) && demand.due == nil)
    #expect(follow(&demand, [], 9_000) == nil && follow(&demand, [], 14_000) == LayerSet([]) && demand.due == nil)
    #expect(follow(&demand, [0], 14_001) == LayerSet([0]))
  }

  /// Until somebody wants something, nobody misses what is left out.
  @Test func theFirstToWantSomethingDecides() {
    var demand = LayerDemand(layers: 3)
    #expect(follow(&demand, [], 0) == nil && demand.due == 5_000 * millisecond)
    #expect(follow(&demand, [2], 100) == LayerSet([2]) && demand.due == nil)
    #expect(follow(&demand, [0, 1, 2], 200) == LayerSet([0, 1, 2]))
    var other = LayerDemand(layers: 2)
    #expect(follow(&other, [], 0) == nil && follow(&other, [], 5_000) == LayerSet([]))
    #expect(follow(&other, [1], 6_000) == LayerSet([1]))
  }
}
