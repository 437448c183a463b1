import CYUV
import MediaCore

/// BT.601: limited range for I420 and NV12, full range for GRAY8.
enum RGBToYUV {
  static func convert(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    switch to.format {
    case .i420: try PixelConversion.check(planar(from, to), from, to)
    case .nv12: try interleaved(from, to, scratch)
    default: try gray(from, to, scratch)
    }
  }

  private static func planar(_ from: Picture, _ to: Picture) -> Int32 {
    let convert =
      switch from.format {
      case .bgra: ARGBToI420
      case .rgba: ABGRToI420
      case .argb: BGRAToI420
      case .abgr: RGBAToI420
      case .bgr24: RGB24ToI420
      default: RAWToI420
      }
    return convert(
      from.plane0, from.stride0, to.plane0, to.stride0, to.plane1, to.stride1, to.plane2, to.stride2, from.w, from.h)
  }

  private static func interleaved(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    switch from.format {
    case .bgra:
      try PixelConversion.check(
        ARGBToNV12(from.plane0, from.stride0, to.plane0, to.stride0, to.plane1, to.stride1, from.w, from.h), from, to)
    case .rgba:
      try PixelConversion.check(
        ABGRToNV12(from.plane0, from.stride0, to.plane0, to.stride0, to.plane1, to.stride1, from.w, from.h), from, to)
    default:
      // The luma is made in its place, the chroma in a band of planes, which are then interleaved.
      let band = Picture(
        .i420, width: from.width, height: PixelConversion.bandRows, color: to.color, in: scratch, slot: .band)
      try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        var middle = band.band(from: 0, rows: from.height)
        middle.plane0 = to.plane0
        middle.stride0 = to.stride0
        try PixelConversion.check(planar(from, middle), from, middle)
        MergeUVPlane(
          middle.plane1, middle.stride1, middle.plane2, middle.stride2, to.plane1, to.stride1, to.chromaW, to.chromaH)
      }
    }
  }

  private static func gray(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    let convert: @convention(c) (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32
    switch from.format {
    case .bgra: convert = ARGBToJ400
    case .rgba: convert = ABGRToJ400
    case .abgr: convert = RGBAToJ400
    case .bgr24: convert = RGB24ToJ400
    case .rgb24: convert = RAWToJ400
    default:
      let band = Picture(
        .bgra, width: from.width, height: PixelConversion.bandRows, color: from.color, in: scratch, slot: .band)
      return try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let middle = band.band(from: 0, rows: from.height)
        try BetweenRGB.shuffle(from, middle)
        try gray(middle, to, scratch)
      }
    }
    try PixelConversion.check(convert(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h), from, to)
  }
}
