import CYUV
import MediaCore

/// Conversion with a change of size. Scaling costs several times what changing the format does, so it is done in the leaner of the two
/// formats: YUV wherever one side is.
enum ScalingConversion {
  static func convert(_ from: Picture, into to: Picture, scratch: ConversionScratch) throws(MediaError) {
    switch (from.format.isRGB, to.format.isRGB) {
    case (false, false): scaleYUV(from, to, scratch)
    case (false, true):
      let format: PixelFormat = from.format == .gray8 ? .gray8 : .i420
      let middle = Picture(format, width: to.width, height: to.height, color: from.color, in: scratch, slot: .picture)
      scaleYUV(from, middle, scratch)
      try PixelConversion.convert(middle, into: to, scratch: scratch)
    case (true, false):
      let format: PixelFormat = to.format == .gray8 ? .gray8 : .i420
      let middle = Picture(format, width: from.width, height: from.height, color: to.color, in: scratch, slot: .picture)
      try PixelConversion.convert(from, into: middle, scratch: scratch)
      scaleYUV(middle, to, scratch)
    case (true, true):
      // libyuv's scaling of four bytes at once loses 1.4 of 255, which an opaque alpha shows.
      let gainsAlpha = to.format.isWideRGB && !from.format.isWideRGB
      if gainsAlpha || 2 * to.width < from.width || 2 * to.height < from.height {
        scaleChannels(from, to, scratch)
      } else {
        try scaleRGB(from, to, scratch)
      }
    }
  }

  /// Chroma is scaled as two planes: libyuv's filter for interleaved ones loses 1.4 of 255 on average, knows no filter by area for most
  /// ratios, and, doubling the width, does not filter the height.
  private static func scaleYUV(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) {
    PlaneScaler.scale(
      Plane(from.plane0, from.stride0, from.width, from.height), into: Plane(to.plane0, to.stride0, to.width, to.height),
      scratch: scratch)
    guard to.format != .gray8 else { return }
    guard from.format != .gray8 else { return PixelConversion.fillChroma(to) }
    let source = chromaPlanes(from, scratch, .chroma)
    let target = chromaPlanes(to, scratch, .scaledChroma)
    if from.format == .nv12 {
      SplitUVPlane(
        from.plane1, from.stride1, source.u.data, source.u.stride, source.v.data, source.v.stride, source.u.w, source.u.h)
    }
    PlaneScaler.scale(source.u, into: target.u, scratch: scratch)
    PlaneScaler.scale(source.v, into: target.v, scratch: scratch)
    if to.format == .nv12 {
      MergeUVPlane(target.u.data, target.u.stride, target.v.data, target.v.stride, to.plane1, to.stride1, target.u.w, target.u.h)
    }
  }

  /// A picture's own chroma planes, or room for those of one that has them interleaved.
  private static func chromaPlanes(
    _ picture: Picture, _ scratch: ConversionScratch, _ slot: ConversionScratch.Slot
  ) -> (u: Plane, v: Plane) {
    let (width, height) = (picture.chromaWidth, picture.chromaHeight)
    if picture.format == .i420 {
      return (Plane(picture.plane1, picture.stride1, width, height), Plane(picture.plane2, picture.stride2, width, height))
    }
    let both = Plane(width: width, height: 2 * height, in: scratch, slot: slot)
    return (
      Plane(both.data, both.stride, width, height), Plane(both.data + height * Int(both.stride), both.stride, width, height)
    )
  }

  /// Bilinear, four bytes at once, whatever their order.
  private static func scaleRGB(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    var source = from
    if !from.format.isWideRGB {
      source = Picture(
        .bgra, width: from.width, height: from.height, color: from.color, in: scratch,
        slot: .picture)
      try PixelConversion.convert(from, into: source, scratch: scratch)
    }
    var target = to.relabelled(source.format)
    if !to.format.isWideRGB {
      target = Picture(source.format, width: to.width, height: to.height, color: to.color, in: scratch, slot: .scaledChannels)
    }
    let result = ARGBScale(
      source.plane0, source.stride0, source.w, source.h, target.plane0, target.stride0, target.w, target.h, kFilterBilinear)
    try PixelConversion.check(result, source, target)
    if target.format != to.format { try PixelConversion.convert(target, into: to, scratch: scratch) }
  }

  /// Channel by channel: libyuv filters by area, and without bias, single planes only.
  private static func scaleChannels(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) {
    let source = RGBPlanes(width: from.width, height: from.height, in: scratch, slot: .channels)
    let target = RGBPlanes(width: to.width, height: to.height, in: scratch, slot: .scaledChannels)
    source.split(from)
    PlaneScaler.scale(source.red, into: target.red, scratch: scratch)
    PlaneScaler.scale(source.green, into: target.green, scratch: scratch)
    PlaneScaler.scale(source.blue, into: target.blue, scratch: scratch)
    if from.format.isWideRGB && to.format.isWideRGB {
      PlaneScaler.scale(source.alpha, into: target.alpha, scratch: scratch)
    } else if to.format.isWideRGB {
      SetPlane(target.alpha.data, target.alpha.stride, target.alpha.w, target.alpha.h, 255)
    }
    target.merge(into: to)
  }
}
