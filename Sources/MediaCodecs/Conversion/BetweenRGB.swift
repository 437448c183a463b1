import CYUV
import MediaCore

/// The byte of a pixel in which each channel is.
struct ChannelOrder {
  let red: Int
  let green: Int
  let blue: Int
  /// nil for the formats of three bytes.
  let alpha: Int?

  /// nil for the formats that are not RGB.
  init?(_ format: PixelFormat) {
    switch format {
    case .bgra: (red, green, blue, alpha) = (2, 1, 0, 3)
    case .rgba: (red, green, blue, alpha) = (0, 1, 2, 3)
    case .argb: (red, green, blue, alpha) = (1, 2, 3, 0)
    case .abgr: (red, green, blue, alpha) = (3, 2, 1, 0)
    case .bgr24: (red, green, blue, alpha) = (2, 1, 0, nil)
    case .rgb24: (red, green, blue, alpha) = (0, 1, 2, nil)
    case .i420, .nv12, .gray8: return nil
    }
  }
}

enum BetweenRGB {
  typealias Conversion = @convention(c) (UnsafePointer<UInt8>?, Int32, UnsafeMutablePointer<UInt8>?, Int32, Int32, Int32) -> Int32

  static func convert(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    let wide = (from.format.isWideRGB, to.format.isWideRGB)
    switch wide {
    case _ where from.format == to.format:
      CopyPlane(
        from.plane0, from.stride0, to.plane0, to.stride0, Int32(from.format.rowBytes(plane: 0, width: from.width)), from.h)
    case (true, true): try shuffle(from, to)
    case (false, false): try apply(RAWToRGB24, from, to)
    case (false, true): try widen(from, to)
    default: try narrow(from, to, scratch)
    }
  }

  /// From four bytes to four, in place too.
  static func shuffle(_ from: Picture, _ to: Picture) throws(MediaError) {
    guard let source = ChannelOrder(from.format), let target = ChannelOrder(to.format), let alpha = source.alpha,
      let targetAlpha = target.alpha
    else {
      throw MediaError(.invalid, "\(from.format.name) to \(to.format.name) is not a reordering of four bytes")
    }
    // Which byte of the source goes to each byte, for four pixels.
    var order = SIMD16<UInt8>()
    for pixel in 0..<4 {
      let base = pixel * 4
      order[base + target.red] = UInt8(base + source.red)
      order[base + target.green] = UInt8(base + source.green)
      order[base + target.blue] = UInt8(base + source.blue)
      order[base + targetAlpha] = UInt8(base + alpha)
    }
    let result = withUnsafeBytes(of: &order) { bytes in
      ARGBShuffle(
        from.plane0, from.stride0, to.plane0, to.stride0, bytes.bindMemory(to: UInt8.self).baseAddress, from.w, from.h)
    }
    try PixelConversion.check(result, from, to)
  }

  /// From three bytes to four, opaque.
  private static func widen(_ from: Picture, _ to: Picture) throws(MediaError) {
    switch (from.format, to.format) {
    case (.bgr24, .bgra), (.rgb24, .rgba): try apply(RGB24ToARGB, from, to)
    case (.rgb24, .bgra), (.bgr24, .rgba): try apply(RAWToARGB, from, to)
    case (.rgb24, .abgr), (.bgr24, .argb): try apply(RAWToRGBA, from, to)
    default:
      // The order of the three bytes stays; alpha goes last and then, band by band in place, to the front.
      try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let alphaLast = to.relabelled(from.format == .bgr24 ? .bgra : .rgba)
        try apply(RGB24ToARGB, from, alphaLast)
        try shuffle(alphaLast, to)
      }
    }
  }

  /// From four bytes to three.
  private static func narrow(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    switch (from.format, to.format) {
    case (.bgra, .bgr24), (.rgba, .rgb24): try apply(ARGBToRGB24, from, to)
    case (.bgra, .rgb24), (.rgba, .bgr24): try apply(ARGBToRAW, from, to)
    default:
      let band = Picture(
        to.format == .bgr24 ? .bgra : .rgba, width: from.width, height: PixelConversion.bandRows, color: from.color, in: scratch,
        slot: .band)
      try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let middle = band.band(from: 0, rows: from.height)
        try shuffle(from, middle)
        try apply(ARGBToRGB24, middle, to)
      }
    }
  }

  private static func apply(_ conversion: Conversion, _ from: Picture, _ to: Picture) throws(MediaError) {
    try PixelConversion.check(conversion(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h), from, to)
  }
}

extension PixelFormat {
  /// RGB in four bytes.
  var isWideRGB: Bool { ChannelOrder(self)?.alpha != nil }
}
