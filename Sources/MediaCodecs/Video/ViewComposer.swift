import CMediaSDK
import CYUV
import MediaCore

/// Puts pictures into a view: cut, scaled, turned, with bars around them. Used by one thread at a time.
public final class ViewComposer {
  private let pool: BufferPool
  private let scratch = ConversionScratch()

  /// `limit`: frames that may be in use at once.
  public init(limit: Int) {
    pool = BufferPool(limit: limit)
  }

  /// With a reference for the caller: I420 of YUV and grey, BGRA of RGB.
  public func compose(_ frame: VideoFrame, in view: View) throws(MediaError) -> VideoFrame {
    let source = try Picture(frame.native.pointee, argument: "the frame")
    var format = frame.format
    format.pixelFormat = source.format.isRGB ? .bgra : .i420
    (format.width, format.height) = (UInt32(view.width), UInt32(view.height))
    guard let result = try VideoFrame.make(format, from: pool, deadline: 0) else {
      throw MediaError(.again, "all of the view's frames are in use: the renderer must release some (rule P4)")
    }
    do throws(MediaError) {
      let orientation = Orientation(foreign: frame.native.pointee.orientation) ?? Orientation()
      let placement = view.place(width: source.width, height: source.height, orientation: orientation)
      let target = try Picture(result.native.pointee, argument: "the view's frame")
      Bars(view.background, target).fill(around: placement.target)
      try draw(source.region(placement.source), into: target.region(placement.target), placement.orientation)
    } catch {
      result.release()
      throw error
    }
    result.copyIdentity(from: frame)
    result.native.pointee.orientation = 0
    result.native.pointee.flags &= ~UInt32(MSDK_FRAME_WRITABLE)
    return result
  }

  /// The frame standing upright, at its own size; see `compose`.
  public func stand(_ frame: VideoFrame) throws(MediaError) -> VideoFrame {
    try turn(frame, by: Orientation(foreign: frame.native.pointee.orientation) ?? Orientation(), view: Orientation())
  }

  /// An upright frame as it lay before it stood, in that orientation; see `compose`.
  public func lay(_ frame: VideoFrame, _ orientation: Orientation) throws(MediaError) -> VideoFrame {
    let laid = try turn(frame, by: orientation.inverse, view: orientation.inverse)
    laid.native.pointee.orientation = orientation.foreign
    return laid
  }

  private func turn(_ frame: VideoFrame, by orientation: Orientation, view: Orientation) throws(MediaError) -> VideoFrame {
    let format = frame.format
    let (width, height) = orientation.swapsSides ? (format.height, format.width) : (format.width, format.height)
    return try compose(frame, in: try View(width: width, height: height, orientation: view))
  }

  /// Scaled first, in the orientation that it is stored in; then mirrored and turned into its place.
  private func draw(_ source: Picture, into target: Picture, _ orientation: Orientation) throws(MediaError) {
    guard orientation != Orientation() else { return try scale(source, into: target) }
    let (width, height) = orientation.swapsSides ? (target.height, target.width) : (target.width, target.height)
    let scaled = Picture(target.format, width: width, height: height, color: target.color, in: scratch, slot: .upright)
    try scale(source, into: scaled)
    guard orientation.isMirrored else { return try turn(scaled, into: target, orientation.quarters) }
    guard orientation.quarters != 0 else { return try mirror(scaled, into: target) }
    let mirrored = Picture(target.format, width: width, height: height, color: target.color, in: scratch, slot: .mirrored)
    try mirror(scaled, into: mirrored)
    try turn(mirrored, into: target, orientation.quarters)
  }

  private func scale(_ source: Picture, into target: Picture) throws(MediaError) {
    if source.width == target.width && source.height == target.height {
      try PixelConversion.convert(source, into: target, scratch: scratch)
    } else {
      try ScalingConversion.convert(source, into: target, scratch: scratch)
    }
  }

  private func mirror(_ from: Picture, into to: Picture) throws(MediaError) {
    let result =
      from.format == .bgra
      ? ARGBMirror(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h)
      : I420Mirror(
        from.plane0, from.stride0, from.plane1, from.stride1, from.plane2, from.stride2, to.plane0, to.stride0, to.plane1, to.stride1,
        to.plane2, to.stride2, from.w, from.h)
    try PixelConversion.check(result, from, to)
  }

  private func turn(_ from: Picture, into to: Picture, _ quarters: UInt32) throws(MediaError) {
    let mode = [kRotate0, kRotate90, kRotate180, kRotate270][Int(quarters & 3)]
    let result =
      from.format == .bgra
      ? ARGBRotate(from.plane0, from.stride0, to.plane0, to.stride0, from.w, from.h, mode)
      : I420Rotate(
        from.plane0, from.stride0, from.plane1, from.stride1, from.plane2, from.stride2, to.plane0, to.stride0, to.plane1, to.stride1,
        to.plane2, to.stride2, from.w, from.h, mode)
    try PixelConversion.check(result, from, to)
  }
}

/// The colour around a picture.
private struct Bars {
  private let target: Picture
  private let color: (UInt8, UInt8, UInt8)

  init(_ background: UInt32, _ target: Picture) {
    self.target = target
    let (red, green, blue) = (Double(background >> 16 & 255), Double(background >> 8 & 255), Double(background & 255))
    guard !target.format.isRGB else {
      color = (UInt8(blue), UInt8(green), UInt8(red))
      return
    }
    // H.273, equations 38 to 40, and 27 to 29 or 33 to 35 for the range.
    let (kr, kb) = target.color.lumaWeights
    let luma = kr * red + (1 - kr - kb) * green + kb * blue
    let (scale, offset, chroma) = target.color.fullRange ? (1.0, 0.0, 1.0) : (219.0 / 255, 16.0, 224.0 / 255)
    func byte(_ value: Double) -> UInt8 { UInt8(max(0, min(255, value.rounded()))) }
    color = (
      byte(offset + scale * luma), byte(128 + chroma * (blue - luma) / (2 * (1 - kb))), byte(128 + chroma * (red - luma) / (2 * (1 - kr)))
    )
  }

  func fill(around picture: Rectangle) {
    let (width, height) = (target.width, target.height)
    let (right, bottom) = (picture.x + picture.width, picture.y + picture.height)
    fill(Rectangle(x: 0, y: 0, width: width, height: picture.y))
    fill(Rectangle(x: 0, y: bottom, width: width, height: height - bottom))
    fill(Rectangle(x: 0, y: picture.y, width: picture.x, height: picture.height))
    fill(Rectangle(x: right, y: picture.y, width: width - right, height: picture.height))
  }

  private func fill(_ rectangle: Rectangle) {
    guard rectangle.width > 0, rectangle.height > 0 else { return }
    let (x, y) = (Int32(rectangle.x), Int32(rectangle.y))
    let (width, height) = (Int32(rectangle.width), Int32(rectangle.height))
    if target.format.isRGB {
      let value = UInt32(color.0) | UInt32(color.1) << 8 | UInt32(color.2) << 16 | 0xFF00_0000
      _ = ARGBRect(target.plane0, target.stride0, x, y, width, height, value)
    } else {
      _ = I420Rect(
        target.plane0, target.stride0, target.plane1, target.stride1, target.plane2, target.stride2, x, y, width, height,
        Int32(color.0), Int32(color.1), Int32(color.2))
    }
  }
}

extension ColorSpace {
  /// Of red and of blue in luma.
  var lumaWeights: (Double, Double) {
    switch matrix {
    case UInt32(MSDK_MATRIX_BT709): (0.2126, 0.0722)
    case UInt32(MSDK_MATRIX_BT2020_NCL): (0.2627, 0.0593)
    default: (0.299, 0.114)
    }
  }
}
