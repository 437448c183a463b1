import CMediaSDK
import Testing

@testable import MediaCore

@Suite struct PixelFormatTests {
  @Test func theNumbersAreThoseOfTheHeader() {
    let header: [PixelFormat: Int] = [
      .i420: MSDK_PIXEL_I420, .nv12: MSDK_PIXEL_NV12, .bgra: MSDK_PIXEL_BGRA, .rgba: MSDK_PIXEL_RGBA, .argb: MSDK_PIXEL_ARGB,
      .abgr: MSDK_PIXEL_ABGR, .bgr24: MSDK_PIXEL_BGR24, .rgb24: MSDK_PIXEL_RGB24, .gray8: MSDK_PIXEL_GRAY8
    ]
    #expect(header.count == PixelFormat.allCases.count)
    for (format, number) in header { #expect(Int(format.rawValue) == number) }
  }

  @Test func anUnknownOneNamesTheKnown() {
    let error = failure { _ = try PixelFormat.named(0x1234, argument: "format.pixel_format") }
    #expect(error?.status == .unsupported)
    #expect(error?.text.contains("0x1234") == true)
    for format in PixelFormat.allCases { #expect(error?.text.contains(format.name) == true) }
  }

  @Test func oddSizesRoundTheChromaUp() throws {
    let i420 = try FrameLayout(.i420, width: 5, height: 3, alignment: 1)
    #expect(i420.planes.map(\.rowBytes) == [5, 3, 3])
    #expect(i420.planes.map(\.rows) == [3, 2, 2])
    #expect(i420.planes.map(\.offset) == [0, 15, 21])
    #expect(i420.size == 27)
    let nv12 = try FrameLayout(.nv12, width: 5, height: 3, alignment: 1)
    #expect(nv12.planes.map(\.rowBytes) == [5, 6])
    #expect(nv12.size == 27)
  }

  @Test(arguments: PixelFormat.allCases)
  func planesAreAlignedAndApart(format: PixelFormat) throws {
    for alignment in [1, 2, 64, 4096] {
      let layout = try FrameLayout(format, width: 641, height: 479, alignment: alignment)
      #expect(layout.planes.count == format.planeCount)
      var end = 0
      for plane in layout.planes {
        #expect(plane.offset == end)
        #expect(plane.stride % alignment == 0)
        #expect(plane.stride >= plane.rowBytes && plane.stride - plane.rowBytes < alignment)
        end += plane.stride * plane.rows
      }
      #expect(layout.size == end)
    }
  }

  @Test(arguments: [0, -1, 3, 8192, Int.min, Int.max])
  func alignmentsAreSmallPowersOfTwo(alignment: Int) {
    #expect(failure { _ = try FrameLayout(.i420, width: 4, height: 4, alignment: alignment) }?.status == .range)
  }

  @Test func theLargestPictureFitsTheArithmetic() throws {
    #expect(try FrameLayout(.rgba, width: 16_384, height: 16_384, alignment: 4096).size == 1 << 30)
    #expect(failure { _ = try FrameLayout(.rgba, width: 16_385, height: 1, alignment: 1) }?.status == .range)
  }
}
