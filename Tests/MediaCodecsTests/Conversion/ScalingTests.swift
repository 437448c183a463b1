import Glibc
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct ScalingTests {
  static let sizes: [(from: (Int, Int), to: (Int, Int))] = [
    ((64, 36), (17, 9)), ((17, 9), (64, 36)), ((64, 36), (43, 25)), ((33, 34), (20, 50)), ((50, 20), (33, 41)), ((64, 36), (32, 18)),
    ((63, 37), (31, 19)), ((64, 36), (48, 27)), ((64, 40), (24, 15)), ((1, 1), (5, 3)), ((5, 3), (1, 1)), ((2, 2), (3, 5)),
    ((301, 83), (7, 5)), ((301, 20), (33, 19)), ((20, 301), (21, 30)), ((97, 65), (193, 130)), ((64, 1), (20, 1)), ((130, 66), (129, 67))
  ]

  private func mean(_ pixels: [UInt8]) -> Double { pixels.reduce(0) { $0 + Double($1) } / Double(pixels.count) }

  /// Every pair of formats at every pair of sizes: a picture of one colour stays so, at every pixel, and nothing beside it is touched.
  @Test(arguments: PixelFormat.allCases)
  func oneColourStaysOneColour(from: PixelFormat) throws {
    let scratch = ConversionScratch()
    for to in PixelFormat.allCases {
      for (size, wanted) in Self.sizes {
        let source = GuardedFrame(from, size.0, size.1, padding: 3)
        // Levels that differ by channel, and a colour that is inside what RGB can show.
        source.fill { plane, _, byte in
          switch from {
          case .i420: [120, 110, 140][plane]
          case .nv12: plane == 0 ? 120 : [110, 140][byte % 2]
          case .gray8: 120
          default: UInt8(40 + 50 * (byte % ScalarReference.channels(from).size))
          }
        }
        let target = GuardedFrame(to, wanted.0, wanted.1, padding: 7)
        try VideoConverter.convert(source.frame, into: target.frame, scratch: scratch)
        let what = "\(from.name) \(size) to \(to.name) \(wanted)"
        // The colour that conversion alone gives.
        let pixel = GuardedFrame(from, 2, 2)
        pixel.fill { plane, _, byte in source[plane, 0, byte % source.rowBytes(plane)] }
        let alone = GuardedFrame(to, 2, 2)
        try VideoConverter.convert(pixel.frame, into: alone.frame, scratch: scratch)
        for plane in target.planes.indices {
          let pixelBytes = to.isRGB ? ScalarReference.channels(to).size : to == .nv12 && plane == 1 ? 2 : 1
          let isSame = target.pixels(plane).enumerated().allSatisfy { alone[plane, 0, $0 % pixelBytes] == $1 }
          try #require(isSame, "\(what): plane \(plane) is not of one colour")
        }
        try #require(target.canariesAreAlive && source.canariesAreAlive, "\(what): wrote between the rows")
      }
    }
  }

  /// Every level, alpha too, through ratios of all kinds and back.
  @Test(arguments: PixelFormat.allCases)
  func everyLevelStays(format: PixelFormat) throws {
    let scratch = ConversionScratch()
    for (size, wanted) in [
      ((46, 27), (31, 18)), ((46, 26), (23, 13)), ((46, 27), (11, 5)), ((48, 28), (36, 21)), ((46, 27), (46, 20)), ((33, 3), (5, 3))
    ] {
      let (source, target, back) = (
        GuardedFrame(format, size.0, size.1), GuardedFrame(format, wanted.0, wanted.1), GuardedFrame(format, size.0, size.1)
      )
      for level in UInt8.min...UInt8.max {
        for (plane, data) in source.planes.enumerated() { data.update(repeating: level, count: source.rows(plane) * source.strides[plane]) }
        try VideoConverter.convert(source.frame, into: target.frame, scratch: scratch)
        try VideoConverter.convert(target.frame, into: back.frame, scratch: scratch)
        for frame in [target, back] {
          for (plane, data) in frame.planes.enumerated() {
            let pixels = UnsafeBufferPointer(start: data, count: frame.rows(plane) * frame.strides[plane])
            // All bytes are alike when each is like the next one.
            let isUniform = pixels[0] == level && memcmp(data, data + 1, pixels.count - 1) == 0
            try #require(isUniform, "\(format.name) \(size) to \(wanted), plane \(plane): level \(level)")
          }
        }
      }
    }
  }

  /// Noise keeps its mean: no filter truncates. What is made larger shows the samples at its edges a little more.
  @Test(arguments: [PixelFormat.gray8, .nv12, .i420, .bgra, .rgb24])
  func meanIsKept(format: PixelFormat) throws {
    var random = SeededRandom(seed: 2, name: format.name)
    for (size, wanted) in [
      ((320, 180), (213, 120)), ((320, 180), (501, 277)), ((321, 181), (49, 31)), ((320, 180), (160, 90)), ((320, 180), (640, 360)),
      ((640, 360), (20, 10)), ((640, 180), (150, 120)), ((180, 640), (150, 120)), ((960, 540), (3, 2)), ((320, 180), (240, 135))
    ] {
      let source = GuardedFrame(format, size.0, size.1)
      source.fillRandom(&random)
      let target = GuardedFrame(format, wanted.0, wanted.1)
      try VideoConverter.convert(source.frame, into: target.frame)
      for plane in target.planes.indices {
        let shift = abs(mean(source.pixels(plane)) - mean(target.pixels(plane)))
        // The rounding of a few pixels does not cancel out; at 2:1 halves, which are rounded up, make an eighth.
        let fewOrLarger = wanted.0 > size.0 || wanted.0 < 30
        #expect(shift <= (fewOrLarger ? 0.5 : 0.15), "\(format.name) \(size) to \(wanted), plane \(plane): mean moved by \(shift)")
      }
    }
  }

  /// Stripes finer than the pixels of the result must become grey: a filter that leaves pixels out would show them as patterns.
  @Test(arguments: [PixelFormat.gray8, .nv12, .i420, .bgra, .argb, .rgb24])
  func shrinkingIsByArea(format: PixelFormat) throws {
    for (size, wanted) in [((240, 136), (75, 43)), ((240, 135), (80, 45)), ((240, 135), (75, 100)), ((135, 240), (100, 75))] {
      let source = GuardedFrame(format, size.0, size.1)
      let step = format.isRGB ? ScalarReference.channels(format).size : 1
      source.fill { plane, row, byte in
        let column = format == .nv12 && plane == 1 ? byte / 2 : byte / step
        return (size.0 > size.1 ? column : row) % 2 == 0 ? 0 : 200
      }
      let target = GuardedFrame(format, wanted.0, wanted.1)
      try VideoConverter.convert(source.frame, into: target.frame)
      for plane in target.planes.indices {
        let pixels = target.pixels(plane).map(Double.init)
        let spread = (pixels.map { ($0 - 100) * ($0 - 100) }.reduce(0, +) / Double(pixels.count)).squareRoot()
        // 100 would be the stripes themselves; boxes of 3 pixels hold one stripe or two.
        #expect(spread <= 40, "\(format.name) \(size) to \(wanted), plane \(plane): spread \(spread)")
      }
    }
  }

  /// The longest sides there are; colours again, which must stay.
  @Test(arguments: [PixelFormat.gray8, .nv12, .bgra, .rgb24])
  func theLongestSides(format: PixelFormat) throws {
    for (size, wanted) in [
      ((16384, 3), (5, 3)), ((3, 16384), (2, 5)), ((5, 2), (16384, 3)), ((2, 5), (3, 16384)), ((16384, 2), (16383, 3))
    ] {
      let source = GuardedFrame(format, size.0, size.1)
      source.fill { _, _, _ in 90 }
      let target = GuardedFrame(format, wanted.0, wanted.1, padding: 2)
      try VideoConverter.convert(source.frame, into: target.frame)
      for plane in target.planes.indices {
        #expect(target.pixels(plane).allSatisfy { $0 == 90 }, "\(format.name) \(size) to \(wanted), plane \(plane)")
      }
      #expect(target.canariesAreAlive)
    }
  }

  @Test func scratchMemoryIsUsedAgain() {
    let scratch = ConversionScratch()
    let first = scratch.take(.picture, 1000)
    #expect(scratch.take(.picture, 1000) == first)
    #expect(scratch.take(.picture, 10) == first)
    #expect(scratch.take(.chroma, 10) != first)
  }
}
