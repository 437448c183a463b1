import CMediaSDK
import MediaCore

/// A decoded picture, I420, in memory of the decoder.
struct DecodedFrame {
  let width: UInt32
  let height: UInt32
  let planes: (y: UnsafeMutablePointer<UInt8>, u: UnsafeMutablePointer<UInt8>, v: UnsafeMutablePointer<UInt8>)
  let strides: (y: Int32, u: Int32, v: Int32)
  /// Decoded with damage, its own or that of a picture it builds on.
  let isCorrupt: Bool

  /// Shows the picture as a frame, for the length of the call: to be converted or copied from, by no means to be kept or written to. The
  /// colour travels beside the bits, so the caller has it.
  func withFrame<Result>(
    color: ColorSpace, _ body: (UnsafePointer<msdk_video_frame>) throws(MediaError) -> Result
  ) throws(MediaError) -> Result {
    var format = VideoFormat(.i420, width: width, height: height, color: color).foreign
    var frame = msdk_video_frame()
    frame.struct_size = UInt32(MemoryLayout<msdk_video_frame>.size)
    frame.flags = isCorrupt ? UInt32(MSDK_FRAME_CORRUPT) : 0
    frame.plane_count = 3
    frame.plane.0 = plane(planes.y, strides.y, 0)
    frame.plane.1 = plane(planes.u, strides.u, 1)
    frame.plane.2 = plane(planes.v, strides.v, 2)
    return try withUnsafePointer(to: &format) { pointer throws(MediaError) -> Result in
      frame.format = pointer
      return try withUnsafePointer(to: &frame) { frame throws(MediaError) -> Result in try body(frame) }
    }
  }

  private func plane(_ data: UnsafeMutablePointer<UInt8>, _ stride: Int32, _ index: Int) -> msdk_plane {
    let rows = PixelFormat.i420.rows(plane: index, height: Int(height))
    let rowBytes = PixelFormat.i420.rowBytes(plane: index, width: Int(width))
    return msdk_plane(data: data, size: UInt64(Int(stride) * (rows - 1) + rowBytes), stride: stride, reserved0: 0, reserved1: 0)
  }
}
