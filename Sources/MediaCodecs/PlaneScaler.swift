import CYUV

/// One plane of bytes.
struct Plane {
  var data: UnsafeMutablePointer<UInt8>
  var stride: Int32
  var width: Int
  var height: Int

  var w: Int32 { Int32(width) }
  var h: Int32 { Int32(height) }

  init(_ data: UnsafeMutablePointer<UInt8>, _ stride: Int32, _ width: Int, _ height: Int) {
    self.data = data
    self.stride = stride
    self.width = width
    self.height = height
  }

  /// In scratch memory.
  init(width: Int, height: Int, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    let stride = (width + 63) & ~63
    self.init(scratch.take(slot, stride * height), Int32(stride), width, height)
  }
}

/// Scales a plane: bilinear, or by area when made smaller than half.
///
/// All the arithmetic is libyuv's, but not its choice of path. libyuv's general bilinear filter is slow along rows, where it fetches pixel
/// by pixel, and fast along columns, where it blends whole rows; so rows are transposed in bands, scaled as columns and transposed back,
/// which gives the same picture in half the time. And its filter by area is used only when both sides become smaller than half, sums up to
/// 257 rows without overflow, and divides by a reciprocal of 16 bits; so large reductions go in steps of up to 8, and one side alone is
/// halved until what is left is no less than half.
enum PlaneScaler {
  private static let largestBox = 8
  private static let bandColumns = 64

  static func scale(_ from: Plane, into to: Plane, scratch: ConversionScratch) {
    var from = from
    var slot = ConversionScratch.Slot.stepA
    while !isOneStep(from, to) {
      let wide = 2 * to.width < from.width
      let high = 2 * to.height < from.height
      var width = from.width
      var height = from.height
      if wide && high {
        width = max(to.width, (width + largestBox - 1) / largestBox)
        height = max(to.height, (height + largestBox - 1) / largestBox)
      } else if wide {
        width = (width + 1) / 2
      } else {
        height = (height + 1) / 2
      }
      let step = Plane(width: width, height: height, in: scratch, slot: slot)
      slot = slot == .stepA ? .stepB : .stepA
      oneStep(from, step, scratch)
      from = step
    }
    oneStep(from, to, scratch)
  }

  private static func isOneStep(_ from: Plane, _ to: Plane) -> Bool {
    let wide = 2 * to.width < from.width
    let high = 2 * to.height < from.height
    guard wide && high else { return !wide && !high }
    return from.width <= largestBox * to.width && from.height <= largestBox * to.height
  }

  /// Neither side becomes smaller than half, or both do.
  private static func oneStep(_ from: Plane, _ to: Plane, _ scratch: ConversionScratch) {
    if 2 * to.width < from.width || hasFastPath(from, to) {
      ScalePlane(from.data, from.stride, from.w, from.h, to.data, to.stride, to.w, to.h, kFilterBox)
    } else if from.width == to.width {
      columns(from, to)
    } else if from.height == to.height {
      rows(from, to, scratch)
    } else if to.height < from.height {
      let middle = Plane(width: from.width, height: to.height, in: scratch, slot: .pass)
      columns(from, middle)
      rows(middle, to, scratch)
    } else {
      let middle = Plane(width: to.width, height: from.height, in: scratch, slot: .pass)
      rows(from, middle, scratch)
      columns(middle, to)
    }
  }

  /// The ratios for which libyuv has loops of their own.
  private static func hasFastPath(_ from: Plane, _ to: Plane) -> Bool {
    func ratio(_ numerator: Int, _ denominator: Int) -> Bool {
      denominator * to.width == numerator * from.width && denominator * to.height == numerator * from.height
    }
    let doubles = from.width > 1 && from.height > 1 && (to.width + 1) / 2 == from.width && (to.height + 1) / 2 == from.height
    return ratio(1, 1) || ratio(1, 2) || ratio(3, 4) || doubles
  }

  /// The height changes, the width does not.
  private static func columns(_ from: Plane, _ to: Plane) {
    ScalePlane(from.data, from.stride, from.w, from.h, to.data, to.stride, to.w, to.h, kFilterBilinear)
  }

  /// The width changes, the height does not.
  private static func rows(_ from: Plane, _ to: Plane, _ scratch: ConversionScratch) {
    let stride = Int32(bandColumns)
    let transposed = scratch.take(.transposed, (from.width + to.width) * bandColumns)
    let scaled = transposed + from.width * bandColumns
    var first = 0
    while first < from.height {
      let count = min(bandColumns, from.height - first)
      TransposePlane(from.data + first * Int(from.stride), from.stride, transposed, stride, from.w, Int32(count))
      // Not one column alone, which libyuv would not filter; the other is whatever the scratch memory holds and is not looked at.
      ScalePlane(transposed, stride, Int32(max(count, 2)), from.w, scaled, stride, Int32(max(count, 2)), to.w, kFilterBilinear)
      TransposePlane(scaled, stride, to.data + first * Int(to.stride), to.stride, Int32(count), to.w)
      first += count
    }
  }
}
