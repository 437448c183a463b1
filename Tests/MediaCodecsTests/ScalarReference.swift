import MediaCore

/// What conversions at one size should give, in plain double precision, written from the standards and not from libyuv.
struct ScalarReference {
  struct RGB {
    var red: Double
    var green: Double
    var blue: Double
    var alpha: Double
  }

  /// Offsets of the channels in a pixel: red, green, blue, alpha or -1.
  static func channels(_ format: PixelFormat) -> (red: Int, green: Int, blue: Int, alpha: Int, size: Int) {
    switch format {
    case .bgra: (2, 1, 0, 3, 4)
    case .rgba: (0, 1, 2, 3, 4)
    case .argb: (1, 2, 3, 0, 4)
    case .abgr: (3, 2, 1, 0, 4)
    case .bgr24: (2, 1, 0, -1, 3)
    case .rgb24: (0, 1, 2, -1, 3)
    default: (0, 0, 0, -1, 0)
    }
  }

  /// Weights of red and blue in luma: H.273, table 4.
  static func weights(_ matrix: UInt32) -> (red: Double, blue: Double) {
    switch matrix {
    case 1: (0.2126, 0.0722)
    case 9: (0.2627, 0.0593)
    default: (0.299, 0.114)
    }
  }

  let source: GuardedFrame

  private func luma(_ x: Int, _ y: Int) -> Double { Double(source[0, y, x]) }

  /// Of the 2x2 block that the pixel is in; GRAY8 has none.
  private func chroma(_ x: Int, _ y: Int) -> (u: Double, v: Double) {
    switch source.format {
    case .i420: (Double(source[1, y / 2, x / 2]), Double(source[2, y / 2, x / 2]))
    case .nv12: (Double(source[1, y / 2, x / 2 * 2]), Double(source[1, y / 2, x / 2 * 2 + 1]))
    default: (128, 128)
    }
  }

  private func clamp(_ value: Double) -> Double { min(max(value, 0), 255) }

  func rgb(_ x: Int, _ y: Int) -> RGB {
    if source.format.isRGB {
      let at = Self.channels(source.format)
      let base = x * at.size
      return RGB(
        red: Double(source[0, y, base + at.red]), green: Double(source[0, y, base + at.green]),
        blue: Double(source[0, y, base + at.blue]), alpha: at.alpha < 0 ? 255 : Double(source[0, y, base + at.alpha]))
    }
    let weight = Self.weights(source.color.matrix)
    let full = source.color.fullRange
    let (u, v) = chroma(x, y)
    let light = full ? luma(x, y) : (luma(x, y) - 16) * 255 / 219
    let scale = full ? 1.0 : 255.0 / 224
    let red = light + 2 * (1 - weight.red) * (v - 128) * scale
    let blue = light + 2 * (1 - weight.blue) * (u - 128) * scale
    // The unclamped ones make the green, as the matrix has it.
    let green = (light - weight.red * red - weight.blue * blue) / (1 - weight.red - weight.blue)
    return RGB(red: clamp(red), green: clamp(green), blue: clamp(blue), alpha: 255)
  }

  /// A pixel of the result of an RGB source is a pixel of BT.601.
  private func lumaOfRGB(_ x: Int, _ y: Int, full: Bool) -> Double {
    let pixel = rgb(x, y)
    let light = 0.299 * pixel.red + 0.587 * pixel.green + 0.114 * pixel.blue
    return full ? light : 16 + light * 219 / 255
  }

  /// From the mean of the pixels of a 2x2 block; at odd edges of those that are there.
  private func chromaOfRGB(_ column: Int, _ row: Int) -> (u: Double, v: Double) {
    var red = 0.0
    var green = 0.0
    var blue = 0.0
    var count = 0.0
    for y in 2 * row..<min(2 * row + 2, source.height) {
      for x in 2 * column..<min(2 * column + 2, source.width) {
        let pixel = rgb(x, y)
        red += pixel.red
        green += pixel.green
        blue += pixel.blue
        count += 1
      }
    }
    let light = (0.299 * red + 0.587 * green + 0.114 * blue) / count
    return (128 + (blue / count - light) / 1.772 * 224 / 255, 128 + (red / count - light) / 1.402 * 224 / 255)
  }

  func expected(_ format: PixelFormat, plane: Int, row: Int, byte: Int) -> Double {
    if format.isRGB {
      let at = Self.channels(format)
      let pixel = rgb(byte / at.size, row)
      switch byte % at.size {
      case at.red: return pixel.red
      case at.green: return pixel.green
      case at.blue: return pixel.blue
      default: return pixel.alpha
      }
    }
    if plane == 0 { return source.format.isRGB ? lumaOfRGB(byte, row, full: format == .gray8) : luma(byte, row) }
    let column = format == .nv12 ? byte / 2 : byte
    let isV = format == .nv12 ? byte % 2 == 1 : plane == 2
    let (u, v) = source.format.isRGB ? chromaOfRGB(column, row) : chroma(2 * column, 2 * row)
    return isV ? v : u
  }
}
