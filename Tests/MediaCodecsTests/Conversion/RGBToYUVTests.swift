import CYUV
import MediaCore
import Testing

@testable import MediaCodecs

@Suite(.serialized) struct RGBToYUVTests {
  /// Odd sizes, so that vectors end within a row and the last column and row count twice.
  @Test(arguments: PixelFormat.allCases.filter(\.isRGB), [false, true])
  func everySampleIsTheNearest(format: PixelFormat, withoutAVX2: Bool) throws {
    if withoutAVX2 { MaskCpuFlags(~kCpuHasAVX2) }
    defer { MaskCpuFlags(-1) }
    var random = SeededRandom(seed: 5, name: format.name)
    for (width, height) in [(1, 1), (131, 35), (64, 18), (15, 3), (33, 2)] {
      for to in [PixelFormat.i420, .nv12, .gray8] {
        let source = GuardedFrame(format, width, height, padding: 3)
        source.fillRandom(&random)
        let target = GuardedFrame(to, width, height, padding: 5)
        try VideoConverter.convert(source.frame, into: target.frame)
        let reference = ScalarReference(source: source)
        var (worst, sum, count) = (0.0, 0.0, 0.0)
        for plane in target.planes.indices {
          for row in 0..<target.rows(plane) {
            for byte in 0..<target.rowBytes(plane) {
              let error = Double(target[plane, row, byte]) - reference.expected(to, plane: plane, row: row, byte: byte)
              worst = max(worst, abs(error))
              sum += error
              count += 1
            }
          }
        }
        let what = "\(format.name) to \(to.name), \(width)x\(height)"
        #expect(worst <= 0.51, "\(what): off by \(worst)")
        #expect(count < 1000 || abs(sum / count) <= 0.05, "\(what): off by \(sum / count) on average")
        #expect(target.canariesAreAlive, "\(what): wrote between the rows")
      }
    }
  }

  /// Ten times to YUV and back: a colour is after the last time what it was after the first.
  @Test(arguments: [PixelFormat.i420, .nv12])
  func coloursDoNotDrift(yuv: PixelFormat) throws {
    // Each in a block of two by two.
    let levels: [UInt8] = [0, 1, 17, 40, 64, 100, 127, 128, 150, 181, 200, 222, 240, 254, 255]
    let colors = levels.flatMap { red in levels.flatMap { green in levels.map { blue in (red, green, blue) } } }
    let picture = GuardedFrame(.rgba, 2 * colors.count / 15, 2 * 15)
    let columns = picture.width / 2
    picture.fill { _, row, byte in
      let color = colors[row / 2 * columns + byte / 8]
      return [color.0, color.1, color.2, 255][byte % 4]
    }
    let middle = GuardedFrame(yuv, picture.width, picture.height)
    var first: [UInt8] = []
    for trip in 0..<10 {
      try VideoConverter.convert(picture.frame, into: middle.frame)
      try VideoConverter.convert(middle.frame, into: picture.frame)
      if trip == 0 { first = picture.pixels(0) }
    }
    let drift = zip(first, picture.pixels(0)).map { abs(Int($0) - Int($1)) }
    #expect((drift.max() ?? 0) <= 1, "\(yuv.name): \(drift.max() ?? 0) levels")
  }

  /// Grey has no colour and white is white, whatever the order of the bytes.
  @Test func greyHasNoColour() throws {
    for format in PixelFormat.allCases where format.isRGB {
      for level in [0, 1, 77, 128, 254, 255] {
        let source = GuardedFrame(format, 5, 3)
        source.fill { _, _, _ in UInt8(level) }
        let target = GuardedFrame(.i420, 5, 3)
        try VideoConverter.convert(source.frame, into: target.frame)
        let luma = UInt8((16 + Double(level) * 219 / 255).rounded())
        #expect(target.pixels(0).allSatisfy { $0 == luma } && (target.pixels(1) + target.pixels(2)).allSatisfy { $0 == 128 }, "\(level)")
        let gray = GuardedFrame(.gray8, 5, 3)
        try VideoConverter.convert(source.frame, into: gray.frame)
        #expect(gray.pixels(0).allSatisfy { Int($0) == level })
      }
    }
  }
}
