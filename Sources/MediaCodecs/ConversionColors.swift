import CMediaSDK
import CYUV
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
      throw MediaError(.unsupported, "color_matrix \(matrix) is wanted; from \(what) comes \(result.matrix); accepted: that, or 0")
    }
    guard !wanted.color.fullRange || result.fullRange else {
      throw MediaError(.unsupported, "color_full_range 1 is wanted; from \(what) comes limited range; accepted: 0")
    }
  }

  /// The two BT.601 matrices are one, and it is what an unspecified one is taken for.
  private static func canonical(_ matrix: UInt32) -> UInt32 {
    matrix == UInt32(MSDK_COLOR_UNSPECIFIED) || matrix == UInt32(MSDK_MATRIX_BT470BG) ? UInt32(MSDK_MATRIX_SMPTE170M) : matrix
  }
}

/// How YUV of a colour becomes RGB.
struct YUVMatrix {
  let straight: UnsafePointer<YuvConstants>
  /// With U and V changed over, which libyuv needs to make RGB in the opposite order.
  let swapped: UnsafePointer<YuvConstants>

  init(_ color: ColorSpace) throws(MediaError) {
    let matrix: cyuv_matrix
    switch color.matrix {
    case UInt32(MSDK_COLOR_UNSPECIFIED), UInt32(MSDK_MATRIX_BT470BG), UInt32(MSDK_MATRIX_SMPTE170M): matrix = CYUV_BT601
    case UInt32(MSDK_MATRIX_BT709): matrix = CYUV_BT709
    case UInt32(MSDK_MATRIX_BT2020_NCL): matrix = CYUV_BT2020
    default:
      throw MediaError(
        .unsupported, "YUV of color_matrix \(color.matrix) to RGB; accepted: 1 (BT.709), 5 or 6 (BT.601), 9 (BT.2020), 0 or 2 (as BT.601)")
    }
    let full: Int32 = color.fullRange ? 1 : 0
    guard let straight = cyuv_constants(matrix, full, 0), let swapped = cyuv_constants(matrix, full, 1) else {
      throw MediaError(.fail, "libyuv has no constants for color_matrix \(color.matrix)")
    }
    self.straight = straight
    self.swapped = swapped
  }
}
