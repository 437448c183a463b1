import CPixels
import MediaCore

/// As the picture's matrix and range say; every channel is the nearest, but for 1/32 of a level. libyuv's weights of six bits are up
/// to a quarter of a level off, so that a colour moves with each conversion there and back.
enum YUVToRGB {
  static func convert(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    let matrix = try YUVMatrix(from.color)
    guard to.format.isWideRGB else {
      let band = Picture(
        to.format == .bgr24 ? .bgra : .rgba, width: from.width, height: PixelConversion.bandRows, color: to.color, in: scratch, slot: .band)
      return try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let middle = band.band(from: 0, rows: from.height)
        try wide(from, middle, matrix, scratch)
        try BetweenRGB.convert(middle, to, scratch)
      }
    }
    try wide(from, to, matrix, scratch)
  }

  /// Into a format of four bytes.
  private static func wide(_ from: Picture, _ to: Picture, _ matrix: YUVMatrix, _ scratch: ConversionScratch) throws(MediaError) {
    guard let order = ChannelOrder(to.format) else { return }
    var colors = matrix.colors(order)
    // Grey has one row of chroma for all.
    let none = from.format == .gray8 ? scratch.take(.chroma, from.width + 1) : from.plane1
    if from.format == .gray8 { none.update(repeating: 128, count: from.width + 1) }
    for row in 0..<from.height {
      let (u, v, step): (UnsafeMutablePointer<UInt8>, UnsafeMutablePointer<UInt8>, Int32) =
        switch from.format {
        case .i420: (from.plane1 + row / 2 * Int(from.stride1), from.plane2 + row / 2 * Int(from.stride2), 1)
        case .nv12: (from.plane1 + row / 2 * Int(from.stride1), from.plane1 + row / 2 * Int(from.stride1) + 1, 2)
        default: (none, none, 1)
        }
      cpixels_to_colors(from.plane0 + row * Int(from.stride0), u, v, step, &colors, to.plane0 + row * Int(to.stride0), from.w)
    }
  }
}
