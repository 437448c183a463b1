// @NAME@.swift - a producer: it makes a gradient that moves.
//
// The contract is mediasdk/plugin.h. The P numbers below are the rules at its top; `make check` tests them.
// Plugin.swift has the tables, which name the functions of this class.
import CMediaSDKPlugin

final class Producer {
  let host: UnsafePointer<msdk_host>  // what the host does for us
  let context: OpaquePointer  // the first argument of its functions
  var format: msdk_video_format
  var speed: UInt32 = 2
  var offset: UInt32 = 0

  // P1: opens nothing, starts nothing.
  init(_ host: UnsafePointer<msdk_host>, _ context: OpaquePointer) {
    self.host = host
    self.context = context
    format = msdk_video_format()
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)
    format.pixel_format = UInt32(MSDK_PIXEL_NV12)  // a plane of Y, and one of U and V for four pixels: what encoders take
    (format.width, format.height) = (640, 360)
    (format.fps_num, format.fps_den) = (30, 1)
  }

  func fail(_ result: Int, _ text: String) -> msdk_result {
    text.withCString { host.pointee.set_error(context, msdk_result(result), $0) }
    return msdk_result(result)
  }

  // Type and bounds were checked by the host.
  func setParameter(_ name: String, _ value: msdk_value) -> msdk_result {
    guard name == "speed" else { return fail(Int(MSDK_E_NOT_FOUND), "accepted: speed") }
    speed = value.u.u32
    return msdk_result(MSDK_OK)
  }

  func setFormat(_ wanted: msdk_video_format) -> msdk_result {
    guard Int(wanted.pixel_format) == MSDK_PIXEL_NV12 else { return fail(Int(MSDK_E_FORMAT), "accepted: NV12 of any size") }
    format = wanted
    format.struct_size = UInt32(MemoryLayout<msdk_video_format>.size)  // P6: a later host's struct is longer
    return msdk_result(MSDK_OK)
  }

  // P7: the host calls when a frame is due, and we never wait for that ourselves.
  func produce(_ due: Int64, _ out: UnsafeMutablePointer<UnsafeMutablePointer<msdk_video_frame>?>) -> msdk_result {
    var made: UnsafeMutablePointer<msdk_video_frame>?
    let result = host.pointee.video_frame_acquire(context, &format, 0, &made)
    guard result >= 0, let frame = made else { return result }  // P4: MSDK_E_AGAIN when all are in use
    let (luma, chroma) = (frame.pointee.plane.0, frame.pointee.plane.1)
    for y in 0..<Int(format.height) {
      let row = luma.data + y * Int(luma.stride)  // P3: never y * width
      for x in 0..<Int(format.width) { row[x] = UInt8(truncatingIfNeeded: 16 + (x + y + Int(offset)) % 220) }
    }
    for y in 0..<Int(format.height + 1) / 2 {  // odd sizes are fine
      let row = chroma.data + y * Int(chroma.stride)
      for x in 0..<Int(format.width + 1) / 2 {
        row[2 * x] = UInt8(truncatingIfNeeded: 16 + x % 225)  // U
        row[2 * x + 1] = UInt8(truncatingIfNeeded: 16 + y % 225)  // V
      }
    }
    offset &+= speed
    frame.pointee.timestamp_ns = due
    out.pointee = frame  // our reference is the host's now
    return msdk_result(MSDK_OK)
  }
}
