import CMediaSDK
import MediaCore

/// Between the matrices and ranges of YUV, without a detour by RGB. Grey stays grey whatever the matrix, so chroma follows from chroma
/// alone, and luma is shifted by its chroma.
enum ColorConversion {
  /// What decoders take for granted of a codec without a place for colour.
  static let assumed = ColorSpace(primaries: 2, transfer: 2, matrix: UInt32(MSDK_MATRIX_SMPTE170M), fullRange: false)

  static func isAssumed(_ color: ColorSpace) -> Bool {
    switch color.matrix {
    case UInt32(MSDK_COLOR_UNSPECIFIED), UInt32(MSDK_MATRIX_BT470BG), UInt32(MSDK_MATRIX_SMPTE170M): !color.fullRange
    default: false
    }
  }

  /// From any colour to BT.601, limited range: pictures of one size, both I420 or both NV12, that may be the same memory.
  static func toAssumed(_ from: Picture, into to: Picture) {
    let conversion = Coefficients(from.color)
    let step = from.format == .nv12 ? 2 : 1
    for row in 0..<from.chromaHeight {
      let (u, v) = chromaRow(from, row)
      for y in 2 * row..<min(2 * row + 2, from.height) {
        conversion.luma(
          from.plane0 + y * Int(from.stride0), u, v, into: to.plane0 + y * Int(to.stride0), width: from.width, step: step)
      }
      let (toU, toV) = chromaRow(to, row)
      conversion.chroma(u, v, into: toU, toV, width: from.chromaWidth, step: step)
    }
  }

  private typealias Row = UnsafeMutablePointer<UInt8>

  private static func chromaRow(_ picture: Picture, _ row: Int) -> (Row, Row) {
    let u = picture.plane1 + row * Int(picture.stride1)
    return picture.format == .nv12 ? (u, u + 1) : (u, picture.plane2 + row * Int(picture.stride2))
  }

  /// In 14 bits of fraction, for bytes from which 128 was taken off (chroma) and with all offsets in `bias` (luma).
  private struct Coefficients {
    private let scale, lumaU, lumaV, bias: Int32
    private let uu, uv, vu, vv: Int32
    private static let bits: Int32 = 14

    init(_ from: ColorSpace) {
      // H.273, equations 38 to 40, put into each other: Y' = Y + a U + b V of fractions.
      let ((kr, kb), (wantedR, wantedB)) = (from.lumaWeights, ColorConversion.assumed.lumaWeights)
      let (kg, wantedG) = (1 - kr - kb, 1 - wantedR - wantedB)
      let (blue, red) = (2 * (1 - kb), 2 * (1 - kr))
      let (a, b) = (wantedB * blue - wantedG * kb * blue / kg, wantedR * red - wantedG * kr * red / kg)
      let (toBlue, toRed) = (2 * (1 - wantedB), 2 * (1 - wantedR))
      let (lumaRange, chromaRange, offset) = from.fullRange ? (255.0, 255.0, 0.0) : (219.0, 224.0, 16.0)
      func fixed(_ value: Double) -> Int32 { Int32((value * Double(1 << Coefficients.bits)).rounded()) }
      scale = fixed(219 / lumaRange)
      (lumaU, lumaV) = (fixed(219 * a / chromaRange), fixed(219 * b / chromaRange))
      bias = fixed(16 - offset * 219 / lumaRange + 0.5)
      let chroma = 224 / chromaRange
      (uu, uv) = (fixed(chroma * (blue - a) / toBlue), fixed(-chroma * b / toBlue))
      (vu, vv) = (fixed(-chroma * a / toRed), fixed(chroma * (red - b) / toRed))
    }

    private static func byte(_ value: Int32) -> UInt8 { UInt8(truncatingIfNeeded: max(0, min(255, value >> bits))) }

    func luma(_ from: Row, _ u: Row, _ v: Row, into to: Row, width: Int, step: Int) {
      for x in 0..<width {
        let place = x / 2 &* step
        let shift = (Int32(u[place]) &- 128) &* lumaU &+ (Int32(v[place]) &- 128) &* lumaV
        to[x] = Coefficients.byte(Int32(from[x]) &* scale &+ shift &+ bias)
      }
    }

    func chroma(_ u: Row, _ v: Row, into toU: Row, _ toV: Row, width: Int, step: Int) {
      let middle: Int32 = 128 << Coefficients.bits + 1 << (Coefficients.bits - 1)
      for x in 0..<width {
        let place = x &* step
        let (ownU, ownV) = (Int32(u[place]) &- 128, Int32(v[place]) &- 128)
        toU[place] = Coefficients.byte(ownU &* uu &+ ownV &* uv &+ middle)
        toV[place] = Coefficients.byte(ownU &* vu &+ ownV &* vv &+ middle)
      }
    }
  }
}
