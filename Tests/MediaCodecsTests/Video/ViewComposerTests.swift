import CMediaSDK
import MediaCore
import Testing

@testable import MediaCodecs

@Suite struct ViewComposerTests {
  private static let color = ColorSpace(primaries: 2, transfer: 2, matrix: UInt32(MSDK_MATRIX_SMPTE170M), fullRange: false)

  /// A picture whose quarters have levels of their own: left upper, right upper, left lower, right lower.
  private func quarters(_ format: PixelFormat, _ width: Int, _ height: Int, orientation: UInt32 = 0) throws -> VideoFrame {
    let frame = try VideoFrame.make(VideoFormat(format, width: UInt32(width), height: UInt32(height), color: Self.color))
    for plane in 0..<format.planeCount {
      let memory = frame.plane(plane)
      let bytes = format.rowBytes(plane: plane, width: width)
      for row in 0..<format.rows(plane: plane, height: height) {
        for byte in 0..<bytes {
          let level: UInt8 = [60, 110, 160, 210][(2 * row < format.rows(plane: plane, height: height) ? 0 : 2) + (2 * byte < bytes ? 0 : 1)]
          memory.data[row * Int(memory.stride) + byte] = plane == 0 ? level : 128
        }
      }
    }
    frame.native.pointee.orientation = orientation
    frame.native.pointee.timestamp_ns = 123
    return frame
  }

  private func level(_ frame: VideoFrame, _ x: Int, _ y: Int, plane: Int = 0) -> Int {
    let memory = frame.plane(plane)
    return Int(memory.data[y * Int(memory.stride) + x * (frame.format.pixelFormat == .bgra ? 4 : 1)])
  }

  private func corners(_ frame: VideoFrame, _ width: Int, _ height: Int) -> [Int] {
    [(width / 8, height / 8), (width * 7 / 8, height / 8), (width / 8, height * 7 / 8), (width * 7 / 8, height * 7 / 8)].map {
      level(frame, $0.0, $0.1)
    }
  }

  /// The quarters where types.h says that they must be, from every format, for each orientation of the frame and of the view.
  @Test(arguments: PixelFormat.allCases)
  func everyOrientation(format: PixelFormat) throws {
    let composer = ViewComposer(limit: 2)
    for own in UInt32(0)..<8 {
      for shown in UInt32(0)..<8 {
        let frame = try quarters(format, 64, 48, orientation: own)
        defer { frame.release() }
        let view = try View(width: 96, height: 96, scale: .stretch, orientation: #require(Orientation(foreign: shown)))
        let result = try composer.compose(frame, in: view)
        defer { result.release() }
        var expected = [60, 110, 160, 210]
        for orientation in [own, shown] {
          if orientation & 4 != 0 { expected = [expected[1], expected[0], expected[3], expected[2]] }
          for _ in 0..<(orientation & 3) { expected = [expected[2], expected[0], expected[3], expected[1]] }
        }
        let seen = corners(result, 96, 96)
        #expect(zip(seen, expected).allSatisfy { abs($0 - $1) <= 2 }, "\(format) \(own) \(shown): \(seen), expected \(expected)")
        #expect(result.format.pixelFormat == (format.isRGB ? .bgra : .i420))
        #expect(result.native.pointee.orientation == 0 && result.native.pointee.timestamp_ns == 123)
        #expect(!result.isWritable)
      }
    }
  }

  @Test func barsHaveTheBackgroundsColour() throws {
    let composer = ViewComposer(limit: 1)
    // Red in BT.601 limited range, in BT.709 limited, and in BT.601 full.
    for (matrix, isFull, expected) in [
      (UInt32(MSDK_MATRIX_SMPTE170M), false, [81, 90, 240]), (UInt32(MSDK_MATRIX_BT709), false, [63, 102, 240]),
      (UInt32(MSDK_MATRIX_SMPTE170M), true, [76, 85, 255])
    ] {
      var format = VideoFormat(.nv12, width: 64, height: 48)
      format.color = ColorSpace(primaries: 2, transfer: 2, matrix: matrix, fullRange: isFull)
      let frame = try VideoFrame.make(format)
      defer { frame.release() }
      let result = try composer.compose(frame, in: View(width: 100, height: 40, background: 0xFF0000))
      defer { result.release() }
      for (x, y) in [(0, 0), (20, 39), (99, 0), (80, 20)] {
        #expect([level(result, x, y), level(result, x / 2, y / 2, plane: 1), level(result, x / 2, y / 2, plane: 2)] == expected)
      }
    }
    let frame = try quarters(.rgb24, 64, 48)
    defer { frame.release() }
    let result = try composer.compose(frame, in: View(width: 100, height: 40, background: 0x123456))
    defer { result.release() }
    #expect((0..<4).map { result.plane(0).data[$0] } == [0x56, 0x34, 0x12, 0xFF])
  }

  @Test func fillShowsTheMiddle() throws {
    let frame = try VideoFrame.make(VideoFormat(.gray8, width: 90, height: 30))
    defer { frame.release() }
    for y in 0..<30 {
      for x in 0..<90 { frame.plane(0).data[y * Int(frame.plane(0).stride) + x] = (30..<60).contains(x) ? 200 : 20 }
    }
    let result = try ViewComposer(limit: 1).compose(frame, in: View(width: 60, height: 60, scale: .fill))
    defer { result.release() }
    for x in stride(from: 2, to: 58, by: 5) { #expect(level(result, x, 30) == 200) }
  }

  /// At the ends of what is accepted, and with odd sizes: every pixel of the view is written, nothing beside it.
  @Test(arguments: [(1, 1), (1, 33), (33, 1), (17, 9), (301, 3), (2, 2)], [(1, 1), (3, 5), (64, 1), (1, 64), (41, 23)])
  func oddSizes(size: (Int, Int), into: (Int, Int)) throws {
    let composer = ViewComposer(limit: 1)
    for format in [PixelFormat.i420, .nv12, .bgra, .bgr24, .gray8] {
      for scale in [View.Scale.fit, .fill, .stretch] {
        for orientation in UInt32(0)..<8 {
          let frame = try quarters(format, size.0, size.1, orientation: orientation)
          defer { frame.release() }
          let view = try View(width: UInt32(into.0), height: UInt32(into.1), scale: scale, background: 0x808080)
          let result = try composer.compose(frame, in: view)
          defer { result.release() }
          for y in 0..<into.1 {
            for x in 0..<into.0 { #expect((58...212).contains(level(result, x, y)), "\(format) \(scale) \(orientation) at \(x),\(y)") }
          }
        }
      }
    }
  }

  @Test func framesThatAreAllHeldAreSaidSo() throws {
    let composer = ViewComposer(limit: 1)
    let frame = try quarters(.nv12, 64, 48)
    defer { frame.release() }
    let view = try View(width: 32, height: 32)
    let held = try composer.compose(frame, in: view)
    let error = #expect(throws: MediaError.self) { try composer.compose(frame, in: view) }
    #expect(error?.status == .again)
    held.release()
    try composer.compose(frame, in: view).release()
  }
}
