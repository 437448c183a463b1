import CMediaSDK
import CPixels
import MediaCore

extension VideoConverter {
  /// The colour of what a conversion makes: from YUV to YUV it stays, RGB has none, and RGB becomes BT.601, limited range, or as GRAY8 full
  /// range.
  public static func resultColor(from: VideoFormat, to: PixelFormat) -> ColorSpace {
    var color = from.color
    switch (from.pixelFormat.isRGB, to.isRGB) {
    case (false, false), (true, true): break
    case (false, true):
      color.matrix = UInt32(MSDK_COLOR_UNSPECIFIED)
      color.fullRange = false
    case (true, false):
      color.matrix = UInt32(MSDK_MATRIX_SMPTE170M)
      color.fullRange = to == .gray8
    }
    return color
  }

  /// Whether `from` can be made into `wanted`. A wanted matrix of 0 or 2 and a wanted range of 0 ask for whatever comes out; sizes and the
  /// other members have no say.
  public static func check(from: VideoFormat, wanted: VideoFormat) throws(MediaError) {
    if wanted.pixelFormat.isRGB {
      if !from.pixelFormat.isRGB { _ = try YUVMatrix(from.color) }
      return
    }
    let result = resultColor(from: from, to: wanted.pixelFormat)
    let what = "\(from.pixelFormat.name) to \(wanted.pixelFormat.name)"
    let matrix = wanted.color.matrix
    guard matrix == UInt32(MSDK_COLOR_UNSPECIFIED) || canonical(matrix) == canonical(result.matrix) else {
      throw MediaError(.unsupported, "color_matrix \(matrix) is requested;  \(what) gives \(result.matrix); accepted: that, or 0")
    }
    guard !wanted.color.fullRange || result.fullRange else {
      throw MediaError(.unsupported, "color_full_range 1 is requested;  \(what) gives limited range; accepted: 0")
    }
  }

  /// The two BT.601 matrices are one, and it is what an unspecified one is taken for.
  private static func canonical(_ matrix: UInt32) -> UInt32 {
    matrix == UInt32(MSDK_COLOR_UNSPECIFIED) || matrix == UInt32(MSDK_MATRIX_BT470BG) ? UInt32(MSDK_MATRIX_SMPTE170M) : matrix
  }
}

/// How YUV of a colour becomes RGB.
struct YUVMatrix {
  /// Of red and of blue in luma (H.273, table 4).
  private let red: Double
  private let blue: Double
  private let fullRange: Bool

  init(_ color: ColorSpace) throws(MediaError) {
    switch color.matrix {
    case UInt32(MSDK_COLOR_UNSPECIFIED), UInt32(MSDK_MATRIX_BT470BG), UInt32(MSDK_MATRIX_SMPTE170M): (red, blue) = (0.299, 0.114)
    case UInt32(MSDK_MATRIX_BT709): (red, blue) = (0.2126, 0.0722)
    case UInt32(MSDK_MATRIX_BT2020_NCL): (red, blue) = (0.2627, 0.0593)
    default:
      throw MediaError(
        .unsupported, "YUV of color_matrix \(color.matrix) to RGB; accepted: 1 (BT.709), 5 or 6 (BT.601), 9 (BT.2020), 0 or 2 (as BT.601)")
    }
    fullRange = color.fullRange
  }

  /// Weights in the units of CPixels: sums are in 64ths of a level, and rounded.
  func colors(_ order: ChannelOrder) -> cpixels_colors {
    let (luma, chroma) = fullRange ? (1.0, 1.0) : (255.0 / 219, 255.0 / 224)
    func weight(_ value: Double) -> Int16 { Int16((value * chroma * 8192).rounded()) }
    let green = 1 - red - blue
    // Half a level, and half a 64th for what the luma's product loses.
    let offset = 32.5 - (fullRange ? 0 : 16 * luma * 64)
    return cpixels_colors(
      luma: UInt16((luma * 64 * 65536 / 257).rounded()), offset: Int16(offset.rounded()),
      v_to_red: weight(2 * (1 - red)), u_to_green: weight(-2 * blue * (1 - blue) / green),
      v_to_green: weight(-2 * red * (1 - red) / green), u_to_blue: weight(2 * (1 - blue)),
      alpha_first: order.alpha == 0 ? 1 : 0, red_first: order.red < order.blue ? 1 : 0)
  }
}
