import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct PixelConversionTests {
  static let colors: [ColorSpace] = [2, 1, 5, 6, 9].flatMap { matrix in
    [false, true].map { ColorSpace(primaries: 2, transfer: 2, matrix: matrix, fullRange: $0) }
  }
  static let sizes = [(1, 1), (2, 2), (3, 5), (17, 9), (64, 36), (33, 34), (1, 7), (130, 1)]

  /// Each sample is the nearest, but for what sums with 6 bits of fraction lose. What is only moved must be exact.
  static func tolerance(_ from: PixelFormat, _ to: PixelFormat) -> Double {
    switch (from.isRGB, to.isRGB) {
    case (false, false), (true, true): 0
    case (false, true): 0.54
    case (true, false): 0.51
    }
  }

  @Test(arguments: PixelFormat.allCases)
  func everyPairAgreesWithPlainArithmetic(from: PixelFormat) throws {
    var random = SeededRandom(seed: 1, name: from.name)
    let scratch = ConversionScratch()
    for to in PixelFormat.allCases {
      for (width, height) in Self.sizes {
        for (sourcePadding, targetPadding) in [(0, 0), (5, 23)] {
          for color in from.isRGB ? [ColorSpace()] : Self.colors {
            let source = GuardedFrame(from, width, height, padding: sourcePadding, color: color)
            source.fillRandom(&random)
            let target = GuardedFrame(to, width, height, padding: targetPadding)
            try VideoConverter.convert(source.frame, into: target.frame, scratch: scratch)
            try compare(source, target)
          }
        }
      }
    }
  }

  private func compare(_ source: GuardedFrame, _ target: GuardedFrame) throws {
    let reference = ScalarReference(source: source)
    let what = "\(source.format.name) to \(target.format.name), \(source.width)x\(source.height), \(source.color)"
    var worst = 0.0
    for plane in target.planes.indices {
      for row in 0..<target.rows(plane) {
        for byte in 0..<target.rowBytes(plane) {
          let expected = reference.expected(target.format, plane: plane, row: row, byte: byte)
          worst = max(worst, abs(expected - Double(target[plane, row, byte])))
        }
      }
    }
    try #require(worst <= Self.tolerance(source.format, target.format), "\(what): off by \(worst)")
    try #require(target.canariesAreAlive && source.canariesAreAlive, "\(what): wrote between the rows")
  }

  /// By hand: red, green, blue, white, black and grey, as R, G, B and as Y, U, V of BT.601 in limited range and as full range luma.
  static let known: [(rgb: [UInt8], yuv: [UInt8], gray: UInt8)] = [
    ([255, 0, 0], [81, 90, 240], 76), ([0, 255, 0], [145, 54, 34], 150), ([0, 0, 255], [41, 240, 110], 29),
    ([255, 255, 255], [235, 128, 128], 255), ([0, 0, 0], [16, 128, 128], 0), ([128, 128, 128], [126, 128, 128], 128)
  ]

  /// The bytes of one pixel as the name of the format says.
  static func bytes(_ rgb: [UInt8], _ format: PixelFormat) -> [UInt8] {
    let (red, green, blue) = (rgb[0], rgb[1], rgb[2])
    return switch format {
    case .rgba: [red, green, blue, 255]
    case .bgra: [blue, green, red, 255]
    case .argb: [255, red, green, blue]
    case .abgr: [255, blue, green, red]
    case .rgb24: [red, green, blue]
    case .bgr24: [blue, green, red]
    default: []
    }
  }

  @Test(arguments: PixelFormat.allCases.filter(\.isRGB))
  func knownColours(format: PixelFormat) throws {
    for (rgb, yuv, gray) in Self.known {
      let bytes = Self.bytes(rgb, format)
      let picture = GuardedFrame(format, 4, 2)
      picture.fill { _, _, byte in bytes[byte % bytes.count] }
      let i420 = GuardedFrame(.i420, 4, 2)
      try VideoConverter.convert(picture.frame, into: i420.frame)
      let nv12 = GuardedFrame(.nv12, 4, 2)
      try VideoConverter.convert(picture.frame, into: nv12.frame)
      let luma = GuardedFrame(.gray8, 4, 2)
      try VideoConverter.convert(picture.frame, into: luma.frame)
      for (plane, expected) in yuv.enumerated() { #expect(isNear(i420[plane, 0, 1], expected, 1), "\(format.name) \(rgb) to I420") }
      #expect(isNear(nv12[0, 1, 3], yuv[0], 1) && isNear(nv12[1, 0, 2], yuv[1], 1) && isNear(nv12[1, 0, 3], yuv[2], 1))
      #expect(isNear(luma[0, 1, 3], gray, 1), "\(format.name) \(rgb) to GRAY8")

      for yuvFormat in [PixelFormat.i420, .nv12] {
        let source = GuardedFrame(yuvFormat, 4, 2)
        source.fill { plane, _, byte in plane == 0 ? yuv[0] : yuvFormat == .i420 ? yuv[plane] : yuv[1 + byte % 2] }
        let back = GuardedFrame(format, 4, 2)
        try VideoConverter.convert(source.frame, into: back.frame)
        for (index, value) in back.pixels(0).enumerated() {
          #expect(isNear(value, bytes[index % bytes.count], 3), "\(yuvFormat.name) \(yuv) to \(format.name)")
        }
      }
    }
  }

  private func isNear(_ left: UInt8, _ right: UInt8, _ tolerance: Int) -> Bool { abs(Int(left) - Int(right)) <= tolerance }

  @Test func alphaIsKeptAndMadeOpaqueWhereThereWasNone() throws {
    let source = GuardedFrame(.rgba, 3, 3)
    source.fill { _, _, byte in UInt8(10 * (byte % 4) + 7) }
    let target = GuardedFrame(.argb, 3, 3)
    try VideoConverter.convert(source.frame, into: target.frame)
    #expect(Array(target.pixels(0).prefix(4)) == [37, 7, 17, 27])
    let three = GuardedFrame(.rgb24, 3, 3)
    try VideoConverter.convert(target.frame, into: three.frame)
    #expect(Array(three.pixels(0).prefix(3)) == [7, 17, 27])
    try VideoConverter.convert(three.frame, into: target.frame)
    #expect(Array(target.pixels(0).prefix(4)) == [255, 7, 17, 27])
  }

  @Test func unusablePlanesAreRefused() throws {
    let source = GuardedFrame(.i420, 8, 8)
    let target = GuardedFrame(.bgra, 8, 8)
    func status(_ change: (GuardedFrame) -> Void) -> Status? {
      let frame = GuardedFrame(.i420, 8, 8)
      change(frame)
      do {
        try VideoConverter.convert(frame.frame, into: target.frame)
        return nil
      } catch {
        return error.status
      }
    }
    try VideoConverter.convert(source.frame, into: target.frame)
    #expect(status { $0.frame.pointee.plane.2.data = nil } == .invalid)
    #expect(status { $0.frame.pointee.plane.1.stride = 3 } == .invalid)
    #expect(status { $0.frame.pointee.plane.0.size = 63 } == .invalid)
    #expect(status { $0.frame.pointee.plane.0.stride = .max } == .unsupported)
    #expect(status { $0.frame.pointee.format = nil } == .invalid)
  }
}
