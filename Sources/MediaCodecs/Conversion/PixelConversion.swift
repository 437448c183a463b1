import CYUV
import MediaCore

/// Conversion between pixel formats at one size. libyuv names its RGB formats after little-endian words, we after the bytes in memory:
///
///     ours    BGRA  RGBA  ARGB  ABGR  BGR24  RGB24
///     libyuv  ARGB  ABGR  BGRA  RGBA  RGB24  RAW
///
/// Where libyuv has no direct way, the picture goes in bands of a few rows through one intermediate, which so stays in the cache.
enum PixelConversion {
  static let bandRows = 16

  static func convert(_ from: Picture, into to: Picture, scratch: ConversionScratch) throws(MediaError) {
    switch (from.format.isRGB, to.format.isRGB) {
    case (false, false): try betweenYUV(from, to)
    case (false, true): try YUVToRGB.convert(from, to, scratch)
    case (true, false): try RGBToYUV.convert(from, to, scratch)
    case (true, true): try BetweenRGB.convert(from, to, scratch)
    }
  }

  private static func betweenYUV(_ from: Picture, _ to: Picture) throws(MediaError) {
    CopyPlane(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h)
    let (w, h) = (from.chromaW, from.chromaH)
    switch (from.format, to.format) {
    case (.i420, .i420):
      CopyPlane(from.plane1, from.stride1, to.plane1, to.stride1, w, h)
      CopyPlane(from.plane2, from.stride2, to.plane2, to.stride2, w, h)
    case (.nv12, .nv12):
      CopyPlane(from.plane1, from.stride1, to.plane1, to.stride1, 2 * w, h)
    case (.i420, .nv12):
      MergeUVPlane(from.plane1, from.stride1, from.plane2, from.stride2, to.plane1, to.stride1, w, h)
    case (.nv12, .i420):
      SplitUVPlane(from.plane1, from.stride1, to.plane1, to.stride1, to.plane2, to.stride2, w, h)
    case (.gray8, _):
      fillChroma(to)
    default: break
    }
  }

  /// No colour.
  static func fillChroma(_ picture: Picture) {
    switch picture.format {
    case .i420:
      SetPlane(picture.plane1, picture.stride1, picture.chromaW, picture.chromaH, 128)
      SetPlane(picture.plane2, picture.stride2, picture.chromaW, picture.chromaH, 128)
    case .nv12: SetPlane(picture.plane1, picture.stride1, 2 * picture.chromaW, picture.chromaH, 128)
    default: break
    }
  }

  /// Calls `body` with the bands of two pictures of one size.
  static func inBands(
    _ from: Picture, _ to: Picture, _ body: (_ from: Picture, _ to: Picture) throws(MediaError) -> Void
  ) throws(MediaError) {
    var first = 0
    while first < from.height {
      let rows = min(bandRows, from.height - first)
      try body(from.band(from: first, rows: rows), to.band(from: first, rows: rows))
      first += rows
    }
  }

  /// libyuv answers -1 to arguments it refuses and 1 when it has no memory.
  static func check(_ result: Int32, _ from: Picture, _ to: Picture) throws(MediaError) {
    guard result == 0 else {
      let what = "converting \(from.videoFormat) to \(to.videoFormat)"
      throw MediaError(result > 0 ? .noMemory : .fail, "\(what): libyuv returned \(result)")
    }
  }
}
