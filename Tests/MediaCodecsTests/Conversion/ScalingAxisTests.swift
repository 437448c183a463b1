import CPixels
import Testing

@testable import MediaCodecs

@Suite struct ScalingAxisTests {
  static let sides = [
    (1, 1), (1, 9), (9, 1), (2, 1), (3, 2), (2, 3), (4, 3), (17, 9), (1280, 427), (427, 1280), (1080, 720), (16384, 5), (5, 16384),
    (1000, 999),
    (16384, 16383), (720, 720)
  ]

  @Test func weightsAddUpToOneAndNoneIsNegative() {
    for (from, to) in Self.sides {
      let axis = ScalingAxis(from: from, to: to)
      for result in 0..<to {
        let weights = (0..<axis.taps(result)).map { Int(axis.weight(result, $0)) }
        guard weights.reduce(0, +) == CPIXELS_ONE, weights.allSatisfy({ $0 >= 0 }) else {
          Issue.record("\(from) to \(to), result \(result): \(weights)")
          break
        }
      }
    }
  }

  @Test func samplesAreInTheSideAndInOrder() {
    for (from, to) in Self.sides {
      let axis = ScalingAxis(from: from, to: to)
      let most = axis.mostTaps
      var before = 0
      for result in 0..<to {
        let (first, taps) = (axis.first(result), axis.taps(result))
        guard first >= before, taps >= 1, first + taps <= from, taps <= most else {
          Issue.record("\(from) to \(to), result \(result): \(taps) from \(first)")
          break
        }
        before = first
      }
      #expect(axis.first(0) == 0 && before + axis.taps(to - 1) == from, "\(from) to \(to): an end is not looked at")
    }
  }

  /// By hand: three samples of two thirds and one third; four of three quarters; and halfway between.
  @Test func knownWeights() {
    let shrinking = ScalingAxis(from: 3, to: 2)
    #expect(
      [shrinking.weight(0, 0), shrinking.weight(0, 1), shrinking.weight(1, 0), shrinking.weight(1, 1)] == [10923, 5461, 5461, 10923])
    let growing = ScalingAxis(from: 2, to: 4)
    #expect((0..<4).map { growing.first($0) } == [0, 0, 0, 1])
    #expect([growing.weight(0, 0), growing.weight(1, 0), growing.weight(2, 0), growing.weight(3, 0)] == [16384, 12288, 4096, 16384])
  }

  /// A table is kept as long as its axis is the same, and not a moment longer.
  @Test func tablesAreKept() {
    let scratch = ConversionScratch()
    let (first, second) = (ScalingAxis(from: 30, to: 20), ScalingAxis(from: 30, to: 21))
    #expect(scratch.table(.rows, first, 1000).isNew)
    #expect(!scratch.table(.rows, first, 1000).isNew)
    #expect(scratch.table(.columns, first, 1000).isNew)
    #expect(scratch.table(.rows, second, 1000).isNew)
    #expect(scratch.table(.rows, first, 1000).isNew)
  }
}
