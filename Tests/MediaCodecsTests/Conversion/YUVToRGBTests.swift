import CYUV
import MediaCore
import Testing

@testable import MediaCodecs

@Suite(.serialized) struct YUVToRGBTests {
  /// Noise, so that many sums are far outside of what a byte holds; widths that end within a vector.
  @Test(arguments: [PixelFormat.i420, .nv12, .gray8], [false, true])
  func everyChannelIsTheNearest(format: PixelFormat, withoutAVX2: Bool) throws {
    if withoutAVX2 { MaskCpuFlags(~kCpuHasAVX2) }
    defer { MaskCpuFlags(-1) }
    var random = SeededRandom(seed: 6, name: format.name)
    for color in PixelConversionTests.colors {
      for (width, height) in [(131, 5), (64, 2), (1, 1), (15, 3)] {
        let source = GuardedFrame(format, width, height, padding: 3, color: color)
        source.fillRandom(&random)
        let reference = ScalarReference(source: source)
        for to in PixelFormat.allCases where to.isRGB {
          let target = GuardedFrame(to, width, height, padding: 5)
          try VideoConverter.convert(source.frame, into: target.frame)
          var worst = 0.0
          for row in 0..<height {
            for byte in 0..<target.rowBytes(0) {
              worst = max(worst, abs(Double(target[0, row, byte]) - reference.expected(to, plane: 0, row: row, byte: byte)))
            }
          }
          #expect(worst <= 0.54, "\(format.name) to \(to.name), \(width)x\(height), \(color): off by \(worst)")
          #expect(target.canariesAreAlive, "\(format.name) to \(to.name), \(width)x\(height): wrote between the rows")
        }
      }
    }
  }
}
