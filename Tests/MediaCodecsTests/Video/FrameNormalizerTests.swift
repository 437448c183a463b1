import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

/// A colour of YUV, worked out by H.273 in doubles.
private struct Reference {
  let kr, kb: Double
  let isFull: Bool

  init(_ color: ColorSpace) {
    switch color.matrix {
    case 1: (kr, kb) = (0.2126, 0.0722)
    case 9: (kr, kb) = (0.2627, 0.0593)
    default: (kr, kb) = (0.299, 0.114)
    }
    isFull = color.fullRange
  }

  func yuv(_ rgb: [Double]) -> [UInt8] {
    let luma = kr * rgb[0] + (1 - kr - kb) * rgb[1] + kb * rgb[2]
    let (u, v) = ((rgb[2] - luma) / (2 * (1 - kb)), (rgb[0] - luma) / (2 * (1 - kr)))
    let (scale, offset, chroma): (Double, Double, Double) = isFull ? (255, 0, 255) : (219, 16, 224)
    let all: [Double] = [offset + scale * luma, 128 + chroma * u, 128 + chroma * v]
    return all.map { UInt8(max(0, min(255, $0.rounded()))) }
  }

  func rgb(_ yuv: [UInt8]) -> [Double] {
    let luma = isFull ? Double(yuv[0]) / 255 : (Double(yuv[0]) - 16) / 219
    let scale = isFull ? 255.0 : 224.0
    let (u, v) = ((Double(yuv[1]) - 128) / scale, (Double(yuv[2]) - 128) / scale)
    let (red, blue) = (luma + 2 * (1 - kr) * v, luma + 2 * (1 - kb) * u)
    return [red, (luma - kr * red - kb * blue) / (1 - kr - kb), blue].map { 255 * max(0, min(1, $0)) }
  }
}

@Suite struct FrameNormalizerTests {
  private static let assumed = ColorSpace(primaries: 2, transfer: 2, matrix: 6, fullRange: false)
  private static let colors: [ColorSpace] = ([(1, false), (6, true), (1, true), (9, false), (9, true)] as [(UInt32, Bool)]).map {
    ColorSpace(primaries: 2, transfer: 2, matrix: $0.0, fullRange: $0.1)
  }

  /// A step of 51 through all of RGB, one colour for each square of 2 by 2.
  private static let shades: [[Double]] = (0..<216).map { (index: Int) -> [Double] in
    let steps: [Int] = [index / 36, index / 6 % 6, index % 6]
    return steps.map { Double($0) / 5 }
  }

  private func set(_ frame: VideoFrame, _ column: Int, _ row: Int, _ yuv: [UInt8]) {
    let luma = frame.plane(0)
    for place in 0..<4 {
      let start: Int = (2 * row + place / 2) * Int(luma.stride)
      luma.data[start + 2 * column + place % 2] = yuv[0]
    }
    for (index, value) in yuv.dropFirst().enumerated() {
      let isNV12 = frame.format.pixelFormat == .nv12
      let plane = frame.plane(isNV12 ? 1 : 1 + index)
      plane.data[row * Int(plane.stride) + (isNV12 ? 2 * column + index : column)] = value
    }
  }

  private func get(_ frame: VideoFrame, _ column: Int, _ row: Int) -> [UInt8] {
    let luma = frame.plane(0)
    let isNV12 = frame.format.pixelFormat == .nv12
    var yuv: [UInt8] = [luma.data[2 * row * Int(luma.stride) + 2 * column]]
    for index in 0..<2 {
      let plane = frame.plane(isNV12 ? 1 : 1 + index)
      yuv.append(plane.data[row * Int(plane.stride) + (isNV12 ? 2 * column + index : column)])
    }
    return yuv
  }

  private func picture(_ format: PixelFormat, _ color: ColorSpace) throws -> VideoFrame {
    let frame = try VideoFrame.make(VideoFormat(format, width: 36, height: 24, color: color))
    for (index, shade) in Self.shades.enumerated() { set(frame, index % 18, index / 18, Reference(color).yuv(shade)) }
    return frame
  }

  /// The largest and the mean error in levels of RGB of who takes the frame for what it assumes.
  private func errors(_ frame: VideoFrame) -> (most: Double, mean: Double) {
    var (most, sum) = (0.0, 0.0)
    for (index, shade) in Self.shades.enumerated() {
      let seen = Reference(Self.assumed).rgb(get(frame, index % 18, index / 18))
      for (one, other) in zip(seen, shade) {
        most = max(most, abs(one - 255 * other))
        sum += abs(one - 255 * other)
      }
    }
    return (most, sum / Double(3 * Self.shades.count))
  }

  @Test(arguments: colors, [PixelFormat.i420, .nv12]) func whoAssumesBT601SeesTheColors(_ color: ColorSpace, _ format: PixelFormat) throws {
    let frame = try picture(format, color)
    defer { frame.release() }
    let normalized = try FrameNormalizer().normalize(frame, for: [.nv12, .i420], carriesColor: false, carriesOrientation: true)
    defer { normalized.release() }
    let (before, after) = (errors(frame), errors(normalized))
    // Two roundings to bytes of limited range.
    #expect(after.most < 4.5 && after.mean < 1.2, "\(color) \(format): \(before) before, \(after) after")
    #expect(before.most > 15)
    #expect(normalized.format.color == Self.assumed && normalized.format.pixelFormat == format)
  }

  @Test func whatNeedsNothingPassesAsItIs() throws {
    let normalizer = FrameNormalizer()
    for color in [ColorSpace(), Self.assumed, ColorSpace(primaries: 1, transfer: 1, matrix: 5, fullRange: false)] {
      let frame = try picture(.nv12, color)
      defer { frame.release() }
      let same = try normalizer.normalize(frame, for: [.nv12, .i420], carriesColor: false, carriesOrientation: false)
      defer { same.release() }
      #expect(same == frame)
    }
    for color in Self.colors {
      let frame = try picture(.i420, color)
      defer { frame.release() }
      frame.native.pointee.orientation = 3
      let same = try normalizer.normalize(frame, for: [.nv12, .i420], carriesColor: true, carriesOrientation: true)
      defer { same.release() }
      #expect(same == frame)
    }
  }

  /// Squares that know where they were, at every orientation, the colour converted too.
  @Test(arguments: [PixelFormat.i420, .nv12]) func itStandsUpright(_ format: PixelFormat) throws {
    let normalizer = FrameNormalizer()
    for value in UInt32(0)..<8 {
      let frame = try picture(format, ColorSpace(primaries: 2, transfer: 2, matrix: 6, fullRange: true))
      defer { frame.release() }
      frame.native.pointee.orientation = value
      frame.native.pointee.timestamp_ns = 77
      let straight = try normalizer.normalize(frame, for: [.nv12, .i420], carriesColor: false, carriesOrientation: true)
      let upright = try normalizer.normalize(frame, for: [.nv12, .i420], carriesColor: false, carriesOrientation: false)
      defer { straight.release(); upright.release() }
      #expect(upright.native.pointee.orientation == 0 && upright.native.pointee.timestamp_ns == 77)
      #expect(upright.format.pixelFormat == format && upright.format.width == (value & 1 == 0 ? 36 : 24))
      var areThere = true
      for index in 0..<216 {
        var (x, y, width, height) = (index % 18, index / 18, 18, 12)
        if value & 4 != 0 { x = width - 1 - x }
        for _ in 0..<(value & 3) { (x, y, width, height) = (height - 1 - y, x, height, width) }
        areThere = areThere && get(upright, x, y) == get(straight, index % 18, index / 18)
      }
      #expect(areThere, "\(format), orientation \(value)")
    }
  }

  /// Odd sizes: the last column and row have chroma of their own.
  @Test func oddSizesAreWhole() throws {
    for format in [PixelFormat.i420, .nv12] {
      let full = ColorSpace(primaries: 2, transfer: 2, matrix: 6, fullRange: true)
      let frame = try VideoFrame.make(VideoFormat(format, width: 5, height: 3, color: full))
      defer { frame.release() }
      for plane in 0..<format.planeCount {
        let memory = frame.plane(plane)
        for row in 0..<format.rows(plane: plane, height: 3) {
          for byte in 0..<format.rowBytes(plane: plane, width: 5) { memory.data[row * Int(memory.stride) + byte] = plane == 0 ? 255 : 0 }
        }
      }
      frame.native.pointee.orientation = 1
      let made = try FrameNormalizer().normalize(frame, for: [.nv12, .i420], carriesColor: false, carriesOrientation: false)
      defer { made.release() }
      #expect(made.format.width == 3 && made.format.height == 5)
      for plane in 0..<format.planeCount {
        let memory = made.plane(plane)
        for row in 0..<format.rows(plane: plane, height: 5) {
          for byte in 0..<format.rowBytes(plane: plane, width: 3) {
            // 219 and 224 of 255.
            #expect(memory.data[row * Int(memory.stride) + byte] == (plane == 0 ? 235 : 16))
          }
        }
      }
    }
  }

  /// The first that is accepted, unless the frame is of one of them; its colour as BT.601 where it was RGB.
  @Test func itIsOfAPixelFormatThatIsAccepted() throws {
    let normalizer = FrameNormalizer()
    for source in PixelFormat.allCases {
      for accepted in [[PixelFormat.nv12, .i420], [.bgra], [.gray8, .rgb24]] {
        let full = ColorSpace(primaries: 2, transfer: 2, matrix: source.isRGB ? 2 : 1, fullRange: !source.isRGB)
        let frame = try VideoFrame.make(VideoFormat(source, width: 36, height: 24, color: full))
        defer { frame.release() }
        (frame.native.pointee.orientation, frame.native.pointee.timestamp_ns) = (1, 77)
        let made = try normalizer.normalize(frame, for: accepted, carriesColor: true, carriesOrientation: false)
        defer { made.release() }
        let target = accepted.contains(source) ? source : accepted[0]
        #expect(made.format.pixelFormat == target && made.format.width == 24 && made.native.pointee.timestamp_ns == 77)
        #expect(made.format.color == VideoConverter.resultColor(from: frame.format, to: target))
        let plain = try normalizer.normalize(frame, for: accepted, carriesColor: false, carriesOrientation: true)
        defer { plain.release() }
        #expect(plain.format.pixelFormat == target)
        let isEncodable = target == .nv12 || target == .i420
        #expect(!isEncodable || plain.format.color.matrix == 6 || plain.format.color.matrix == 2)
        #expect(!isEncodable || !plain.format.color.fullRange)
      }
    }
  }

  @Test func itsFramesGoRoundAndAreBounded() throws {
    let normalizer = FrameNormalizer(limit: 2)
    let frame = try VideoFrame.make(VideoFormat(.rgba, width: 36, height: 24))
    defer { frame.release() }
    for _ in 0..<10 { try normalizer.convert(frame, to: .nv12).release() }
    let held = try [normalizer.convert(frame, to: .nv12), normalizer.convert(frame, to: .nv12)]
    #expect(throws: MediaError.self) { _ = try normalizer.convert(frame, to: .nv12) }
    for one in held { one.release() }
    try normalizer.convert(frame, to: .nv12).release()
  }
}
