import CYUV
import MediaCore

enum YUVToRGB {
  static func convert(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    let matrix = try YUVMatrix(from.color)
    switch from.format {
    case .i420: try PixelConversion.check(planar(from, to, matrix), from, to)
    case .nv12: try interleaved(from, to, matrix)
    default: try gray(from, to, matrix, scratch)
    }
  }

  private static func planar(_ from: Picture, _ to: Picture, _ matrix: YUVMatrix) -> Int32 {
    // Given V for U and U for V and the matrix to go with it, libyuv makes red where it would make blue.
    let swapped = to.format == .rgba || to.format == .argb || to.format == .rgb24
    let (u, uStride) = swapped ? (from.plane2, from.stride2) : (from.plane1, from.stride1)
    let (v, vStride) = swapped ? (from.plane1, from.stride1) : (from.plane2, from.stride2)
    let constants = swapped ? matrix.swapped : matrix.straight
    switch to.format {
    case .bgra, .rgba:
      return I420ToARGBMatrix(
        from.plane0, from.stride0, u, uStride, v, vStride, to.plane0, to.stride0, constants, from.w, from.h)
    case .abgr, .argb:
      return I420ToRGBAMatrix(
        from.plane0, from.stride0, u, uStride, v, vStride, to.plane0, to.stride0, constants, from.w, from.h)
    default:
      return I420ToRGB24Matrix(
        from.plane0, from.stride0, u, uStride, v, vStride, to.plane0, to.stride0, constants, from.w, from.h)
    }
  }

  private static func interleaved(_ from: Picture, _ to: Picture, _ matrix: YUVMatrix) throws(MediaError) {
    let result: Int32
    switch to.format {
    case .bgra:
      result = NV12ToARGBMatrix(
        from.plane0, from.stride0, from.plane1, from.stride1, to.plane0, to.stride0, matrix.straight, from.w, from.h)
    case .rgba:
      result = NV21ToARGBMatrix(
        from.plane0, from.stride0, from.plane1, from.stride1, to.plane0, to.stride0, matrix.swapped, from.w, from.h)
    case .bgr24:
      result = NV12ToRGB24Matrix(
        from.plane0, from.stride0, from.plane1, from.stride1, to.plane0, to.stride0, matrix.straight, from.w, from.h)
    case .rgb24:
      result = NV21ToRGB24Matrix(
        from.plane0, from.stride0, from.plane1, from.stride1, to.plane0, to.stride0, matrix.swapped, from.w, from.h)
    default:
      // Alpha last, then each band is turned round in place.
      return try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        try interleaved(from, to.relabelled(.bgra), matrix)
        try BetweenRGB.shuffle(to.relabelled(.bgra), to)
      }
    }
    try PixelConversion.check(result, from, to)
  }

  private static func gray(
    _ from: Picture, _ to: Picture, _ matrix: YUVMatrix, _ scratch: ConversionScratch
  ) throws(MediaError) {
    switch to.format {
    case .bgra, .rgba:
      let result =
        from.color.fullRange
        ? J400ToARGB(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h)
        : I400ToARGBMatrix(from.plane0, from.stride0, to.plane0, to.stride0, matrix.straight, from.w, from.h)
      try PixelConversion.check(result, from, to)
    case .abgr, .argb:
      try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        try gray(from, to.relabelled(.bgra), matrix, scratch)
        try BetweenRGB.shuffle(to.relabelled(.bgra), to)
      }
    default:
      let band = Picture(
        .bgra, width: from.width, height: PixelConversion.bandRows, color: from.color, in: scratch, slot: .band)
      try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let middle = band.band(from: 0, rows: from.height)
        try gray(from, middle, matrix, scratch)
        try BetweenRGB.convert(middle, to, scratch)
      }
    }
  }
}
