import MediaTransport
import Testing

@testable import MediaServer

@Suite struct LayerAllocatorTests {
  private let anna = StreamID(value: 1)
  private let bob = StreamID(value: 2)
  private let rates: [UInt64] = [100_000, 400_000, 1_500_000]

  private func lane(_ stream: StreamID, _ rates: [UInt64]? = nil, most: Int = 2, isScreen: Bool = false) -> LayerAllocator.Lane {
    LayerAllocator.Lane(stream: stream, rates: rates ?? self.rates, most: most, isScreen: isScreen)
  }

  private func allocate(
    _ allocator: inout LayerAllocator, _ lanes: [LayerAllocator.Lane], _ estimate: UInt64, besides: UInt64 = 0, at time: Int64 = 0
  ) -> [Int] {
    let result = allocator.allocate(lanes, besides: besides, estimate: estimate, now: time)
    return lanes.map { result[$0.stream] ?? -1 }
  }

  @Test(arguments: [(UInt64(0), 2), (50_000, 0), (100_000, 0), (399_999, 0), (400_000, 1), (1_499_999, 1), (1_500_000, 2)])
  func aStreamGetsTheBestLayerThatFits(estimate: UInt64, layer: Int) {
    var allocator = LayerAllocator()
    #expect(allocate(&allocator, [lane(anna)], estimate) == [layer])
  }

  @Test func severalShareWhatThereIs() {
    for (estimate, layers) in [
      (UInt64(200_000), [0, 0]), (150_000, [0, 0]), (500_000, [1, 0]), (800_000, [1, 1]), (1_900_000, [2, 1]), (3_000_000, [2, 2]),
      (0, [2, 2])
    ] {
      var allocator = LayerAllocator()
      #expect(allocate(&allocator, [lane(anna), lane(bob)], estimate) == layers, "\(estimate)")
    }
    var allocator = LayerAllocator()
    #expect(allocate(&allocator, [lane(anna, most: 0), lane(bob)], 1_700_000, besides: 100_000) == [0, 2])
    #expect(allocator.allocate([], besides: 0, estimate: 0, now: 0).isEmpty)
  }

  @Test func whatMattersMoreComesFirst() {
    let (speaker, other) = (StreamID(value: 1), StreamID(value: 2))
    func lanes(_ rank: UInt8, _ others: UInt8) -> [LayerAllocator.Lane] {
      [
        LayerAllocator.Lane(stream: speaker, rates: rates, most: 2, rank: rank),
        LayerAllocator.Lane(stream: other, rates: rates, most: 2, rank: others)
      ]
    }
    for (estimate, layers) in [(UInt64(200_000), [0, 0]), (700_000, [1, 0]), (1_500_000, [1, 1]), (1_600_000, [2, 0]), (1_900_000, [2, 1])]
    {
      var allocator = LayerAllocator()
      #expect(allocate(&allocator, lanes(1, 128), estimate) == layers, "\(estimate)")
      allocator = LayerAllocator()
      #expect(allocate(&allocator, lanes(255, 128), estimate) == layers.reversed(), "\(estimate)")
    }
    // Also before a screen, and the last to be paused.
    var allocator = LayerAllocator()
    var both = lanes(1, 128)
    both[1] = lane(other, [80_000, 400_000, 1_500_000], isScreen: true)
    for time in [0, 4] { _ = allocate(&allocator, both, 110_000, at: Int64(time) * second) }
    #expect(allocate(&allocator, both, 110_000, at: 5 * second) == [0, -1])
  }

  /// Not at once, and one is always sent.
  @Test func whatHasNoRoomIsPaused() {
    var allocator = LayerAllocator()
    let lanes = [lane(anna), lane(bob, [80_000, 400_000, 1_500_000])]
    #expect(allocate(&allocator, lanes, 150_000) == [0, 0] && allocate(&allocator, lanes, 150_000, at: 2_900 * second / 1_000) == [0, 0])
    #expect(allocate(&allocator, lanes, 150_000, at: 3 * second) == [-1, 0])
    #expect(allocate(&allocator, lanes, 10_000, at: 4 * second) == [-1, 0])
    // It goes on like another step up.
    #expect(allocate(&allocator, lanes, 190_000, at: 5 * second) == [-1, 0])
    #expect(allocate(&allocator, lanes, 210_000, at: 7 * second) == [-1, 0])
    #expect(allocate(&allocator, lanes, 210_000, at: 8 * second) == [0, 0])
    // A moment without room is no reason.
    #expect(allocate(&allocator, lanes, 150_000, at: 10 * second) == [0, 0])
    #expect(allocate(&allocator, lanes, 210_000, at: 11 * second) == [0, 0])
    #expect(allocate(&allocator, lanes, 150_000, at: 12 * second) == [0, 0])
    #expect(allocate(&allocator, lanes, 0, at: 13 * second) == [2, 2])
  }

  private func step(_ allocator: inout LayerAllocator, _ lane: LayerAllocator.Lane, _ estimate: UInt64, at time: Int64 = 0) -> String {
    let layer = allocate(&allocator, [lane], estimate, at: time)[0]
    return layer < 0 ? "paused" : "\(layer)\(allocator.isThinned(lane.stream) ? " without" : "")"
  }

  /// Frames are dropped before a smaller layer is sent, or none.
  @Test(arguments: [
    (UInt64(0), "2"), (50_000, "0 without"), (99_999, "0 without"), (100_000, "0"), (240_000, "1 without"), (399_999, "1 without"),
    (400_000, "1"),
    (900_000, "2 without"), (1_500_000, "2")
  ]) func eachLayerHasAStepWithoutItsDroppableFrames(estimate: UInt64, expected: String) {
    var (allocator, lane) = (LayerAllocator(), lane(anna))
    lane.baseRates = [60_000, 240_000, 900_000]
    #expect(step(&allocator, lane, estimate) == expected)
    // One whose frames are of no other rate has no such step.
    lane.baseRates = [95_000, 400_000, 0]
    var other = LayerAllocator()
    #expect(!step(&other, lane, estimate).hasSuffix("without"))
  }

  @Test func whoShowsFewFramesGetsNoDroppableOnes() {
    var (allocator, lane) = (LayerAllocator(), lane(anna, most: 1))
    (lane.baseRates, lane.wantsBase) = ([60_000, 240_000, 900_000], true)
    #expect(step(&allocator, lane, 0) == "1 without" && step(&allocator, lane, 5_000_000, at: second) == "1 without")
    #expect(allocator.demand.bits == 500_000 && !allocator.demand.isShort)
    lane.baseRates = []
    #expect(step(&allocator, lane, 5_000_000, at: 20 * second) == "1")
    let one = LayerAllocator.Lane(stream: bob, rates: [100_000], most: 2, baseRates: [50_000], wantsBase: true)
    #expect(step(&allocator, one, 5_000_000, at: 20 * second) == "0 without")
  }

  /// A stream in one layer, too.
  @Test func theLastStepBeforeAPauseIsWithoutDroppableFrames() {
    var allocator = LayerAllocator()
    let lanes = [
      LayerAllocator.Lane(stream: anna, rates: [100_000], most: 2, baseRates: [50_000]),
      LayerAllocator.Lane(stream: bob, rates: [80_000], most: 2, baseRates: [40_000])
    ]
    func thinned() -> [StreamID] { [anna, bob].filter { allocator.isThinned($0) } }
    #expect(allocate(&allocator, lanes, 200_000) == [0, 0] && thinned().isEmpty)
    #expect(allocate(&allocator, lanes, 150_000, at: 10 * second) == [0, 0] && thinned() == [anna])
    #expect(allocate(&allocator, lanes, 100_000, at: 20 * second) == [0, 0] && thinned() == [anna, bob] && allocator.demand.isShort)
    for time in Int64(30)...34 { _ = allocate(&allocator, lanes, 80_000, at: time * second) }
    #expect(allocate(&allocator, lanes, 80_000, at: 35 * second) == [-1, 0] && thinned() == [bob])
  }

  @Test func aScreenComesFirst() {
    var allocator = LayerAllocator()
    let screen = LayerAllocator.Lane(stream: bob, rates: [120_000], most: 2, isScreen: true)
    for time in [0, 2 * second] { #expect(allocate(&allocator, [lane(anna), screen], 150_000, at: time) == [0, 0]) }
    #expect(allocate(&allocator, [lane(anna), screen], 150_000, at: 3 * second) == [-1, 0])
  }

  @Test func stepsDownAreTakenAtOnceAndStepsUpWithRoom() {
    var allocator = LayerAllocator()
    let lanes = [lane(anna)]
    #expect(allocate(&allocator, lanes, 2_000_000) == [2])
    #expect(allocate(&allocator, lanes, 1_000_000, at: second) == [1])
    // The path has just proved to be slow.
    #expect(allocate(&allocator, lanes, 9_000_000, at: 4 * second) == [1])
    #expect(allocate(&allocator, lanes, 1_600_000, at: 6 * second) == [1])
    // There has to be room for a while.
    #expect(allocate(&allocator, lanes, 1_800_000, at: 7 * second) == [1])
    #expect(allocate(&allocator, lanes, 1_800_000, at: 7_900 * second / 1_000) == [1])
    #expect(allocate(&allocator, lanes, 1_800_000, at: 8 * second) == [2])
    // Less of use is no sign of a slow path.
    #expect(allocate(&allocator, [lane(anna, most: 0)], 1_800_000, at: 9 * second) == [0])
    #expect(allocate(&allocator, lanes, 1_800_000, at: 9 * second) == [2])
  }

  /// Nothing but a path that has become slow is a reason to wait.
  @Test func whatComesOrGrowsIsNoSignOfASlowPath() {
    var allocator = LayerAllocator()
    #expect(allocate(&allocator, [lane(anna)], 0) == [2])
    #expect(allocate(&allocator, [lane(anna)], 1_000_000) == [1])
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 1_000_000, at: second / 10) == [1, 1])
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 2_600_000, at: second) == [1, 1])
    for time in [2, 3] as [Int64] { _ = allocate(&allocator, [lane(anna), lane(bob)], 2_600_000, at: time * second) }
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 2_600_000, at: 4 * second) == [2, 1])
    // One that has become larger.
    let larger = lane(bob, [100_000, 1_800_000, 2_000_000])
    #expect(allocate(&allocator, [lane(anna), larger], 2_600_000, at: 5 * second) == [2, 0])
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 2_600_000, at: 6 * second) == [2, 1])
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 1_000_000, at: 7 * second) == [1, 1])
    #expect(allocate(&allocator, [lane(anna), lane(bob)], 2_600_000, at: 10 * second) == [1, 1])
  }

  /// The estimate falls below what flows at each queue on the path, and is back in a moment.
  @Test func aLittleTooLittleIsEndured() {
    var allocator = LayerAllocator()
    let lanes = [lane(anna), lane(bob)]
    #expect(allocate(&allocator, lanes, 3_000_000) == [2, 2])
    #expect(allocate(&allocator, lanes, 2_400_000, at: second) == [2, 2])
    #expect(allocate(&allocator, lanes, 2_500_000, at: 2_900 * second / 1_000) == [2, 2])
    // What was too little for a moment is no reason not to endure the next.
    #expect(allocate(&allocator, lanes, 3_100_000, at: 3 * second) == [2, 2])
    #expect(allocate(&allocator, lanes, 2_400_000, at: 4 * second) == [2, 2])
    #expect(allocate(&allocator, lanes, 2_400_000, at: 6 * second) == [2, 1])
    // Much is not, nor for newcomers.
    #expect(allocate(&allocator, lanes, 1_000_000, at: 7 * second) == [1, 1])
    var another = LayerAllocator()
    #expect(allocate(&another, [lane(anna)], 1_600_000) == [2])
    #expect(allocate(&another, lanes, 1_500_000, at: second) == [1, 1])
  }

  @Test func demandIsWhatWouldBeSentIfThereWereRoom() {
    var allocator = LayerAllocator()
    for (lanes, bits) in [
      ([], 50_000), ([lane(anna)], 1_750_000), ([lane(anna, most: 1)], 550_000), ([lane(anna), lane(bob)], 3_450_000),
      // Of which nothing is known, and what does not take as much yet as it usually does.
      ([lane(anna, [0, 0, 0])], 1_750_000), ([lane(anna, [10_000, 20_000])], 550_000), ([lane(anna, [10_000])], 1_750_000),
      ([lane(anna, [10_000], isScreen: true)], 550_000), ([lane(anna, [900_000], isScreen: true)], 950_000),
      ([lane(anna, [900_000, 2_000_000])], 2_050_000)
    ] as [([LayerAllocator.Lane], UInt64)] {
      _ = allocate(&allocator, lanes, 700_000, besides: 50_000)
      #expect(allocator.demand.bits == bits)
    }
    _ = allocate(&allocator, [lane(anna)], 0)
    #expect(!allocator.demand.isShort)
    _ = allocate(&allocator, [lane(anna)], 700_000)
    #expect(allocator.demand.isShort)
  }

  @Test func stepsUpThatDoNotLastBecomeRare() {
    var (allocator, time, risen) = (LayerAllocator(), Int64(0), [Int64]())
    let lanes = [lane(anna)]
    _ = allocate(&allocator, lanes, 200_000)
    // What promises to have room has none once it is used.
    for _ in 0..<1_200 {
      time += second / 10
      let layer = allocate(&allocator, lanes, 600_000, at: time)[0]
      guard layer == 1 else { continue }
      risen.append(time / second)
      time += second
      #expect(allocate(&allocator, lanes, 200_000, at: time) == [0])
    }
    let pauses = zip(risen, risen.dropFirst()).map { $1 - $0 }
    #expect(
      pauses.count >= 4 && pauses == pauses.sorted() && (8...12).contains(pauses[0]) && pauses.suffix(2).allSatisfy { $0 >= 32 }, "\(risen)"
    )
  }

  @Test func theFloorIsTheLeastOfAWhile() {
    var floor = EstimateFloor()
    #expect(floor.value == .max)
    for (time, estimate, value) in [
      (Int64(0), UInt64(0), UInt64.max), (500, 300, 300), (900, 800, 300), (1_000, 900, 300), (1_900, 700, 300), (2_000, 900, 700),
      (3_000, 950, 900)
    ] {
      floor.note(estimate, at: time * second / 1_000)
      #expect(floor.value == value, "\(time)")
    }
  }

  @Test func layersThatDoNotComeAreLeftOut() {
    var allocator = LayerAllocator()
    #expect(allocate(&allocator, [lane(anna, [0, 400_000, 0])], 100_000) == [1])
    #expect(allocate(&allocator, [lane(bob, [100_000, 0, 1_500_000])], 2_000_000) == [2])
    #expect(allocate(&allocator, [lane(bob, [100_000, 0, 1_500_000])], 1_000_000) == [0])
    // Of which nothing is known: as usual.
    var other = LayerAllocator()
    #expect(allocate(&other, [lane(anna, [0, 0, 0])], 600_000) == [1])
  }
}
