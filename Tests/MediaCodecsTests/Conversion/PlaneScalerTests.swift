import CYUV
import MediaCore
import Testing

@testable import MediaCodecs

@Suite(.serialized) struct PlaneScalerTests {
  static let sizes: [(from: (Int, Int), to: (Int, Int))] = [
    ((192, 108), (128, 72)), ((64, 36), (43, 25)), ((17, 9), (40, 21)), ((33, 34), (20, 50)), ((50, 20), (33, 41)), ((130, 66), (129, 67)),
    ((130, 66), (130, 40)), ((130, 66), (90, 66)), ((65, 129), (64, 130)), ((64, 36), (32, 18)), ((64, 36), (128, 72)),
    ((64, 36), (48, 27)),
    ((301, 83), (7, 5)), ((301, 20), (33, 19)), ((97, 65), (193, 130)), ((1, 1), (5, 3)), ((5, 3), (1, 1)), ((2, 2), (3, 5)),
    ((3, 1), (6, 2)),
    ((250, 100), (100, 40)), ((640, 4), (100, 2)), ((20, 30), (20, 61))
  ]

  /// What each sample weighs in each result: its part of the result's area where there are fewer results, by its distance where more.
  static func weights(_ from: Int, _ to: Int) -> [[Double]] {
    (0..<to).map { result in
      let (low, high) = (Double(result) * Double(from) / Double(to), Double(result + 1) * Double(from) / Double(to))
      let middle = min(max((low + high) / 2 - 0.5, 0), Double(from - 1))
      return (0..<from).map { sample in
        to <= from
          ? max(0, min(high, Double(sample + 1)) - max(low, Double(sample))) / (high - low) : max(0, 1 - abs(middle - Double(sample)))
      }
    }
  }

  /// In double precision, and not from the tables.
  static func expected(_ source: GuardedFrame, _ width: Int, _ height: Int, channels: Int) -> [Double] {
    let (across, down) = (weights(source.width, width), weights(source.height, height))
    var blended = [Double](repeating: 0, count: source.width * channels * height)
    for (y, weights) in down.enumerated() {
      for (row, weight) in weights.enumerated() where weight > 0 {
        for byte in 0..<source.width * channels {
          blended[y * source.width * channels + byte] += weight * Double(source[0, row, byte])
        }
      }
    }
    var result = [Double](repeating: 0, count: width * channels * height)
    for y in 0..<height {
      for (x, weights) in across.enumerated() {
        for (column, weight) in weights.enumerated() where weight > 0 {
          for channel in 0..<channels {
            result[(y * width + x) * channels + channel] += weight * blended[(y * source.width + column) * channels + channel]
          }
        }
      }
    }
    return result
  }

  /// Noise at every kind of ratio: each byte is the nearest, but for what weights of 14 bits lose.
  @Test(arguments: [PixelFormat.gray8, .bgra], [false, true])
  func agreesWithPlainArithmetic(format: PixelFormat, withoutAVX2: Bool) throws {
    if withoutAVX2 { MaskCpuFlags(~kCpuHasAVX2) }
    defer { MaskCpuFlags(-1) }
    var random = SeededRandom(seed: 3)
    let scratch = ConversionScratch()
    for (size, wanted) in Self.sizes {
      let source = GuardedFrame(format, size.0, size.1, padding: 1)
      source.fillRandom(&random)
      let target = GuardedFrame(format, wanted.0, wanted.1, padding: 3)
      try VideoConverter.convert(source.frame, into: target.frame, scratch: scratch)
      let expected = Self.expected(source, wanted.0, wanted.1, channels: format == .gray8 ? 1 : 4)
      let worst = zip(expected, target.pixels(0)).reduce(0) { max($0, abs($1.0 - Double($1.1))) }
      #expect(worst <= 0.53, "\(format.name) \(size) to \(wanted): off by \(worst)")
      #expect(target.canariesAreAlive, "\(format.name) \(size) to \(wanted): wrote between the rows")
    }
  }

  /// One scratch, sizes that alternate: a table of one must not serve the other.
  @Test func tablesDoNotOutliveTheirSizes() throws {
    let scratch = ConversionScratch()
    var random = SeededRandom(seed: 4)
    let source = GuardedFrame(.i420, 40, 30)
    source.fillRandom(&random)
    for (width, height) in [(27, 19), (61, 45), (27, 45), (27, 19), (13, 7), (61, 45)] {
      let (kept, fresh) = (GuardedFrame(.i420, width, height), GuardedFrame(.i420, width, height))
      try VideoConverter.convert(source.frame, into: kept.frame, scratch: scratch)
      try VideoConverter.convert(source.frame, into: fresh.frame, scratch: ConversionScratch())
      for plane in 0..<3 { #expect(kept.pixels(plane) == fresh.pixels(plane), "\(width)x\(height), plane \(plane)") }
    }
  }
}
