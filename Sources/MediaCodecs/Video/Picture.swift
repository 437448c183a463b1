import CMediaSDK
import MediaCore

/// A frame as libyuv and libvpx want it: addresses and strides, with numbers that their 32-bit arithmetic can carry.
struct Picture {
  var format: PixelFormat
  var width: Int
  var height: Int
  var color: ColorSpace
  /// A plane that the format does not have is plane 0 again.
  var plane0: UnsafeMutablePointer<UInt8>
  var plane1: UnsafeMutablePointer<UInt8>
  var plane2: UnsafeMutablePointer<UInt8>
  var stride0: Int32
  var stride1: Int32
  var stride2: Int32

  var w: Int32 { Int32(width) }
  var h: Int32 { Int32(height) }
  var chromaWidth: Int { (width + 1) / 2 }
  var chromaHeight: Int { (height + 1) / 2 }
  var chromaW: Int32 { Int32(chromaWidth) }
  var chromaH: Int32 { Int32(chromaHeight) }
  var videoFormat: VideoFormat { VideoFormat(format, width: UInt32(width), height: UInt32(height), color: color) }

  init(_ frame: msdk_video_frame, argument: StaticString) throws(MediaError) {
    guard let foreign = frame.format else { throw MediaError(.invalid, "\(argument) has no format") }
    let (width, height) = (foreign.pointee.width, foreign.pointee.height)
    // The words are put together only when they are needed: this runs for every frame.
    guard let format = PixelFormat(rawValue: foreign.pointee.pixel_format) else {
      throw MediaError(.unsupported, "\(argument)'s pixel_format is \(FourCC.text(foreign.pointee.pixel_format)), which is unknown")
    }
    guard Dimensions.accepted.contains(width), Dimensions.accepted.contains(height) else {
      throw MediaError(.range, "\(argument)'s size is \(width)x\(height); accepted: width and height \(Dimensions.accepted)")
    }
    self.format = format
    self.width = Int(width)
    self.height = Int(height)
    color = ColorSpace(
      primaries: foreign.pointee.color_primaries, transfer: foreign.pointee.color_transfer, matrix: foreign.pointee.color_matrix,
      fullRange: foreign.pointee.color_full_range != 0)
    (plane0, stride0) = try Self.check(frame.plane.0, 0, format, self.width, self.height, argument)
    (plane1, stride1) = (plane0, stride0)
    (plane2, stride2) = (plane0, stride0)
    if format.planeCount > 1 { (plane1, stride1) = try Self.check(frame.plane.1, 1, format, self.width, self.height, argument) }
    if format.planeCount > 2 { (plane2, stride2) = try Self.check(frame.plane.2, 2, format, self.width, self.height, argument) }
  }

  /// Sizes were checked when the frame was made; what is checked here is what the foreign code could not survive.
  private static func check(
    _ plane: msdk_plane, _ index: Int, _ format: PixelFormat, _ width: Int, _ height: Int, _ argument: StaticString
  ) throws(MediaError) -> (UnsafeMutablePointer<UInt8>, Int32) {
    guard let data = plane.data else { throw MediaError(.invalid, "\(argument)'s plane \(index) has NULL data") }
    let rowBytes = format.rowBytes(plane: index, width: width)
    let rows = format.rows(plane: index, height: height)
    guard Int(plane.stride) >= rowBytes else {
      throw MediaError(.invalid, "\(argument)'s plane \(index) has a stride of \(plane.stride); its rows have \(rowBytes) bytes")
    }
    let (size, overflow) = plane.stride.multipliedReportingOverflow(by: Int32(rows))
    guard !overflow else {
      throw MediaError(.unsupported, "\(argument)'s plane \(index) has \(rows) rows \(plane.stride) bytes apart; accepted: 2 GiB in all")
    }
    // A size of 0 is a plane whose maker did not say.
    guard plane.size == 0 || plane.size >= UInt64(Int(size) - Int(plane.stride) + rowBytes) else {
      throw MediaError(.invalid, "\(argument)'s plane \(index) has \(plane.size) bytes, too few for \(rows) rows of \(rowBytes)")
    }
    return (data, plane.stride)
  }

  /// A picture in scratch memory.
  init(_ format: PixelFormat, width: Int, height: Int, color: ColorSpace, in scratch: ConversionScratch, slot: ConversionScratch.Slot) {
    self.format = format
    self.width = width
    self.height = height
    self.color = color
    func stride(_ plane: Int) -> Int { (format.rowBytes(plane: plane, width: width) + 63) & ~63 }
    func size(_ plane: Int) -> Int { plane < format.planeCount ? stride(plane) * format.rows(plane: plane, height: height) : 0 }
    plane0 = scratch.take(slot, size(0) + size(1) + size(2))
    plane1 = plane0 + size(0)
    plane2 = plane1 + size(1)
    stride0 = Int32(stride(0))
    stride1 = Int32(stride(1))
    stride2 = Int32(stride(2))
  }

  /// The same memory under another order of bytes.
  func relabelled(_ other: PixelFormat) -> Picture {
    var picture = self
    picture.format = other
    return picture
  }

  /// Rows from `first` on, which is even, so that the chroma planes can follow.
  func band(from first: Int, rows: Int) -> Picture {
    var picture = self
    picture.height = rows
    picture.plane0 += first * Int(stride0)
    picture.plane1 += first / 2 * Int(stride1)
    picture.plane2 += first / 2 * Int(stride2)
    return picture
  }

  /// A part, which begins on even pixels.
  func region(_ part: Rectangle) -> Picture {
    var picture = band(from: part.y, rows: part.height)
    picture.width = part.width
    picture.plane0 += format.rowBytes(plane: 0, width: part.x)
    picture.plane1 += format.rowBytes(plane: 1, width: part.x)
    picture.plane2 += format.rowBytes(plane: 2, width: part.x)
    return picture
  }
}
