import Testing

@testable import MediaTransport

@Suite struct LayerSelectionTests {
  private let all = LayerSet(0...2)

  /// A frame of each layer, thirty times a 1_000 * millisecond; what passes, as layers.
  private func run(
    _ selection: inout LayerSelection, _ numbers: ClosedRange<UInt64>, keys: Set<UInt64> = [], of layers: [Int] = [0, 1, 2]
  ) -> (layers: [Int], ids: [FrameID], asked: Int) {
    var (passed, ids, asked): ([Int], [FrameID], Int) = ([], [], 0)
    for number in numbers {
      for layer in layers {
        let time = Int64(number) * 33 * millisecond
        switch selection.take(number, of: layer, isKeyFrame: keys.contains(number), at: time, flowing: LayerSet(layers)) {
        case .passes(let id):
          passed.append(layer)
          ids.append(id)
        case .skipped: break
        case .needsKeyFrame: asked += 1
        }
      }
    }
    return (passed, ids, asked)
  }

  @Test func setsOfLayersAreRead() {
    #expect(LayerSet([]).best(upTo: 2) == nil && LayerSet([0, 2]).contains(2) && !LayerSet([0, 2]).contains(1))
    #expect((0...2).map { LayerSet(0...2).best(upTo: $0) } == [0, 1, 2] && LayerSet(0...2).best(upTo: 7) == 2)
    #expect((0...2).map { LayerSet([0, 2]).best(upTo: $0) } == [0, 0, 2])
    // Where nothing is small enough, the smallest.
    #expect((-1...1).map { LayerSet([1, 2]).best(upTo: $0) } == [1, 1, 1])
  }

  @Test func theBestLayerPassesFromItsKeyFrameOn() {
    var selection = LayerSelection()
    let first = run(&selection, 1...9)
    #expect(first.layers.isEmpty && first.asked == 1)
    let later = run(&selection, 10...20, keys: [10])
    #expect(later.layers == [Int](repeating: 2, count: 11) && later.ids == Array(1...11) && later.asked == 0)
  }

  @Test func anotherLayerFollowsWithoutAGap() {
    var selection = LayerSelection()
    _ = run(&selection, 1...10, keys: [1])
    // It goes on as before until a key frame of the other comes.
    selection.limit = 0
    let before = run(&selection, 11...20)
    #expect(before.layers == [Int](repeating: 2, count: 10) && before.asked == 1)
    let after = run(&selection, 21...30, keys: [21])
    #expect(after.layers == [Int](repeating: 0, count: 10) && after.ids == Array(21...30))
    (selection.limit, selection.useful) = (2, 1)
    // Of the first picture both, in the order in which they come.
    #expect(run(&selection, 31...40, keys: [31]).layers == [0] + [Int](repeating: 1, count: 10))
  }

  @Test func aLossInALayerIsOneOfTheReceiver() {
    var selection = LayerSelection()
    _ = run(&selection, 1...3, keys: [1])
    #expect(run(&selection, 6...7).ids == [6, 7])
    // What is lost of another layer is nobody's.
    #expect(selection.take(50, of: 0, isKeyFrame: false, at: 1_000 * millisecond, flowing: all) == .skipped)
    #expect(run(&selection, 8...8).ids == [8])
  }

  @Test func aLayerThatStopsIsReplaced() {
    var selection = LayerSelection()
    _ = run(&selection, 1...3, keys: [1])
    let waits = run(&selection, 4...30, of: [0, 1])
    #expect(waits.layers.isEmpty && waits.asked == 2)
    #expect(run(&selection, 31...35, keys: [31], of: [0, 1]).layers == [1, 1, 1, 1, 1])
    // And comes again.
    #expect(run(&selection, 36...40, keys: [37]).layers == [1, 1, 2, 2, 2, 2])
  }
}
