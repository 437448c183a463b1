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
    case (true, true): try scaleRGB(from, to, scratch)
    }
  }

  /// Chroma is scaled as two planes, which is faster than as pairs, and taking these apart costs little.
  private static func scaleYUV(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) {
    PlaneScaler(scratch: scratch).scale(
      Plane(from.plane0, from.stride0, from.width, from.height), into: Plane(to.plane0, to.stride0, to.width, to.height))
    guard to.format != .gray8 else { return }
    guard from.format != .gray8 else { return PixelConversion.fillChroma(to) }
    let source = chromaPlanes(from, scratch, .chroma)
    let target = chromaPlanes(to, scratch, .scaledChroma)
    if from.format == .nv12 {
      SplitUVPlane(
        from.plane1, from.stride1, source.u.data, source.u.stride, source.v.data, source.v.stride, source.u.w, source.u.h)
    }
    let scaler = PlaneScaler(scratch: scratch, tables: (.chromaRows, .chromaColumns))
    scaler.scale(source.u, into: target.u)
    scaler.scale(source.v, into: target.v)
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

  /// Four bytes at once, whatever their order. Formats of three are made wide before; the order of bytes changes where the
  /// picture is smaller.
  private static func scaleRGB(_ from: Picture, _ to: Picture, _ scratch: ConversionScratch) throws(MediaError) {
    let grows = to.width * to.height > from.width * from.height
    let format: PixelFormat = grows && to.format.isWideRGB ? to.format : from.format.isWideRGB ? from.format : .bgra
    var source = from
    if from.format != format {
      source = Picture(format, width: from.width, height: from.height, color: from.color, in: scratch, slot: .picture)
      try PixelConversion.convert(from, into: source, scratch: scratch)
    }
    var target = to
    if to.format != format {
      target = Picture(format, width: to.width, height: to.height, color: to.color, in: scratch, slot: .scaledPicture)
    }
    PlaneScaler(scratch: scratch, channels: 4).scale(
      Plane(source.plane0, source.stride0, source.width, source.height),
      into: Plane(target.plane0, target.stride0, target.width, target.height))
    if target.format != to.format { try PixelConversion.convert(target, into: to, scratch: scratch) }
  }
}
