import CYUV
import MediaCore

/// The channels of an RGB picture, each in a plane of its own.
struct RGBPlanes {
  let red: Plane
  let green: Plane
  let blue: Plane
  let alpha: Plane

  init(width: Int, height: Int, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    let all = Plane(width: width, height: 4 * height, in: scratch, slot: slot)
    let size = height * Int(all.stride)
    red = Plane(all.data, all.stride, width, height)
    green = Plane(all.data + size, all.stride, width, height)
    blue = Plane(all.data + 2 * size, all.stride, width, height)
    alpha = Plane(all.data + 3 * size, all.stride, width, height)
  }

  /// The planes in the order of a format's bytes; nil where the format is not RGB.
  private func inByteOrder(_ format: PixelFormat) -> (Plane, Plane, Plane, Plane)? {
    switch format {
    case .bgra, .bgr24: (blue, green, red, alpha)
    case .rgba, .rgb24: (red, green, blue, alpha)
    case .argb: (alpha, red, green, blue)
    case .abgr: (alpha, blue, green, red)
    case .i420, .nv12, .gray8: nil
    }
  }

  /// libyuv's "red" is the first byte of three but the third of four.
  func split(_ picture: Picture) {
    guard let (p0, p1, p2, p3) = inByteOrder(picture.format) else { return }
    if picture.format.isWideRGB {
      SplitARGBPlane(
        picture.plane0, picture.stride0, p2.data, p2.stride, p1.data, p1.stride, p0.data, p0.stride, p3.data, p3.stride, picture.w,
        picture.h)
    } else {
      SplitRGBPlane(
        picture.plane0, picture.stride0, p0.data, p0.stride, p1.data, p1.stride, p2.data, p2.stride, picture.w, picture.h)
    }
  }

  func merge(into picture: Picture) {
    guard let (p0, p1, p2, p3) = inByteOrder(picture.format) else { return }
    if picture.format.isWideRGB {
      MergeARGBPlane(
        p2.data, p2.stride, p1.data, p1.stride, p0.data, p0.stride, p3.data, p3.stride, picture.plane0, picture.stride0, picture.w,
        picture.h)
    } else {
      MergeRGBPlane(
        p0.data, p0.stride, p1.data, p1.stride, p2.data, p2.stride, picture.plane0, picture.stride0, picture.w, picture.h)
    }
  }
}
