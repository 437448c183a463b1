// @NAME@.swift - a filter: it inverts frames.
//
// The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them.
// Plugin.swift has the tables, which name the functions of this class.
import CMediaSDKPlugin

final class Filter {
  let host: UnsafePointer<msdk_host>  // what the host does for us
  let context: OpaquePointer  // the first argument of its functions
  var (width, height) = (0, 0)  // of the format agreed on

  // P1: opens nothing, starts nothing.
  init(_ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.host = host
    self.context = context
  }

  // The host converts what is refused here, NV12 first.
  func setFormat(_ format: msdk_video_format) -> msdk_result {
    guard Int(format.pixel_format) == MSDK_PIXEL_NV12 else {
      "accepted: NV12".withCString { host.pointee.set_error(context, msdk_result(MSDK_E_FORMAT), $0) }
      return msdk_result(MSDK_E_FORMAT)
    }
    (width, height) = (Int(format.width), Int(format.height))
    return msdk_result(MSDK_OK)
  }

  // P3: others may hold this frame. make_writable returns it if only we hold it, else a copy, and takes our reference unless it fails.
  func filter(
    _ input: UnsafeMutablePointer<msdk_video_frame>, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>
  ) -> msdk_result {
    var made: UnsafeMutablePointer<msdk_video_frame>?
    let result = host.pointee.video_frame_make_writable(context, input, &made)
    guard result >= 0, let frame = made else {
      host.pointee.video_frame_unref(input)  // P4: MSDK_E_AGAIN when there is no memory for the copy; this frame is dropped
      return result
    }
    let luma = frame.pointee.plane.0
    for y in 0..<height {
      let row = luma.data + y * Int(luma.stride)
      for x in 0..<width { row[x] = 255 - row[x] }
    }
    out.pointee = frame
    return msdk_result(MSDK_OK)
  }
}
