import Testing

@testable import MediaSDK

@Suite struct DriftControllerTests {
  /// A sender whose clock is fast by so many parts per million; the excess after each second.
  private func run(_ ppm: Double, seconds: Int) -> (controller: DriftController, excess: [Double]) {
    var controller = DriftController()
    var excess = 0.0
    var all: [Double] = []
    for _ in 0..<seconds {
      excess += (ppm - Double(controller.ppm)) / 1000
      controller.update(excessMilliseconds: excess)
      all.append(excess)
    }
    return (controller, all)
  }

  @Test(arguments: [-900.0, -200, 200, 900]) func followsAClock(ppm: Double) {
    let (controller, excess) = run(ppm, seconds: 600)
    #expect(abs(Double(controller.ppm) - ppm) <= 20)
    #expect(abs(excess[599]) < 0.5)
    #expect(excess.map(abs).max() ?? 0 < 12)
  }

  @Test func doesNotRing() {
    let (_, excess) = run(200, seconds: 600)
    #expect(excess.min() ?? 0 > -0.7)
  }

  @Test func aLittleIsNoDrift() {
    var controller = DriftController()
    for _ in 0..<100 { controller.update(excessMilliseconds: 2.9) }
    #expect(controller.ppm == 0)
    #expect(!controller.isFollowing)
  }

  @Test func keepsWithinItsBounds() {
    var controller = DriftController()
    for _ in 0..<1000 { controller.update(excessMilliseconds: 500) }
    #expect(controller.ppm == 1000)
    for _ in 0..<1000 { controller.update(excessMilliseconds: -500) }
    #expect(controller.ppm == -1000)
  }
}
