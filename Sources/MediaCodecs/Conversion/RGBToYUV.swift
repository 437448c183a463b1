import CPixels
import MediaCore

/// BT.601: limited range for I420 and NV12, full range for GRAY8. Every sample is the nearest to what H.273 says, chroma of the mean of
/// four pixels; libyuv rounds chroma down, so that a colour drifts from one conversion to the next.
enum RGBToYUV {
  static func convert(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    guard from.format.isWideRGB else {
      let band = Picture(
        .bgra, width: from.width, height: PixelConversion.bandRows, color: from.color, in: scratch, slot: .band)
      return try PixelConversion.inBands(from, to) { from, to throws(MediaError) in
        let middle = band.band(from: 0, rows: from.height)
        try BetweenRGB.convert(from, middle, scratch)
        try convert(middle, to, scratch)
      }
    }
    guard let order = ChannelOrder(from.format) else { return }
    luma(from, to, order)
    if to.format != .gray8 { chroma(from, to, order) }
  }

  private static func luma(_ from: Picture, _ to: Picture, _ order: ChannelOrder) {
    var sample = to.format == .gray8 ? Weights.gray.sample(order) : Weights.luma.sample(order)
    for row in 0..<from.height {
      cpixels_luma(from.plane0 + row * Int(from.stride0), &sample, to.plane0 + row * Int(to.stride0), from.w)
    }
  }

  private static func chroma(_ from: Picture, _ to: Picture, _ order: ChannelOrder) {
    var (u, v) = (Weights.u.sample(order), Weights.v.sample(order))
    let (planeV, strideV, step) = to.format == .nv12 ? (to.plane1 + 1, to.stride1, 2) : (to.plane2, to.stride2, 1)
    for row in 0..<to.chromaHeight {
      let upper = from.plane0 + 2 * row * Int(from.stride0)
      let lower = 2 * row + 1 < from.height ? upper + Int(from.stride0) : upper
      cpixels_chroma(
        upper, lower, &u, &v, to.plane1 + row * Int(to.stride1), planeV + row * Int(strideV), Int32(step), from.w)
    }
  }
}

/// Of red, green and blue in a sample. Each is rounded so that the sums hold: white gives the highest level, grey no colour.
private struct Weights {
  let red: Double
  let green: Double
  let blue: Double
  let offset: Int32

  static let gray = Weights(red: 0.299, green: 0.587, blue: 0.114, offset: 0)
  static let luma = Weights(red: 0.299 * 219 / 255, green: 0.587 * 219 / 255, blue: 0.114 * 219 / 255, offset: 16)
  static let u = Weights(red: -0.299 / 1.772 * 224 / 255, green: -0.587 / 1.772 * 224 / 255, blue: 0.5 * 224 / 255, offset: 128)
  static let v = Weights(red: 0.5 * 224 / 255, green: -0.587 / 1.402 * 224 / 255, blue: -0.114 / 1.402 * 224 / 255, offset: 128)

  func sample(_ order: ChannelOrder) -> cpixels_sample {
    let one = Double(1 << CPIXELS_MATRIX)
    let sum = Int(((red + green + blue) * one).rounded())
    let (red, blue) = (Int((red * one).rounded()), Int((blue * one).rounded()))
    var sample = cpixels_sample(weights: (0, 0, 0, 0), offset: offset)
    withUnsafeMutableBytes(of: &sample.weights) { bytes in
      let weights = bytes.assumingMemoryBound(to: Int16.self)
      weights[order.red] = Int16(red)
      weights[order.green] = Int16(sum - red - blue)
      weights[order.blue] = Int16(blue)
    }
    return sample
  }
}
