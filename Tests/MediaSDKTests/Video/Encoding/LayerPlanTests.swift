import MediaTransport
import Testing

@testable import MediaSDK

@Suite struct LayerPlanTests {
  private func layers(_ active: [Bool], _ bitrates: [UInt64] = []) -> StreamLayers {
    var layers = StreamLayers(count: active.count)
    layers.follow(active: active, bitrates: bitrates)
    return layers
  }

  private func divide(_ total: UInt64, _ active: [Bool] = [true, true, true], _ bitrates: [UInt64] = [], hasBest: Bool = false) -> [UInt64]
  {
    var plan = LayerPlan()
    plan.update(layers(active, bitrates), wish: 1_000_000, total: total, hasBest: hasBest)
    return plan.bitrates
  }

  @Test func allGetWhatTheyWishIfThereIsEnough() {
    #expect(divide(.max) == [62_500, 250_000, 1_000_000])
    #expect(divide(.max, [true, true]) == [250_000, 1_000_000] && divide(.max, [true]) == [1_000_000])
    let sums = [[true, true, true], [true, true], [true], [true, false, false], [false]].map { LayerPlan.sum(of: layers($0)) }
    #expect(zip(sums, [1.3125, 1.25, 1, 0.0625, 1]).allSatisfy { abs($0 - $1) < 1e-9 })
  }

  @Test func theSmallOnesComeFirst() {
    #expect(divide(900_000) == [62_500, 250_000, 587_500])
    // Less than three eighths of what it wishes: the one below looks better.
    #expect(divide(680_000) == [62_500, 250_000, 0])
    #expect(divide(300_000) == [62_500, 237_500, 0])
    #expect(divide(150_000) == [62_500, 0, 0])
    // One there is always.
    #expect(divide(20_000) == [20_000, 0, 0] && divide(0) == [1_000, 0, 0])
  }

  @Test func whatIsNotReceivedOrBoundedTakesNothingFromOthers() {
    #expect(divide(.max, [false, false, true]) == [0, 0, 1_000_000] && divide(100_000, [false, false, true]) == [0, 0, 100_000])
    #expect(divide(.max, [false, false, false]) == [0, 0, 0])
    #expect(divide(900_000, [true, true, true], [50_000, 0, 400_000]) == [50_000, 250_000, 400_000])
    // It is needed here.
    #expect(divide(100_000, [true, true, false], hasBest: true) == [62_500, 0, 37_500])
    #expect(divide(.max, [false, false, false], hasBest: true) == [0, 0, 1_000_000])
  }

  /// An estimate that moves a little does not switch a layer on and off.
  @Test func aLayerBeginsWithHeadroomAndStaysWithout() {
    var plan = LayerPlan()
    let all = layers([true, true, true])
    func divide(_ total: UInt64) -> UInt64 {
      plan.update(all, wish: 1_000_000, total: total, hasBest: false)
      return plan.bitrates[2]
    }
    #expect(divide(690_000) == 377_500 && divide(680_000) == 0 && divide(690_000) == 0 && divide(770_000) == 0)
    #expect(divide(790_000) == 477_500 && divide(690_000) == 377_500)
  }
}
